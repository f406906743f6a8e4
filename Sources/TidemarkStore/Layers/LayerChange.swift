import TidemarkModel

/// One change of a layer, as it was given.
///
/// - Source: Protocol/optimistic.md, what a layer shows.
package enum LayerChange: Hashable, Sendable {
    /// `resource`: compact JSON, an object.
    case put(StoredKey, resource: [UInt8])
    /// `fields`: compact JSON, an object; empty for none. `unset`: unescaped names.
    case patch(StoredKey, fields: [UInt8], unset: [ByteString])
    case removeField(StoredKey, ByteString)
    /// `isAlong`: nobody gave it; the policy deletes the entity with another one.
    case delete(StoredKey, isAlong: Bool = false)

    package var key: StoredKey {
        switch self {
        case .put(let key, _), .patch(let key, _, _), .removeField(let key, _), .delete(let key, _): key
        }
    }

    /// Whether nobody gave it: the policy deletes the entity with another one that the layer deletes.
    package var isAlong: Bool {
        if case .delete(_, let isAlong) = self { isAlong } else { false }
    }

    /// The change's share of the bound on layers: not less than what its row takes for it.
    package var byteCount: Int {
        let overhead = 64 + key.id.byteCount
        switch self {
        case .put(_, let resource): return overhead + resource.count
        case .patch(_, let fields, let unset):
            return overhead + fields.count + unset.reduce(0) { $0 + $1.bytes.count + 16 }
        case .removeField(_, let field): return overhead + field.bytes.count
        case .delete: return overhead
        }
    }
}
