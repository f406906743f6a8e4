/// A key's number in the reverse index of lists and observers, `ListedKeys`.
@frozen
@usableFromInline
package struct ListHandle: TypedIndex {
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}
