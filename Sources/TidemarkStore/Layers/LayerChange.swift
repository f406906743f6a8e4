import TidemarkModel

/// One change of a layer, as it was given.
///
/// - Source: Protocol/optimistic.md, what a layer shows.
public enum LayerChange: Hashable, Sendable {
    /// `resource`: a compact JSON object.
    case put(StoredKey, resource: [UInt8])
    /// `fields`: a compact JSON object; empty for none. `unset`: unescaped names.
    case patch(StoredKey, fields: [UInt8], unset: [ByteString])
    /// `fields`: a compact JSON object, merged by path as an answer of GraphQL is.
    case merge(StoredKey, fields: [UInt8])
    case removeField(StoredKey, ByteString)
    /// `isAlong`: the delete was not requested; the policy cascades it from another one.
    case delete(StoredKey, isAlong: Bool = false)

    public var key: StoredKey {
        switch self {
        case .put(let key, _), .patch(let key, _, _), .merge(let key, _), .removeField(let key, _), .delete(let key, _):
            key
        }
    }

    /// Whether the change was not requested: the policy cascades it from another delete of the layer.
    package var isAlong: Bool {
        if case .delete(_, let isAlong) = self { isAlong } else { false }
    }

    /// The number of bytes that count toward the bound on layers: not less than the layer's row takes for the change.
    package var byteCount: Int {
        let overhead = 64 + key.id.byteCount
        switch self {
        case .put(_, let resource): return overhead + resource.count
        case .patch(_, let fields, let unset):
            return overhead + fields.count + unset.reduce(0) { $0 + $1.bytes.count + 16 }
        case .merge(_, let fields): return overhead + fields.count
        case .removeField(_, let field): return overhead + field.bytes.count
        case .delete: return overhead
        }
    }
}
