/// The LRU list, threaded through the slots.
extension EntityStore {
    /// Marks an entity as the most recently used one.
    @inline(__always)
    package mutating func touch(_ index: SlotIndex) {
        guard index != mostRecent else { return }
        detach(index)
        attach(index)
    }

    mutating func attach(_ index: SlotIndex) {
        self.slot(index).pointee.previous = EntityStore.none
        self.slot(index).pointee.next = mostRecent
        if mostRecent != EntityStore.none { self.slot(mostRecent).pointee.previous = index }
        mostRecent = index
        if leastRecent == EntityStore.none { leastRecent = index }
    }

    mutating func detach(_ index: SlotIndex) {
        let previous = self.slot(index).pointee.previous
        let next = self.slot(index).pointee.next
        if previous != EntityStore.none { self.slot(previous).pointee.next = next } else { mostRecent = next }
        if next != EntityStore.none { self.slot(next).pointee.previous = previous } else { leastRecent = previous }
    }
}
