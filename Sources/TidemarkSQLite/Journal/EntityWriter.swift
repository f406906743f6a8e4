import TidemarkModel
import TidemarkStore

/// Writes the rows of a flush: the tables `entities` and `keys`.
///
/// This is the hot loop of the durable side. Rows arrive in the order of the table, so that SQLite visits each page
/// once. Values are bound by pointer. The keys of new rows are sorted first for the same reason.
final class EntityWriter {
    private let keys: KeyWriter
    private let read: PreparedStatement
    private let delete: PreparedStatement
    /// Encodes rows again whose stamps change while their payload does not.
    private let encoder: PayloadEncoder
    private let pipeline: BodyPipeline
    private let fieldValues: FieldValueWriter
    /// The new and the existing rows of a batch; at most one of the two batches is not empty.
    private var inserts: RowBatch
    private var updates: RowBatch

    init(_ connection: OpaquePointer, compression: DataCompression, encoder: PayloadEncoder) throws {
        self.encoder = encoder
        pipeline = try BodyPipeline(compression)
        keys = try KeyWriter(connection)
        fieldValues = try FieldValueWriter(connection)
        inserts = try RowBatch(connection, "INSERT OR IGNORE")
        updates = try RowBatch(connection, "REPLACE")
        read = try PreparedStatement(
            connection, #"SELECT sequence, generation, written_at, body FROM entities WHERE "row" = ?"#)
        delete = try PreparedStatement(connection, #"DELETE FROM entities WHERE "row" = ?"#)
    }

    /// Writes the rows of a flush.
    ///
    /// - Parameters:
    ///   - dictionaries: The dictionaries by type.
    ///   - indexes: The indexes by type; a type without an index has no entry.
    /// - Throws: ``SQLiteError``; the caller must roll the transaction back.
    /// - Complexity: O(n log n) for new rows, O(n) for others.
    func write(
        _ flush: FlushBatch, dictionaries: [TypeIndex: PayloadDictionary], indexes: [TypeIndex: [FieldIndexRecord]]
    ) throws -> EntityOutcome {
        var outcome = EntityOutcome()
        inserts.clear()
        updates.clear()
        encoder.startBatch()
        try flush.bytes.withUnsafeBytes { bytes in
            // Deletes first: an entity that was deleted and created again has the key of a row that is deleted here.
            for row in flush.rows where row.change == .delete {
                delete.bind(1, row.row)
                try delete.run()
                try keys.remove(row, bytes: bytes)
                if indexes[row.type] != nil { try fieldValues.remove(row: row.row) }
            }
            var newKeys = sortedNewKeys(of: flush, bytes)[...]
            let newKeyCount = newKeys.count
            func writeKeys(_ keys: ArraySlice<NewKey>) throws {
                let replaced = try self.keys.write(keys, of: flush.rows, bytes: bytes) { row, taken in
                    if indexes[row.type] != nil { try fieldValues.remove(row: taken) }
                }
                outcome.replacedCounts.merge(replaced, uniquingKeysWith: +)
            }
            let yieldRowCount = Processor.yieldRowCount(of: flush)
            try pipeline.forEachChunk(of: flush, bytes: bytes, dictionaries: dictionaries) { chunk in
                for (index, body) in zip(chunk.rows, chunk.bodies) {
                    if index % yieldRowCount == 0 { Processor.yield() }
                    let row = flush.rows[index]
                    switch row.change {
                    case .insert:
                        if inserts.isFull || !updates.isEmpty { try writeBatches() }
                        inserts.append(row, body: body)
                    case .update:
                        if updates.isFull || !inserts.isEmpty { try writeBatches() }
                        updates.append(row, body: body)
                    case .stamp:
                        try renewStamps(row, bytes: bytes, &outcome)
                    case .delete:
                        continue
                    }
                }
                // The bodies are valid only as long as the chunk.
                try writeBatches()
                // Keys are written between the chunks, in step with the rows, while helpers encode. If all keys were
                // written at the end, no helper would have work meanwhile.
                let dueCount = newKeyCount * chunk.rows.upperBound / flush.rows.count
                let count = KeyWriter.wholeRuns(of: dueCount - (newKeyCount - newKeys.count))
                try writeKeys(newKeys.prefix(count))
                newKeys = newKeys.dropFirst(count)
            }
            try writeKeys(newKeys)
            if !indexes.isEmpty { try writeFieldValues(flush, bytes, indexes) }
        }
        return outcome
    }

    /// Returns the keys of new rows, in the order of their table.
    private func sortedNewKeys(of flush: FlushBatch, _ bytes: UnsafeRawBufferPointer) -> [NewKey] {
        var newKeys: [NewKey] = []
        for (index, row) in flush.rows.enumerated() where row.change == .insert {
            newKeys.append(NewKey(row, id: row.id(in: bytes), index: index))
        }
        newKeys.sort { $0.precedes($1, rows: flush.rows, bytes: bytes) }
        return newKeys
    }

    /// Writes the values of indexed fields. A separate pass from the bodies, so that each of the two visits its own
    /// pages in order.
    private func writeFieldValues(
        _ flush: FlushBatch, _ bytes: UnsafeRawBufferPointer, _ indexes: [TypeIndex: [FieldIndexRecord]]
    ) throws {
        let yieldRowCount = Processor.yieldRowCount(of: flush)
        for (count, row) in flush.rows.enumerated() where row.change == .insert || row.change == .update {
            guard let wanted = indexes[row.type] else { continue }
            if count % yieldRowCount == 0 { Processor.yield() }
            try fieldValues.write(
                FieldOwner(row, in: bytes), payload: row.payload(in: bytes),
                Completeness(fields: row.fields(in: bytes)), of: wanted, isNew: row.change == .insert)
        }
    }

    // MARK: Batches

    /// Writes the collected rows. Rows are written in table order, so a batch ends when it is full or when the verb
    /// changes.
    private func writeBatches() throws {
        if !inserts.isEmpty { try inserts.write() }
        if !updates.isEmpty { try updates.write() }
        encoder.startBatch()
    }

    /// Writes a row with new stamps. The checksum covers the stamps, so the body is read, checked and sealed again.
    private func renewStamps(_ row: FlushRow, bytes: UnsafeRawBufferPointer, _ outcome: inout EntityOutcome) throws {
        let id = row.id(in: bytes)
        let fields = row.fields(in: bytes)
        read.bind(1, row.row)
        defer { read.reset() }
        guard try read.step() else {
            outcome.damaged.append(.init(key: row.storedKey(id: id), row: row.row, fault: .rowMissing))
            return
        }
        let record = EntityRecord(row: row.row, read, from: 0)
        guard let stored = record.body,
            let seal = PayloadSeal(library: row.library, type: row.type, isUUID: row.isUUID, stampsOf: record),
            PayloadDecoder.passesCheck(stored, id: id, seal: seal)
        else {
            outcome.damaged.append(.init(key: row.storedKey(id: id), row: row.row, fault: .checksumMismatch))
            return
        }
        if updates.isFull || !inserts.isEmpty || !encoder.hasRoom(for: stored.count + fields.count) {
            try writeBatches()
        }
        do throws(PayloadError) {
            updates.append(
                row,
                body: try encoder.reseal(
                    stored, id: id, seal: PayloadSeal(row), fields: fields, isReduced: row.isReduced))
        } catch {
            outcome.damaged.append(.init(key: row.storedKey(id: id), row: row.row, fault: error))
        }
    }
}
