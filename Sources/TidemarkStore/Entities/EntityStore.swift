// Stage 5 of 7: writes → changed entities. Before: CacheState.apply. After: QueryIndex. Laws: L1, L8, L9.

import TidemarkModel

/// The entities in memory: an open-addressing table over 64-byte slots, payloads beside them, and an
/// intrusive list by last access.
///
/// It holds what was read or written lately; the rest is with the journal. What is not yet written there
/// (dirty) is never evicted.
///
/// - Note: Payload bytes handed out as buffers are valid until the store is next changed.
/// - Source: docs/decisions/0003-payload-storage.md.
package struct EntityStore: ~Copyable {
    /// Differs in every process; see ``EntityIdentity``.
    package let seed: UInt64

    /// Slots by index; owned. Grows by doubling, bounded by the memory limit through eviction.
    var slots: UnsafeMutablePointer<EntitySlot>
    var slotCapacity: Int
    /// Slots ever used; those freed since are linked from `firstFree`.
    var slotCount = 0
    var firstFree = EntityStore.none
    /// Entities in memory.
    package private(set) var count = 0

    /// Table positions: slot index, or `none`. A power of two, at most three quarters full.
    var table: UnsafeMutablePointer<UInt32>
    /// The low byte of each position's hash, so that most mismatches never touch a slot.
    var tags: UnsafeMutablePointer<UInt8>
    var tableCapacity: Int

    var mostRecent = EntityStore.none
    var leastRecent = EntityStore.none
    /// Bytes in payload blocks.
    var blockByteCount = 0

    /// Slots that changed since the last flush, in the order of their first change; each once. Bounded by the
    /// flush policy: the engine stops reading before it grows past it.
    var dirty: [UInt32] = []
    /// Payload bytes that were written since the last flush.
    var dirtyByteCount = 0
    /// Rows of entities that are gone since the last flush; bounded like `dirty`.
    var deletedRows: [StoredRow] = []
    var nextRow: Int64

    static let none = UInt32.max
    private static let tableCapacityMin = 1_024

    /// - Parameters:
    ///   - seed: Random, for the hash table.
    ///   - lastRow: The journal's highest row; 0 when it has none.
    package init(seed: UInt64, lastRow: Int64 = 0) {
        self.seed = seed
        nextRow = lastRow + 1
        slotCapacity = EntityStore.tableCapacityMin
        slots = .allocate(capacity: slotCapacity)
        tableCapacity = EntityStore.tableCapacityMin
        table = .allocate(capacity: tableCapacity)
        tags = .allocate(capacity: tableCapacity)
        table.initialize(repeating: EntityStore.none, count: tableCapacity)
        tags.initialize(repeating: 0, count: tableCapacity)
    }

    deinit {
        for index in 0..<slotCount {
            slots[index].block?.deallocate()
        }
        slots.deallocate()
        table.deallocate()
        tags.deallocate()
    }

    // MARK: Finding

    /// The slot of an entity in memory.
    ///
    /// - Complexity: O(1) expected.
    @inline(__always)
    package func find(_ identity: EntityIdentity) -> UInt32? {
        let mask = tableCapacity - 1
        let tag = UInt8(truncatingIfNeeded: identity.hash)
        var position = Int(truncatingIfNeeded: identity.hash >> 8) & mask
        while true {
            let index = table[position]
            if index == EntityStore.none { return nil }
            if tags[position] == tag, matches(slots[Int(index)], identity) { return index }
            position = (position + 1) & mask
        }
    }

    private func matches(_ slot: EntitySlot, _ identity: EntityIdentity) -> Bool {
        guard slot.id == identity.id, slot.library == identity.library, slot.type == identity.type,
            slot.flags.contains(.isUUID) == identity.isUUID
        else { return false }
        if identity.isUUID { return true }
        return JSONText.haveEqualBytes(
            UnsafeRawBufferPointer(start: slot.block, count: slot.idByteCount), identity.text)
    }

    /// The resource's bytes.
    package func payload(of index: UInt32) -> UnsafeRawBufferPointer {
        let slot = slots[Int(index)]
        guard let block = slot.block else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: block + slot.idByteCount, count: Int(slot.payloadCount))
    }

    func key(of index: UInt32) -> StoredKey {
        let slot = slots[Int(index)]
        let id: StoredID =
            slot.flags.contains(.isUUID)
            ? .uuid(slot.id) : .text(ByteString(UnsafeRawBufferPointer(start: slot.block, count: slot.idByteCount)))
        return StoredKey(library: slot.library, type: slot.type, id: id)
    }

    /// When and by which event the entity was last written.
    package func stamp(of index: UInt32) -> EntityStamp {
        let slot = slots[Int(index)]
        return EntityStamp(
            sequence: slot.sequence < 0 ? nil : EventSequence(slot.sequence), generation: slot.generation,
            writtenAt: slot.writtenAt)
    }

    // MARK: Writing

    /// Replaces an entity's resource. An equal write renews only its stamps.
    ///
    /// - Parameter payload: Must not point into this store.
    /// - Returns: Whether the bytes changed.
    package mutating func write(
        _ index: UInt32, payload: UnsafeRawBufferPointer, stamp: EntityStamp
    ) -> Bool {
        let isEqual = JSONText.haveEqualBytes(self.payload(of: index), payload)
        if !isEqual { store(payload, in: index) }
        setStamp(stamp, of: index)
        markDirty(index, hasNewPayload: !isEqual)
        touch(index)
        return !isEqual
    }

    /// Adds an entity that is not in memory.
    ///
    /// - Precondition: `find(identity)` is nil.
    @discardableResult
    package mutating func insert(
        _ identity: EntityIdentity, payload: UnsafeRawBufferPointer, stamp: EntityStamp
    ) -> UInt32 {
        let index = link(identity, payload: payload, stamp: stamp)
        slots[Int(index)].row = nextRow
        nextRow += 1
        markDirty(index, hasNewPayload: true)
        return index
    }

    /// Adds an entity as the journal has it.
    ///
    /// - Precondition: `find(identity)` is nil.
    package mutating func install(
        _ identity: EntityIdentity, payload: UnsafeRawBufferPointer, stamp: EntityStamp, row: Int64
    ) {
        let index = link(identity, payload: payload, stamp: stamp)
        slots[Int(index)].row = row
        slots[Int(index)].flags.insert(.hasRow)
    }

    /// Removes an entity from memory and, with the next flush, from the journal.
    package mutating func remove(_ index: UInt32) {
        if slots[Int(index)].flags.contains(.hasRow) {
            deletedRows.append(StoredRow(key: key(of: index), row: slots[Int(index)].row))
        }
        unlink(index)
    }

    /// Moves an entity to the recent end of the list by access.
    @inline(__always)
    package mutating func touch(_ index: UInt32) {
        guard index != mostRecent else { return }
        detach(index)
        attach(index)
    }

    private mutating func link(
        _ identity: EntityIdentity, payload: UnsafeRawBufferPointer, stamp: EntityStamp
    ) -> UInt32 {
        if (count + 1) * 4 > tableCapacity * 3 { growTable() }
        let (index, listed) = takeSlot()
        var slot = EntitySlot(
            block: nil, id: identity.id, sequence: -1, writtenAt: 0, payloadCount: 0, blockCount: 0, rowLow: 0,
            previous: EntityStore.none, next: EntityStore.none, generation: 0, library: identity.library,
            type: identity.type, rowHigh: 0, flags: listed.union(.isLive))
        if identity.isUUID {
            slot.flags.insert(.isUUID)
        } else {
            let block = allocate(identity.text.count + payload.count)
            block.copyMemory(from: identity.text.baseAddress ?? UnsafeRawPointer(block), byteCount: identity.text.count)
            slot.block = block
            slot.blockCount = UInt32(EntityStore.rounded(identity.text.count + payload.count))
        }
        slots[Int(index)] = slot
        store(payload, in: index)
        setStamp(stamp, of: index)
        place(index, hash: identity.hash)
        attach(index)
        count += 1
        return index
    }

    private mutating func setStamp(_ stamp: EntityStamp, of index: UInt32) {
        slots[Int(index)].sequence = stamp.sequence?.rawValue ?? -1
        slots[Int(index)].generation = stamp.generation
        slots[Int(index)].writtenAt = stamp.writtenAt
    }

    // MARK: Payload blocks

    /// Blocks come in steps of 16 bytes, which is what allocators give anyway.
    private static func rounded(_ count: Int) -> Int { max(16, (count + 15) & ~15) }

    private mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let rounded = EntityStore.rounded(count)
        blockByteCount += rounded
        return .allocate(byteCount: rounded, alignment: 16)
    }

    /// Puts the resource behind the id's text, in the same block while it fits without waste.
    private mutating func store(_ payload: UnsafeRawBufferPointer, in index: UInt32) {
        let slot = slots[Int(index)]
        let idByteCount = slot.idByteCount
        let needed = EntityStore.rounded(idByteCount + payload.count)
        let available = Int(slot.blockCount)
        var block = slot.block
        if block == nil || needed > available || needed * 2 < available {
            let new = allocate(needed)
            if let old = slot.block {
                if idByteCount > 0 { new.copyMemory(from: old, byteCount: idByteCount) }
                old.deallocate()
                blockByteCount -= available
            }
            block = new
            slots[Int(index)].block = new
            slots[Int(index)].blockCount = UInt32(needed)
        }
        if let block, let source = payload.baseAddress {
            (block + idByteCount).copyMemory(from: source, byteCount: payload.count)
        }
        slots[Int(index)].payloadCount = UInt32(payload.count)
    }

    // MARK: Slots and table

    /// A slot to fill, and whether it is still listed for the next flush.
    private mutating func takeSlot() -> (index: UInt32, listed: EntitySlot.Flags) {
        if firstFree != EntityStore.none {
            let index = firstFree
            firstFree = slots[Int(index)].next
            return (index, slots[Int(index)].flags.intersection(.isListed))
        }
        if slotCount == slotCapacity {
            let grown = UnsafeMutablePointer<EntitySlot>.allocate(capacity: slotCapacity * 2)
            grown.moveInitialize(from: slots, count: slotCount)
            slots.deallocate()
            slots = grown
            slotCapacity *= 2
        }
        slotCount += 1
        return (UInt32(slotCount - 1), [])
    }

    mutating func unlink(_ index: UInt32) {
        let slot = slots[Int(index)]
        displace(index)
        detach(index)
        slot.block?.deallocate()
        blockByteCount -= Int(slot.blockCount)
        slots[Int(index)].block = nil
        slots[Int(index)].blockCount = 0
        slots[Int(index)].flags = slot.flags.intersection(.isListed)
        slots[Int(index)].next = firstFree
        firstFree = index
        count -= 1
    }

    private func hash(of slot: EntitySlot) -> UInt64 {
        EntityIdentity.mixed(slot.id, library: slot.library, type: slot.type, seed: seed)
    }

    private mutating func place(_ index: UInt32, hash: UInt64) {
        let mask = tableCapacity - 1
        var position = Int(truncatingIfNeeded: hash >> 8) & mask
        while table[position] != EntityStore.none { position = (position + 1) & mask }
        table[position] = index
        tags[position] = UInt8(truncatingIfNeeded: hash)
    }

    /// Takes an index out of the table and closes the hole, so that no chain is ever cut.
    private mutating func displace(_ index: UInt32) {
        let mask = tableCapacity - 1
        var hole = Int(truncatingIfNeeded: hash(of: slots[Int(index)]) >> 8) & mask
        while table[hole] != index { hole = (hole + 1) & mask }
        var position = (hole + 1) & mask
        while table[position] != EntityStore.none {
            let home = Int(truncatingIfNeeded: hash(of: slots[Int(table[position])]) >> 8) & mask
            if (position - home) & mask >= (position - hole) & mask {
                table[hole] = table[position]
                tags[hole] = tags[position]
                hole = position
            }
            position = (position + 1) & mask
        }
        table[hole] = EntityStore.none
    }

    private mutating func growTable() {
        let oldTable = table
        let oldTags = tags
        let oldCapacity = tableCapacity
        tableCapacity *= 2
        table = .allocate(capacity: tableCapacity)
        tags = .allocate(capacity: tableCapacity)
        table.initialize(repeating: EntityStore.none, count: tableCapacity)
        tags.initialize(repeating: 0, count: tableCapacity)
        for position in 0..<oldCapacity where oldTable[position] != EntityStore.none {
            let index = oldTable[position]
            place(index, hash: hash(of: slots[Int(index)]))
        }
        oldTable.deallocate()
        oldTags.deallocate()
    }

    // MARK: The list by access

    private mutating func attach(_ index: UInt32) {
        slots[Int(index)].previous = EntityStore.none
        slots[Int(index)].next = mostRecent
        if mostRecent != EntityStore.none { slots[Int(mostRecent)].previous = index }
        mostRecent = index
        if leastRecent == EntityStore.none { leastRecent = index }
    }

    private mutating func detach(_ index: UInt32) {
        let previous = slots[Int(index)].previous
        let next = slots[Int(index)].next
        if previous != EntityStore.none { slots[Int(previous)].next = next } else { mostRecent = next }
        if next != EntityStore.none { slots[Int(next)].previous = previous } else { leastRecent = previous }
    }
}
