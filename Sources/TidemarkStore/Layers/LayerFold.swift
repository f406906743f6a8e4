import TidemarkModel

/// What one change of a layer makes of what lies below it.
///
/// The one place where that is decided: for a running cache, and for those who read its file.
///
/// - Source: Protocol/optimistic.md, what a layer shows.
package enum LayerFold {
    /// - Parameters:
    ///   - change: Applied by what it says; its key is not looked at.
    ///   - value: The resource below, compact JSON; nil: nothing is shown there.
    /// - Returns: nil when nothing is shown.
    /// - Complexity: O(bytes of both).
    package static func apply(_ change: LayerChange, to value: [UInt8]?) -> [UInt8]? {
        switch change {
        case .put(_, let resource): resource
        case .patch(_, let fields, let unset): value.map { assigned(fields, into: $0, unset: unset) }
        case .removeField(_, let field): value.map { assigned([], into: $0, unset: [field]) }
        case .delete: nil
        }
    }

    private static func assigned(_ fields: [UInt8], into value: [UInt8], unset: [ByteString]) -> [UInt8] {
        value.withUnsafeBytes { value in
            fields.withUnsafeBytes { Merge.assigned($0, into: value, unset: Set(unset.map(\.bytes))) }
        }
    }
}
