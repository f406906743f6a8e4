/// An element's number in one list: its node in the tree of an ``OrderedList``.
@frozen
@usableFromInline
package struct ListNode: TypedIndex {
    /// The node's position in the tree's storage.
    @usableFromInline package let rawValue: UInt32

    @inlinable
    /// Creates the number with a raw value.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number that means "no node".
    @inlinable
    package static var none: ListNode { ListNode(rawValue: .max) }
}
