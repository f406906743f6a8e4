/// An entity's number in memory: its slot in the ``EntityStore``. A number is reused after its entity left memory.
@frozen
@usableFromInline
package struct SlotIndex: TypedIndex {
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number that stands for no slot.
    @inlinable
    package static var none: SlotIndex { SlotIndex(rawValue: .max) }
}
