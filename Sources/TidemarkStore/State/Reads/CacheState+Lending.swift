import TidemarkModel

/// An entity that a read uses where it is in memory, without a copy.
///
/// - Note: The bytes are valid until the next change of the state.
package struct LentEntity {
    /// The bytes of the entity's resource.
    package let resource: UnsafeRawBufferPointer
    /// The entity's slot.
    package let slot: SlotIndex
    /// When the entity was last written, in milliseconds since 1970.
    package let writtenAt: Int64
    /// The sequence of the event that last wrote the entity; nil if that write had none.
    package let sequence: EventSequence?
    /// When its fields were written; nil if all were written at once.
    package let stamps: FieldStamps?
}

extension CacheState {
    /// Returns the index of a library by its name; nil if nothing is known of it.
    package func libraryNumber(of name: ByteString) -> LibraryIndex? { libraries.index(of: name) }

    /// Returns the index of a type by any of its names; nil if it is unknown.
    package func typeNumber(of name: ByteString) -> TypeIndex? { types.index(of: name) }

    /// Lends an entity that is in memory and has no layers. This is not counted as a read; see ``touch(slots:)``.
    ///
    /// - Parameter id: The text of the id, in any spelling.
    /// - Returns: nil for every other entity. ``look(_:asked:)`` returns what is known of it.
    /// - Complexity: O(id).
    package func lend(library: LibraryIndex, type: TypeIndex, id: UnsafeRawBufferPointer) -> LentEntity? {
        let identity =
            UUIDValue(text: id).map { EntityIdentity(library: library, type: type, uuid: $0, seed: entities.seed) }
            ?? EntityIdentity(library: library, type: type, text: id, seed: entities.seed)
        guard let index = entities.find(identity) else { return nil }
        if !layers.isEmpty, isLayered(identity.storedKey) { return nil }
        let stamp = entities.stamp(of: index)
        return LentEntity(
            resource: entities.payload(of: index), slot: index, writtenAt: stamp.writtenAt, sequence: stamp.sequence,
            stamps: entities.stamps(of: index))
    }

    /// Counts a read of entities in the LRU order.
    ///
    /// - Parameter slots: The slots of entities that were lent since the last change.
    package mutating func touch(slots: [SlotIndex]) {
        for slot in slots { entities.touch(slot) }
    }
}

extension EntityStore {
    /// Returns when the fields of an entity were written; nil if all were written at once.
    @inline(__always)
    func stamps(of index: SlotIndex) -> FieldStamps? {
        slot(index).pointee.flags.contains(.hasFieldStamps) ? fieldStamps[index] : nil
    }
}
