import TidemarkModel

/// The result of one slice of an eviction.
package struct EvictionSlice: Hashable, Sendable {
    /// The number of entities that were evicted.
    package var evictedCount = 0
    /// The number of entities that were examined, including the evicted ones.
    package var seenCount = 0
}

extension EntityStore {
    /// The number of bytes that the store takes: payloads, stamps of fields, slots and table, used or not.
    package var byteCount: Int {
        arena.chunkByteCount + fieldStampByteCount
            + pages.count * EntityStore.pageSlotCount * MemoryLayout<EntitySlot>.stride
            + tableCapacity * (MemoryLayout<SlotIndex>.stride + 1)
    }

    /// The exact number of bytes that the entities in memory take: payloads, stamps of fields and slots. It is 0 once
    /// all are evicted.
    ///
    /// The table and free slots are not included; they follow the largest number of entities there ever was.
    package var entityByteCount: Int {
        blockByteCount + fieldStampByteCount + count * MemoryLayout<EntitySlot>.stride
    }

    /// Evicts entities from memory, least recently used first, until the rest takes at most `byteCountMax`.
    ///
    /// An entity that must stay (law L9) is skipped and moved to the recent end, as if it was used: one that is not
    /// written, that a flush under way took, or that is pinned. So a later slice continues after it without remembering
    /// a position.
    ///
    /// - Parameters:
    ///   - seenCountMax: The number of entities to examine at most. The number of entities there are completes a scan.
    ///   - keptTypes: The types that are never evicted.
    ///   - isPinned: Tells whether a key must stay; called for tracked entities only.
    /// - Complexity: O(entities examined).
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

    /// Tells whether an entity must stay in memory (law L9).
    func mustStay(
        _ index: SlotIndex, _ keptTypes: Set<TypeIndex>, _ isPinned: (StoredKey) -> Bool
    ) -> Bool {
        isUnsafe(slot(index).pointee) || isWanted(index, keptTypes, isPinned)
    }

    /// Tells whether an entity must stay in at least one tier.
    func isWanted(
        _ index: SlotIndex, _ keptTypes: Set<TypeIndex>, _ isPinned: (StoredKey) -> Bool
    ) -> Bool {
        let slot = self.slot(index).pointee
        if !keptTypes.isEmpty, keptTypes.contains(slot.type) { return true }
        return slot.flags.contains(.isTracked) && isPinned(key(of: index))
    }

    /// Tells whether the journal may not have an entity's last version.
    private func isUnsafe(_ slot: EntitySlot) -> Bool {
        slot.flags.contains(.isDirty) || isUnderWay(slot)
    }
}
