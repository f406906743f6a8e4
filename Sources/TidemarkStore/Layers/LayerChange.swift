import TidemarkModel

/// One change of a layer, as it was requested.
///
/// ```swift
/// let key = StoredKey(library: 0, type: 3, id: StoredID("42"))
/// let rename = LayerChange.patch(key, fields: Array(#"{"name":"Dawn"}"#.utf8), unset: ["draft"])
/// print(rename.key == key)  // true
/// ```
///
/// - Source: Protocol/optimistic.md, what a layer shows.
public enum LayerChange: Hashable, Sendable {
    /// Shows a whole resource. `resource` is a compact JSON object.
    case put(StoredKey, resource: [UInt8])
    /// Replaces and removes top-level fields, if the entity exists. `fields` is a compact JSON object, empty for none;
    /// `unset` has the unescaped names of fields to remove.
    case patch(StoredKey, fields: [UInt8], unset: [ByteString])
    /// Merges fields by path, if the entity exists, as a GraphQL response is merged. `fields` is a compact JSON object.
    case merge(StoredKey, fields: [UInt8])
    /// Removes one top-level field, named without escapes, if the entity exists.
    case removeField(StoredKey, ByteString)
    /// Hides the entity. `isAlong` is true if the delete was not requested: the policy cascades it from another one.
    case delete(StoredKey, isAlong: Bool = false)

    /// The key of the entity that the change concerns.
    public var key: StoredKey {
        switch self {
        case .put(let key, _), .patch(let key, _, _), .merge(let key, _), .removeField(let key, _), .delete(let key, _):
            key
        }
    }

    /// True if the change was not requested: the policy cascades it from another delete of the layer.
    package var isAlong: Bool {
        if case .delete(_, let isAlong) = self { isAlong } else { false }
    }

    /// How many bytes the change counts toward the bound on layers: at least as many as the layer's row takes for it.
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
