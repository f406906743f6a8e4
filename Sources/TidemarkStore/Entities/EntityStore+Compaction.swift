/// Compaction: gives memory that is free between payloads back to the allocator.
extension EntityStore {
    /// Moves payloads out of chunks that are at most half in use, when much memory is free in chunks, so that those
    /// chunks can be freed.
    ///
    /// Evicted entities were spread over all chunks, and each left a free block that only another payload of its size
    /// can use. A block that a flush under way reads is not moved.
    ///
    /// - Parameter seenCountMax: The number of slots to examine at most; the next call continues after them.
    /// - Complexity: O(slots examined + bytes moved); O(1) when little memory is free.
    package mutating func compact(seenCountMax: Int) {
        for _ in 0..<min(seenCountMax, slotCount) {
            guard arena.isSparse else { return }
            compactionHand = compactionHand + 1 < slotCount ? compactionHand + 1 : 0
            let slot = self.slot(SlotIndex(compactionHand))
            guard slot.pointee.flags.contains(.isLive), !isUnderWay(slot.pointee),
                arena.isWorthMoving(slot.pointee.place)
            else { continue }
            slot.pointee.place = arena.move(slot.pointee.place)
        }
    }
}
