/// A key's number in the reverse index of lists and observers, `ListedKeys`.
@frozen
@usableFromInline
package struct ListHandle: TypedIndex {
    /// The key's position in the reverse index.
    @usableFromInline package let rawValue: UInt32

    @inlinable
    /// Creates the handle with a raw value.
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}
