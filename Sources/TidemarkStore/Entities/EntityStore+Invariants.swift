import TidemarkModel

extension EntityStore {
    /// Stops the program if the structure contradicts itself.
    ///
    /// No input reaches it: only tests and the simulation call this.
    ///
    /// - Complexity: O(slots + table).
    package func checkInvariants() {
        var inTable = 0
        for position in 0..<tableCapacity where tags[position] != 0 {
            let slot = self.slot(table[position]).pointee
            precondition(slot.flags.contains(.isLive), "the table names a free slot \(table[position])")
            inTable += 1
        }
        precondition(inTable == count, "\(inTable) entities in the table, \(count) counted")

        var inList = 0
        var previous = EntityStore.none
        var index = mostRecent
        while index != EntityStore.none {
            precondition(self.slot(index).pointee.previous == previous, "slot \(index) has a wrong neighbour")
            previous = index
            index = self.slot(index).pointee.next
            inList += 1
            precondition(inList <= count, "the list by access has a cycle")
        }
        precondition(previous == leastRecent && inList == count, "\(inList) entities in the list, \(count) counted")

        arena.checkInvariants()
        var blocks = 0
        var listed = 0
        for index in 0..<slotCount {
            let slot = self.slot(SlotIndex(index)).pointee
            precondition(
                slot.flags.contains(.isLive) == (slot.place != PayloadArena.none), "slot \(index) has a wrong block")
            if slot.place != PayloadArena.none { blocks += arena.byteCount(slot.place) }
            if slot.flags.contains(.isListed) { listed += 1 }
            if slot.flags.contains(.isDirty) {
                precondition(slot.flags.contains([.isLive, .isListed]), "dirty slot \(index) is not listed")
            }
        }
        precondition(blocks == blockByteCount, "\(blocks) bytes in entities' blocks, \(blockByteCount) counted")
        let stamps = fieldStamps.values.reduce(0) { $0 + $1.byteCount }
        precondition(stamps == fieldStampByteCount, "\(stamps) bytes of stamps, \(fieldStampByteCount) counted")
        precondition(listed == dirty.count, "\(listed) slots listed, \(dirty.count) in the list")
    }
}

extension EntityStore {
    /// Calls `body` for every entity in memory, in no order.
    ///
    /// - Parameter body: Receives the key, the resource's bytes and the stamp. The bytes are valid only inside it.
    package func forEach(_ body: (StoredKey, UnsafeRawBufferPointer, EntityStamp) -> Void) {
        for index in 0..<slotCount where self.slot(SlotIndex(index)).pointee.flags.contains(.isLive) {
            body(key(of: SlotIndex(index)), payload(of: SlotIndex(index)), stamp(of: SlotIndex(index)))
        }
    }
}
