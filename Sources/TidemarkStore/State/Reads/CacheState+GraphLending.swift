import TidemarkModel

/// An entity in memory as it lies there: nothing is copied.
///
/// - Note: The bytes are valid until the state is next changed.
package struct LentEntity {
    package let resource: UnsafeRawBufferPointer
    package let slot: SlotIndex
    /// The time of the last write, in milliseconds since 1970.
    package let writtenAt: Int64
    package let sequence: EventSequence?
    /// The writes of its fields; nil when all were written at once.
    package let stamps: FieldStamps?
}

extension CacheState {
    /// Returns the number of a library; nil when nothing is known of it.
    package func libraryNumber(of name: ByteString) -> LibraryIndex? { libraries.index(of: name) }

    /// Returns the number of a type by any of its names; nil when it was never seen.
    package func typeNumber(of name: ByteString) -> TypeIndex? { types.index(of: name) }

    /// Lends an entity that is in memory and has no layers. Not counted as an access; see ``touch(slots:)``.
    ///
    /// - Parameter id: The id in any spelling.
    /// - Returns: nil for every other entity: ``graphLook(_:asked:)`` tells what is known of it.
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

    /// Counts a read of entities for the order of evictions.
    ///
    /// - Parameter slots: The slots of entities that were lent since the last change.
    package mutating func touch(slots: [SlotIndex]) {
        for slot in slots { entities.touch(slot) }
    }
}

extension EntityStore {
    /// Returns the writes of an entity's fields; nil when all were written at once.
    @inline(__always)
    func stamps(of index: SlotIndex) -> FieldStamps? {
        slot(index).pointee.flags.contains(.hasFieldStamps) ? fieldStamps[index] : nil
    }
}
