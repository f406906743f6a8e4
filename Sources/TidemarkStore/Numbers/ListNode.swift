/// An element's number in one list: its node in the tree of an ``OrderedList``.
@frozen
@usableFromInline
package struct ListNode: TypedIndex {
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number that stands for no node.
    @inlinable
    package static var none: ListNode { ListNode(rawValue: .max) }
}
