import TidemarkModel

/// What one slice of an eviction did.
package struct EvictionSlice: Hashable, Sendable {
    /// Entities that left memory.
    package var evictedCount = 0
    /// Entities that were looked at, those included.
    package var seenCount = 0
}

extension EntityStore {
    /// What the store takes: payloads, stamps of fields, slots and table, used or not.
    package var byteCount: Int {
        arena.chunkByteCount + fieldStampByteCount
            + pages.count * EntityStore.pageSlotCount * MemoryLayout<EntitySlot>.stride
            + tableCapacity * (MemoryLayout<UInt32>.stride + 1)
    }

    /// What the entities in memory take, to the byte: payloads, stamps of fields and slots. Dropping all of them makes it 0.
    ///
    /// The table, and slots that are free, are not in it: they follow the largest number there ever was.
    package var entityByteCount: Int {
        blockByteCount + fieldStampByteCount + count * MemoryLayout<EntitySlot>.stride
    }

    /// Drops entities from memory, least recently used first, until they take at most `byteCountMax`.
    ///
    /// What must stay (law L9) is passed over and moved to the recent end, as if it was used: what is not written, what a
    /// flush under way took, and what is pinned. So a later slice goes on behind it without remembering a place.
    ///
    /// - Parameters:
    ///   - seenCountMax: Entities to look at, at most. As many as there are bring a walk to its end.
    ///   - keptTypes: Types that never go.
    ///   - isPinned: Whether something wants a key to stay; asked for tracked entities only.
    /// - Complexity: O(entities looked at).
    package mutating func evict(
        toByteCount byteCountMax: Int, seenCountMax: Int = .max,
        keptTypes: Set<TypeIndex> = [],
        isPinned: (StoredKey) -> Bool = { _ in false }
    ) -> EvictionSlice {
        var slice = EvictionSlice()
        let countMax = min(seenCountMax, count)
        while slice.seenCount < countMax, entityByteCount > byteCountMax {
            let index = leastRecent
            slice.seenCount += 1
            if mustStay(index, keptTypes, isPinned) {
                touch(index)
            } else {
                unlink(index)
                slice.evictedCount += 1
            }
        }
        return slice
    }

    /// Law L9.
    func mustStay(
        _ index: UInt32, _ keptTypes: Set<TypeIndex>, _ isPinned: (StoredKey) -> Bool
    ) -> Bool {
        isUnsafe(slot(index).pointee) || isWanted(index, keptTypes, isPinned)
    }

    /// Whether an entity stays in one tier at least.
    func isWanted(
        _ index: UInt32, _ keptTypes: Set<TypeIndex>, _ isPinned: (StoredKey) -> Bool
    ) -> Bool {
        let slot = self.slot(index).pointee
        if !keptTypes.isEmpty, keptTypes.contains(slot.type) { return true }
        return slot.flags.contains(.isTracked) && isPinned(key(of: index))
    }

    /// Whether the journal does not have an entity's last version for certain.
    private func isUnsafe(_ slot: EntitySlot) -> Bool {
        slot.flags.contains(.isDirty) || isUnderWay(slot)
    }
}
