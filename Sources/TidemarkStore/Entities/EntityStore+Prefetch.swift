import CPrefetch

/// Prefetches memory some events ahead of its use.
///
/// An event reads four distant places: its table position, its slot, its payload and its neighbours in the LRU list.
/// One after the other, each would be a cache miss. Prefetching for several events overlaps the misses; the stages are
/// as many events apart as one miss takes.
extension EntityStore {
    /// First stage: prefetches the table position.
    @inline(__always)
    func prefetchTable(_ hash: UInt64) {
        let position = Int(truncatingIfNeeded: hash >> 8) & (tableCapacity - 1)
        tidemark_prefetch(tags + position)
        tidemark_prefetch(table + position)
    }

    /// Second stage: prefetches the slot, once the table position is in the processor's cache.
    @inline(__always)
    func prefetchSlot(_ identity: EntityIdentity) -> SlotIndex {
        let position = Int(truncatingIfNeeded: identity.hash >> 8) & (tableCapacity - 1)
        // The first position with a matching tag is the right one in 99 of 100 cases.
        var candidate = position
        let tag = UInt8(truncatingIfNeeded: identity.hash) | 0x80
        while tags[candidate] != 0, tags[candidate] != tag { candidate = (candidate + 1) & (tableCapacity - 1) }
        guard tags[candidate] != 0 else { return EntityStore.none }
        let index = table[candidate]
        tidemark_prefetch_for_write(self.slot(index))
        return index
    }

    /// Third stage: prefetches the payload and the LRU neighbours, once the slot is in the processor's cache.
    @inline(__always)
    func prefetchPayload(_ index: SlotIndex) {
        guard index != EntityStore.none else { return }
        let slot = self.slot(index)
        if slot.pointee.place != PayloadArena.none {
            let block = arena.address(slot.pointee.place)
            let count = min(slot.pointee.idByteCount + Int(slot.pointee.payloadCount), EntityStore.prefetchByteCountMax)
            var offset = 0
            while offset < count {
                tidemark_prefetch_for_write(block + offset)
                offset += 64
            }
        }
        if slot.pointee.previous != EntityStore.none { tidemark_prefetch_for_write(self.slot(slot.pointee.previous)) }
        if slot.pointee.next != EntityStore.none { tidemark_prefetch_for_write(self.slot(slot.pointee.next)) }
    }

    /// The most payload bytes to prefetch. Longer payloads are read in order, which the processor predicts by itself.
    private static var prefetchByteCountMax: Int { 1_024 }
}
