import TidemarkModel

/// Applies a layer's changes to the value beneath them.
///
/// - Source: Protocol/optimistic.md, what a layer shows.
package enum LayerFold {
    /// Applies one change to a value.
    ///
    /// - Parameters:
    ///   - change: The change of a layer.
    ///   - value: The resource beneath it; nil if there is none.
    /// - Returns: The visible resource; nil if there is none.
    /// - Complexity: O(value + change).
    package static func apply(_ change: LayerChange, to value: [UInt8]?) -> [UInt8]? {
        switch change {
        case .put(_, let resource):
            resource
        case .patch(_, let fields, let unset):
            value.map { assigned(fields, into: $0, unset: Set(unset.map(\.bytes))) }
        case .merge(_, let fields):
            value.map { value in
                value.withUnsafeBytes { value in fields.withUnsafeBytes { Merge.byPath($0, into: value).resource } }
            }
        case .removeField(_, let field):
            value.map { assigned([], into: $0, unset: [field.bytes]) }
        case .delete:
            nil
        }
    }

    private static func assigned(_ fields: [UInt8], into value: [UInt8], unset: Set<[UInt8]>) -> [UInt8] {
        value.withUnsafeBytes { value in
            fields.withUnsafeBytes { Merge.assigned($0, into: value, unset: unset) }
        }
    }
}
