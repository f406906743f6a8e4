/// The slots and the hash table over them: linear probing, and removals that close their holes.
extension EntityStore {
    /// Returns a free slot, and whether it is still in the list of slots to flush.
    mutating func takeSlot() -> (index: SlotIndex, listed: EntitySlot.Flags) {
        if firstFree != EntityStore.none {
            let index = firstFree
            firstFree = self.slot(index).pointee.next
            return (index, self.slot(index).pointee.flags.intersection(.isListed))
        }
        if slotCount == pages.count * EntityStore.pageSlotCount {
            pages.append(EntityStore.newPage())
        }
        slotCount += 1
        return (SlotIndex(slotCount - 1), [])
    }

    private static func newPage() -> UnsafeMutablePointer<EntitySlot> {
        UnsafeMutableRawPointer.allocate(
            byteCount: pageSlotCount * MemoryLayout<EntitySlot>.stride, alignment: MemoryLayout<EntitySlot>.stride
        ).bindMemory(to: EntitySlot.self, capacity: pageSlotCount)
    }

    mutating func unlink(_ index: SlotIndex) {
        let slot = self.slot(index).pointee
        if slot.flags.contains(.hasNewPayload) { dirtyByteCount -= Int(slot.payloadCount) }
        displace(index)
        detach(index)
        if slot.flags.contains(.hasFieldStamps) { setFieldStamps(nil, of: index) }
        if !memoryExcluded.isEmpty { memoryExcluded.remove(index) }
        release(slot.place, of: index)
        self.slot(index).pointee.place = PayloadArena.none
        self.slot(index).pointee.flags = slot.flags.intersection(.isListed)
        self.slot(index).pointee.next = firstFree
        firstFree = index
        count -= 1
    }

    func hash(of slot: EntitySlot) -> UInt64 {
        EntityIdentity.mixed(slot.id, library: slot.library, type: slot.type, seed: seed)
    }

    mutating func place(_ index: SlotIndex, hash: UInt64) {
        let mask = tableCapacity - 1
        var position = Int(truncatingIfNeeded: hash >> 8) & mask
        while tags[position] != 0 { position = (position + 1) & mask }
        table[position] = index
        tags[position] = EntityStore.tag(of: hash)
    }

    /// Removes an index from the table and closes the hole, so that every probe chain stays whole.
    mutating func displace(_ index: SlotIndex) {
        let mask = tableCapacity - 1
        var hole = Int(truncatingIfNeeded: hash(of: self.slot(index).pointee) >> 8) & mask
        while tags[hole] == 0 || table[hole] != index { hole = (hole + 1) & mask }
        var position = (hole + 1) & mask
        while tags[position] != 0 {
            let home = Int(truncatingIfNeeded: hash(of: self.slot(table[position]).pointee) >> 8) & mask
            if (position - home) & mask >= (position - hole) & mask {
                table[hole] = table[position]
                tags[hole] = tags[position]
                hole = position
            }
            position = (position + 1) & mask
        }
        tags[hole] = 0
    }

    mutating func growTable() {
        let oldTable = table
        let oldTags = tags
        let oldCapacity = tableCapacity
        tableCapacity *= 2
        table = .allocate(capacity: tableCapacity)
        tags = .allocate(capacity: tableCapacity)
        tags.initialize(repeating: 0, count: tableCapacity)
        for position in 0..<oldCapacity where oldTags[position] != 0 {
            let index = oldTable[position]
            place(index, hash: hash(of: self.slot(index).pointee))
        }
        oldTable.deallocate()
        oldTags.deallocate()
    }
}
