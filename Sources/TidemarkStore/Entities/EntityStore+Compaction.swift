/// Giving back memory that lies free between payloads.
extension EntityStore {
    /// Moves payloads out of chunks that are at most half in use, when much lies free in chunks: so those can go.
    ///
    /// Entities that leave memory stood anywhere, and each left a free block that only another payload of its size can use. What a
    /// flush under way reads stays where it is.
    ///
    /// - Parameter seenCountMax: Slots to look at, at most; the next call goes on behind them.
    /// - Complexity: O(slots looked at + bytes moved); O(1) when little lies free.
    package mutating func compact(seenCountMax: Int) {
        for _ in 0..<min(seenCountMax, slotCount) {
            guard arena.isSparse else { return }
            compactionHand = compactionHand + 1 < slotCount ? compactionHand + 1 : 0
            let slot = self.slot(UInt32(compactionHand))
            guard slot.pointee.flags.contains(.isLive), !isUnderWay(slot.pointee),
                arena.isWorthMoving(slot.pointee.place)
            else { continue }
            slot.pointee.place = arena.move(slot.pointee.place)
        }
    }
}
