/// An entity's number in memory: its slot in the ``EntityStore``. Slots of entities that left memory are reused.
@frozen
@usableFromInline
package struct SlotIndex: TypedIndex {
    /// The slot's position in the store.
    @usableFromInline package let rawValue: UInt32

    @inlinable
    /// Creates the number with a raw value.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number that means "no slot".
    @inlinable
    package static var none: SlotIndex { SlotIndex(rawValue: .max) }
}
