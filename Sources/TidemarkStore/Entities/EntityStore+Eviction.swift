import TidemarkModel

/// What one slice of an eviction did.
package struct EvictionSlice: Hashable, Sendable {
    /// How many entities were evicted.
    package var evictedCount = 0
    /// How many entities were examined, the evicted ones included.
    package var seenCount = 0
}

extension EntityStore {
    /// How many bytes the store takes: payloads, field stamps, slots and table, used or not.
    package var byteCount: Int {
        arena.chunkByteCount + fieldStampByteCount
            + pages.count * EntityStore.pageSlotCount * MemoryLayout<EntitySlot>.stride
            + tableCapacity * (MemoryLayout<SlotIndex>.stride + 1)
    }

    /// How many bytes the entities in memory take, exactly: payloads, field stamps and slots. 0 once all are evicted.
    ///
    /// The table and free slots are not included: they follow the largest number of entities that were ever in memory.
    package var entityByteCount: Int {
        blockByteCount + fieldStampByteCount + count * MemoryLayout<EntitySlot>.stride
    }

    /// Evicts the least recently used entities from memory until the rest takes at most `byteCountMax`.
    ///
    /// An entity that must stay (law L9) is skipped and marked as recently used: one that is dirty, that a flush under
    /// way includes, that is pinned, or whose type is kept. So the next slice continues after it, without a stored
    /// position.
    ///
    /// - Parameters:
    ///   - byteCountMax: The most bytes that may remain, as ``entityByteCount`` counts them.
    ///   - seenCountMax: The most entities to examine. ``count`` makes one full pass.
    ///   - keptTypes: Types that are never evicted.
    ///   - isPinned: Returns true if a key must stay; called for tracked entities only.
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

    /// Returns true if an entity must stay in memory (law L9).
    func mustStay(
        _ index: SlotIndex, _ keptTypes: Set<TypeIndex>, _ isPinned: (StoredKey) -> Bool
    ) -> Bool {
        isUnsafe(slot(index).pointee) || isWanted(index, keptTypes, isPinned)
    }

    /// Returns true if an entity must stay in at least one tier.
    func isWanted(
        _ index: SlotIndex, _ keptTypes: Set<TypeIndex>, _ isPinned: (StoredKey) -> Bool
    ) -> Bool {
        let slot = self.slot(index).pointee
        if !keptTypes.isEmpty, keptTypes.contains(slot.type) { return true }
        return slot.flags.contains(.isTracked) && isPinned(key(of: index))
    }

    /// Returns true if the journal may not have the last version of an entity.
    private func isUnsafe(_ slot: EntitySlot) -> Bool {
        slot.flags.contains(.isDirty) || isUnderWay(slot)
    }
}
