import TidemarkModel

extension EntityStore {
    /// How many changed and removed entities the next flush includes.
    package var dirtyCount: Int { dirty.count + deletedRows.count }

    mutating func markDirty(_ index: SlotIndex, hasNewPayload: Bool) {
        if !unstoredTypes.isEmpty, unstoredTypes.contains(slot(index).pointee.type) { return }
        var flags = self.slot(index).pointee.flags
        if hasNewPayload, flags.insert(.hasNewPayload).inserted {
            dirtyByteCount += Int(self.slot(index).pointee.payloadCount)
        }
        if !flags.contains(.isListed) { dirty.append(index) }
        flags.formUnion([.isDirty, .isListed])
        self.slot(index).pointee.flags = flags
    }

    /// Moves all changes into a flush: the last version of everything that changed, ascending by row.
    ///
    /// Payloads are lent, not copied, until ``flushCommitted()`` or the next call: later writes use other blocks. The
    /// entities count as written from now on, since a failed flush is committed again unchanged.
    ///
    /// - Complexity: O(d log d) for d changes.
    package mutating func takeDirty(into flush: inout FlushBatch) {
        endFlush()
        flush.memory = arena.memory
        flush.rows.reserveCapacity(dirty.count + deletedRows.count)
        flush.bytes.reserveCapacity(dirty.count * 16)
        for deleted in deletedRows { append(deleted, to: &flush) }
        lastFlush &+= 1
        isFlushUnderWay = true
        // Row numbers are sorted before the flush rows are made: a flush row is six times as large.
        var changed: [(row: Int64, index: SlotIndex)] = []
        changed.reserveCapacity(dirty.count)
        for index in dirty {
            let slot = self.slot(index)
            slot.pointee.flags.remove(.isListed)
            if slot.pointee.flags.contains([.isLive, .isDirty]) { changed.append((slot.pointee.row, index)) }
        }
        changed.sort { $0.row < $1.row }
        for (_, index) in changed {
            append(index, self.slot(index).pointee, to: &flush)
            self.slot(index).pointee.flags.subtract([.isDirty, .hasNewPayload])
            self.slot(index).pointee.flags.insert(.hasRow)
            self.slot(index).pointee.flags.flush = lastFlush
        }
        if !deletedRows.isEmpty { flush.rows.sort { $0.row < $1.row } }
        dirty.removeAll(keepingCapacity: dirty.count <= EntityStore.keptDirtyCountMax)
        deletedRows.removeAll(keepingCapacity: deletedRows.count <= EntityStore.keptDirtyCountMax)
        dirtyByteCount = 0
    }

    /// How many list entries keep their memory from flush to flush.
    private static var keptDirtyCountMax: Int { 32_768 }

    /// Ends the last flush after its commit: the journal no longer reads its payloads.
    package mutating func flushCommitted() {
        endFlush()
        compact(seenCountMax: EntityStore.compactedSlotCountMax)
    }

    /// How many slots are examined after a commit: 1,024, which takes about 0.1 ms.
    private static var compactedSlotCountMax: Int { 1_024 }

    private mutating func endFlush() {
        isFlushUnderWay = false
        for place in retired { arena.free(place) }
        retired = []
        retiredByteCount = 0
    }

    /// Returns true if the flush under way reads the entity's current block.
    @inline(__always)
    func isUnderWay(_ slot: EntitySlot) -> Bool {
        isFlushUnderWay && slot.flags.flush == lastFlush
    }

    private func append(_ deleted: StoredRow, to flush: inout FlushBatch) {
        let idOffset = flush.bytes.count
        let isUUID: Bool
        switch deleted.key.id {
        case .uuid(let value):
            isUUID = true
            flush.bytes.append(contentsOf: value.bytes)
        case .text(let text):
            isUUID = false
            flush.bytes.append(contentsOf: text.bytes)
        }
        flush.rows.append(
            FlushRow(
                row: deleted.row, change: .delete, library: deleted.key.library, type: deleted.key.type, isUUID: isUUID,
                idOffset: idOffset, idCount: flush.bytes.count - idOffset, payloadOffset: flush.bytes.count,
                payloadCount: 0, sequence: nil, generation: 0, writtenAt: 0))
    }

    private func append(_ index: SlotIndex, _ slot: EntitySlot, to flush: inout FlushBatch) {
        let hasRow = slot.flags.contains(.hasRow)
        let change: FlushRow.Change =
            !hasRow ? .insert : slot.flags.contains(.hasNewPayload) ? .update : .stamp
        let idOffset = flush.bytes.count
        if slot.flags.contains(.isUUID) {
            withUnsafeBytes(of: slot.id.high.bigEndian) { flush.bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: slot.id.low.bigEndian) { flush.bytes.append(contentsOf: $0) }
        } else {
            flush.bytes.append(
                contentsOf: UnsafeRawBufferPointer(start: arena.address(slot.place), count: slot.idByteCount))
        }
        let payload = change == .stamp ? UnsafeRawBufferPointer(start: nil, count: 0) : payload(of: index)
        let fieldsOffset = flush.bytes.count
        if slot.flags.contains(.hasFieldStamps) { fieldStamps[index]?.encode(into: &flush.bytes) }
        flush.rows.append(
            FlushRow(
                row: slot.row, change: change, library: slot.library, type: slot.type,
                isUUID: slot.flags.contains(.isUUID), idOffset: idOffset, idCount: fieldsOffset - idOffset,
                payloadOffset: 0, payloadCount: payload.count, lentPayload: payload.baseAddress,
                fieldsOffset: fieldsOffset, fieldsCount: flush.bytes.count - fieldsOffset,
                sequence: slot.sequence < 0 ? nil : EventSequence(slot.sequence), generation: slot.generation,
                writtenAt: slot.writtenAt, isReduced: completeness(of: index) == .reduced))
    }

    /// Marks everything in memory as dirty, under new rows, because the journal lost its data.
    package mutating func markAllDirty() {
        dirty.removeAll(keepingCapacity: true)
        deletedRows.removeAll()
        dirtyByteCount = 0
        endFlush()
        nextRow = 1
        for index in 0..<slotCount {
            self.slot(SlotIndex(index)).pointee.flags.subtract([.isListed, .hasRow])
            guard self.slot(SlotIndex(index)).pointee.flags.contains(.isLive) else { continue }
            self.slot(SlotIndex(index)).pointee.row = nextRow
            nextRow += 1
            markDirty(SlotIndex(index), hasNewPayload: true)
        }
    }

    /// Removes a row of the journal with the next flush. Its entity must not be in memory.
    mutating func removeRow(_ row: StoredRow) {
        deletedRows.append(row)
    }

    /// Returns how many entities are in memory, for each library by its index.
    package func countByLibrary(libraryCount: Int) -> [Int64] {
        var counts = [Int64](repeating: 0, count: libraryCount)
        for index in 0..<slotCount where self.slot(SlotIndex(index)).pointee.flags.contains(.isLive) {
            counts[Int(self.slot(SlotIndex(index)).pointee.library)] += 1
        }
        return counts
    }
}
