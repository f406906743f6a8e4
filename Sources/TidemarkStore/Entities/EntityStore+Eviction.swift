extension EntityStore {
    /// What the store takes: payloads, slots and table.
    package var byteCount: Int {
        blockByteCount + pages.count * EntityStore.pageSlotCount * MemoryLayout<EntitySlot>.stride
            + tableCapacity * (MemoryLayout<UInt32>.stride + 1)
    }

    /// Drops entities from memory, least recently used first, until the store takes at most `byteCountMax`.
    ///
    /// What is dirty stays (law L9). Call it only while no flush is under way: what a flush holds counts as clean.
    /// Slots and table keep their size; only payloads are given back.
    ///
    /// - Parameter isPinned: Whether a key that something names may not go; asked for tracked entities only.
    /// - Returns: How many were dropped.
    /// - Complexity: O(entities looked at).
    package mutating func evict(
        toByteCount byteCountMax: Int, isPinned: (StoredKey) -> Bool = { _ in false }
    ) -> Int {
        var evicted = 0
        var index = leastRecent
        while byteCount > byteCountMax, index != EntityStore.none {
            let newer = self.slot(index).pointee.previous
            let flags = self.slot(index).pointee.flags
            if !flags.contains(.isDirty), !flags.contains(.isTracked) || !isPinned(key(of: index)) {
                unlink(index)
                evicted += 1
            }
            index = newer
        }
        return evicted
    }
}
