/// Compaction: returns memory that is free between payloads to the allocator.
extension EntityStore {
    /// Moves payloads out of chunks that are at most half in use, so that these chunks can be freed. No effect while
    /// little memory is free.
    ///
    /// Evicted entities were spread over all chunks. Each left a free block that only a payload of the same size can
    /// use. Blocks that a flush under way reads are not moved.
    ///
    /// - Parameter seenCountMax: The most slots to examine. The next call continues after them.
    /// - Complexity: O(slots examined + bytes moved); O(1) while little memory is free.
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
