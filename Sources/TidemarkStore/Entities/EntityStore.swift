// Stage 5 of 7: writes → changed entities. Before: CacheState.apply. After: QueryIndex. Laws: L1, L8, L9.

import TidemarkJSON
import TidemarkModel

/// The entities in memory: an open-addressing hash table over slots of 64 bytes, their payloads, and an intrusive LRU
/// list.
///
/// The store holds the entities that were recently read or written; the journal has the others. An entity that is
/// dirty, or that a flush under way includes, is never evicted from memory alone.
///
/// - Note: Payload bytes handed out as buffers are valid until the next change of the store.
/// - Source: docs/decisions/0003-payload-storage.md.
package struct EntityStore: ~Copyable {
    private let place = StablePlace()
    /// The random seed of the hash, which differs in every process. See ``EntityIdentity``.
    package let seed: UInt64

    /// The slots, in pages of `pageSlotCount`; owned. A slot never moves, and at most one page is unused. The memory
    /// limit bounds them through eviction.
    var pages: [UnsafeMutablePointer<EntitySlot>] = []
    /// How many slots were ever used. Slots freed since are linked from `firstFree`.
    var slotCount = 0
    var firstFree = EntityStore.none
    /// The number of entities in memory.
    package internal(set) var count = 0

    /// The slot index at each table position. The capacity is a power of two, at most 13/16 full.
    var table: UnsafeMutablePointer<SlotIndex>
    /// The tag at each table position: 0 for a free one, otherwise seven bits of the hash and the top bit. Most
    /// mismatches are found without reading a slot.
    var tags: UnsafeMutablePointer<UInt8>
    var tableCapacity: Int

    var mostRecent = EntityStore.none
    var leastRecent = EntityStore.none
    var arena: PayloadArena
    /// Blocks that no entity uses any more, but that the flush under way still reads. The entities of that flush bound
    /// them.
    var retired: [UInt32] = []
    /// How many bytes the retired blocks have.
    var retiredByteCount = 0
    /// The size of the longest resource that was ever in memory, in bytes.
    private(set) var payloadByteCountHighest = 0
    /// The last slot that ``compact(seenCountMax:)`` examined.
    var compactionHand = -1

    /// The slots that changed since the last flush, each once, in the order of their first change. The flush policy
    /// bounds it: the engine stops reading before the list exceeds it.
    var dirty: [SlotIndex] = []
    /// How many payload bytes the next flush includes.
    var dirtyByteCount = 0
    /// The rows of entities that were removed since the last flush; bounded like `dirty`.
    var deletedRows: [StoredRow] = []
    var nextRow: Int64
    /// When single fields were written, for the entities whose fields were not all written at once.
    var fieldStamps: [SlotIndex: FieldStamps] = [:]
    /// How many bytes `fieldStamps` takes.
    var fieldStampByteCount = 0
    /// The low byte of the last flush's number.
    var lastFlush: UInt8 = 0
    /// True while the last flush is not committed: its payloads have no other copy.
    var isFlushUnderWay = false

    /// The types that are never stored in a journal. Their entities are never dirty.
    var unstoredTypes: Set<TypeIndex> = []
    /// The types whose entities are evicted from memory as soon as the journal has them.
    var memoryExcludedTypes: Set<TypeIndex> = []
    /// The slots of entities whose types are in `memoryExcludedTypes`.
    var memoryExcluded: Set<SlotIndex> = []

    static let none = SlotIndex.none
    /// How many slots fit in a page of 64 KiB.
    static let pageSlotCount = 1_024
    private static let tableCapacityMin = 1_024

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - seed: A random number for the hash table.
    ///   - lastRow: The highest row number in the journal; 0 if it has no rows.
    ///   - spareByteCountMin: How many bytes may be free between payloads before compaction pays: 1 MiB. Smaller values
    ///     are for tests.
    package init(seed: UInt64, lastRow: Int64 = 0, spareByteCountMin: Int = 1 << 20) {
        self.seed = seed
        arena = PayloadArena(spareByteCountMin: spareByteCountMin)
        nextRow = lastRow + 1
        tableCapacity = EntityStore.tableCapacityMin
        table = .allocate(capacity: tableCapacity)
        tags = .allocate(capacity: tableCapacity)
        tags.initialize(repeating: 0, count: tableCapacity)
    }

    deinit {
        for page in pages { page.deallocate() }
        table.deallocate()
        tags.deallocate()
    }

    /// Returns the address of a slot.
    ///
    /// - Parameter index: A slot that was used at some time.
    @inline(__always)
    func slot(_ index: SlotIndex) -> UnsafeMutablePointer<EntitySlot> {
        pages[Int(index) / EntityStore.pageSlotCount] + Int(index) % EntityStore.pageSlotCount
    }

    // MARK: Lookup

    /// Returns the slot of an entity; nil if it is not in memory.
    ///
    /// - Complexity: O(1) expected.
    @inline(__always)
    package func find(_ identity: EntityIdentity) -> SlotIndex? {
        let mask = tableCapacity - 1
        let tag = EntityStore.tag(of: identity.hash)
        var position = Int(truncatingIfNeeded: identity.hash >> 8) & mask
        while tags[position] != 0 {
            if tags[position] == tag, matches(self.slot(table[position]), identity) { return table[position] }
            position = (position + 1) & mask
        }
        return nil
    }

    @inline(__always)
    static func tag(of hash: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: hash) | 0x80
    }

    @inline(__always)
    private func matches(_ slot: UnsafeMutablePointer<EntitySlot>, _ identity: EntityIdentity) -> Bool {
        guard slot.pointee.id == identity.id, slot.pointee.library == identity.library,
            slot.pointee.type == identity.type, slot.pointee.flags.contains(.isUUID) == identity.isUUID
        else { return false }
        if identity.isUUID { return true }
        return JSONText.haveEqualBytes(
            UnsafeRawBufferPointer(start: arena.address(slot.pointee.place), count: slot.pointee.idByteCount),
            identity.text)
    }

    /// Returns the bytes of an entity's resource. They are valid until the next change of the store.
    package func payload(of index: SlotIndex) -> UnsafeRawBufferPointer {
        let slot = self.slot(index).pointee
        return UnsafeRawBufferPointer(
            start: arena.address(slot.place) + slot.idByteCount, count: Int(slot.payloadCount))
    }

    /// Returns an entity's id: a UUID, or else its text, which is valid until the next change of the store.
    func id(of index: SlotIndex) -> (uuid: UUIDValue?, text: UnsafeRawBufferPointer) {
        let slot = self.slot(index).pointee
        if slot.flags.contains(.isUUID) { return (slot.id, UnsafeRawBufferPointer(start: nil, count: 0)) }
        return (nil, UnsafeRawBufferPointer(start: arena.address(slot.place), count: slot.idByteCount))
    }

    func key(of index: SlotIndex) -> StoredKey {
        let slot = self.slot(index).pointee
        let id: StoredID =
            slot.flags.contains(.isUUID)
            ? .uuid(slot.id)
            : .text(ByteString(UnsafeRawBufferPointer(start: arena.address(slot.place), count: slot.idByteCount)))
        return StoredKey(library: slot.library, type: slot.type, id: id)
    }

    /// Returns when, and by what, an entity was last written.
    package func stamp(of index: SlotIndex) -> EntityStamp {
        let slot = self.slot(index).pointee
        return EntityStamp(
            sequence: slot.sequence < 0 ? nil : EventSequence(slot.sequence), packedGeneration: slot.generation,
            writtenAt: slot.writtenAt)
    }

    // MARK: Writing

    /// Replaces an entity's resource. An equal resource renews only the stamps.
    ///
    /// - Parameters:
    ///   - index: The slot of the entity.
    ///   - payload: The new resource. Must not point into this store.
    ///   - stamp: When, and by what, it is written.
    ///   - fields: The fields that the write sets; nil for all.
    /// - Returns: True if the bytes changed.
    package mutating func write(
        _ index: SlotIndex, payload: UnsafeRawBufferPointer, stamp: EntityStamp, fields: WrittenFields? = nil
    ) -> Bool {
        let completeness = completeness(of: index)
        var stamp = stamp
        stamp.isPartial = fields != nil || stamp.writer == .document
        dateFields(fields, of: index, payload, stamp)
        let isEqual = JSONText.haveEqualBytes(self.payload(of: index), payload)
        // A journal keeps the values of complete entities for its field indexes: it needs the payload again when
        // completeness changes.
        let isNew = !isEqual || completeness != self.completeness(of: index)
        if !isEqual {
            if self.slot(index).pointee.flags.contains(.hasNewPayload) {
                dirtyByteCount += payload.count - Int(self.slot(index).pointee.payloadCount)
            }
            store(payload, in: index)
        }
        setStamp(stamp, of: index)
        markDirty(index, hasNewPayload: isNew)
        touch(index)
        return !isEqual
    }

    /// Adds an entity that neither tier has, under a new row.
    ///
    /// - Precondition: `find(identity)` is nil.
    @discardableResult
    package mutating func insert(
        _ identity: EntityIdentity, payload: UnsafeRawBufferPointer, stamp: EntityStamp
    ) -> SlotIndex {
        let index = link(identity, payload: payload, stamp: stamp)
        self.slot(index).pointee.row = nextRow
        nextRow += 1
        markDirty(index, hasNewPayload: true)
        return index
    }

    /// Adds an entity that the journal loaded. It is not dirty.
    ///
    /// - Parameters:
    ///   - fields: The bytes of ``StoredEntity/fields``.
    ///   - row: The entity's row in the journal.
    ///   - doubts: How to correct times that a wrong clock may have written.
    /// - Precondition: `find(identity)` is nil.
    package mutating func install(
        _ identity: EntityIdentity, payload: UnsafeRawBufferPointer, stamp: EntityStamp, fields: [UInt8] = [],
        row: Int64, _ doubts: DoubtfulTimes = .none
    ) -> SlotIndex {
        let index = link(identity, payload: payload, stamp: stamp)
        self.slot(index).pointee.row = row
        self.slot(index).pointee.flags.insert(.hasRow)
        if let fields = FieldStamps(encoded: fields) {
            setFieldStamps(fields.dated(doubts), of: index)
        }
        return index
    }

    /// Removes an entity from memory and, with the next flush, from the journal.
    package mutating func remove(_ index: SlotIndex) {
        if self.slot(index).pointee.flags.contains(.hasRow) {
            deletedRows.append(StoredRow(key: key(of: index), row: self.slot(index).pointee.row))
        }
        unlink(index)
    }

    private mutating func link(
        _ identity: EntityIdentity, payload: UnsafeRawBufferPointer, stamp: EntityStamp
    ) -> SlotIndex {
        if (count + 1) * 16 > tableCapacity * 13 { growTable() }
        payloadByteCountHighest = max(payloadByteCountHighest, payload.count)
        let (index, listed) = takeSlot()
        var slot = EntitySlot(
            id: identity.id, sequence: -1, writtenAt: 0, payloadCount: UInt32(payload.count),
            place: arena.allocate(identity.text.count + payload.count), rowLow: 0, previous: EntityStore.none,
            next: EntityStore.none, generation: 0, library: identity.library, type: identity.type, rowHigh: 0,
            flags: listed.union(.isLive))
        if identity.isUUID { slot.flags.insert(.isUUID) }
        self.slot(index).pointee = slot
        let block = arena.address(slot.place)
        EntityStore.copy(identity.text, to: block)
        EntityStore.copy(payload, to: block + identity.text.count)
        setStamp(stamp, of: index)
        place(index, hash: identity.hash)
        attach(index)
        count += 1
        if !memoryExcludedTypes.isEmpty, memoryExcludedTypes.contains(identity.type) { memoryExcluded.insert(index) }
        return index
    }

    mutating func setStamp(_ stamp: EntityStamp, of index: SlotIndex) {
        self.slot(index).pointee.sequence = stamp.sequence?.rawValue ?? -1
        self.slot(index).pointee.generation = stamp.packedGeneration
        self.slot(index).pointee.writtenAt = stamp.writtenAt
    }

    // MARK: The blocks of payloads

    /// How many bytes the blocks of the entities in memory have.
    var blockByteCount: Int { arena.blockByteCount - retiredByteCount }

    /// Stores the resource after the id's text: in the same block if it has the right size and no flush reads it.
    mutating func store(_ payload: UnsafeRawBufferPointer, in index: SlotIndex) {
        let slot = self.slot(index).pointee
        payloadByteCountHighest = max(payloadByteCountHighest, payload.count)
        let idByteCount = slot.idByteCount
        let old = arena.address(slot.place)
        var block = old
        if isUnderWay(slot) || arena.byteCount(slot.place) != BlockSize.rounded(idByteCount + payload.count) {
            let place = arena.allocate(idByteCount + payload.count)
            block = arena.address(place)
            EntityStore.copy(UnsafeRawBufferPointer(start: old, count: idByteCount), to: block)
            release(slot.place, of: index)
            self.slot(index).pointee.place = place
        }
        EntityStore.copy(payload, to: block + idByteCount)
        self.slot(index).pointee.payloadCount = UInt32(payload.count)
    }

    /// Frees a block, or retires it until the flush that reads it has ended.
    mutating func release(_ place: UInt32, of index: SlotIndex) {
        if isUnderWay(self.slot(index).pointee) {
            retired.append(place)
            retiredByteCount += arena.byteCount(place)
            // The entity's next block is not lent to this flush. The entity is dirty by then, so it stays in memory
            // anyway.
            self.slot(index).pointee.flags.flush = lastFlush &- 1
        } else {
            arena.free(place)
        }
    }

    @inline(__always)
    private static func copy(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
    }
}
