import TidemarkModel
import TidemarkStore

/// Writes the rows of a flush: the tables `entities` and `keys`.
///
/// The hot loop of the durable side. Rows come in the order of the table, so that SQLite walks its pages
/// once; values are bound by pointer; the keys of new rows are sorted first for the same reason.
final class EntityWriter {
    private let insert: PreparedStatement
    private let update: PreparedStatement
    private let read: PreparedStatement
    private let delete: PreparedStatement
    private let insertKey: PreparedStatement
    private let deleteKey: PreparedStatement
    private let readKey: PreparedStatement
    private let moveKey: PreparedStatement
    private let encoder: PayloadEncoder

    /// What a flush met besides what it was told.
    struct Outcome {
        /// Keys that were taken by a row nobody knew of, by library: rows that failed their check and so
        /// were taken for absent. They made room.
        var replacedRowCounts: [LibraryIndex: Int64] = [:]
        /// Rows whose stamps could not be renewed.
        var damaged: [(key: StoredKey, row: Int64, fault: PayloadFault)] = []
    }

    init(_ connection: OpaquePointer, encoder: PayloadEncoder) throws {
        self.encoder = encoder
        insert = try PreparedStatement(
            connection, #"INSERT INTO entities ("row", sequence, generation, written_at, body) VALUES (?5, ?1, ?2, ?3, ?4)"#)
        update = try PreparedStatement(
            connection, #"UPDATE entities SET sequence = ?1, generation = ?2, written_at = ?3, body = ?4 WHERE "row" = ?5"#)
        read = try PreparedStatement(
            connection, #"SELECT sequence, generation, written_at, body FROM entities WHERE "row" = ?"#)
        delete = try PreparedStatement(connection, #"DELETE FROM entities WHERE "row" = ?"#)
        insertKey = try PreparedStatement(connection, #"INSERT INTO keys (library, type, id, "row") VALUES (?, ?, ?, ?)"#)
        deleteKey = try PreparedStatement(
            connection, #"DELETE FROM keys WHERE library = ? AND type = ? AND id = ? AND "row" = ?"#)
        readKey = try PreparedStatement(connection, #"SELECT "row" FROM keys WHERE library = ? AND type = ? AND id = ?"#)
        moveKey = try PreparedStatement(
            connection, #"UPDATE keys SET "row" = ?4 WHERE library = ?1 AND type = ?2 AND id = ?3"#)
    }

    /// - Parameter dictionaries: By type.
    /// - Throws: ``SQLiteFailure``; the transaction is to be rolled back.
    /// - Complexity: O(n log n) for new rows, O(n) for others; 2 µs a row of 450 bytes.
    func write(_ flush: FlushBatch, dictionaries: [TypeIndex: PayloadDictionary]) throws -> Outcome {
        var outcome = Outcome()
        var newKeys: [NewKey] = []
        try flush.bytes.withUnsafeBytes { bytes in
            // Deletes first: an entity that was deleted and came back has the key of a row that goes away.
            for row in flush.rows where row.change == .delete {
                try remove(row, id: row.id(in: bytes))
            }
            var lastType: TypeIndex?
            var dictionary: PayloadDictionary?
            for (index, row) in flush.rows.enumerated() {
                if row.type != lastType {
                    lastType = row.type
                    dictionary = dictionaries[row.type]
                }
                let id = row.id(in: bytes)
                switch row.change {
                case .insert:
                    newKeys.append(NewKey(row, id: id, index: index))
                    let body = encoder.encode(
                        row.payload(in: bytes), id: id, seal: PayloadSeal(row), dictionary: dictionary, isPadded: true)
                    try run(insert, row, body: body)
                case .update:
                    let body = encoder.encode(
                        row.payload(in: bytes), id: id, seal: PayloadSeal(row), dictionary: dictionary, isPadded: false)
                    try run(update, row, body: body)
                    guard update.changedRowCount == 1 else {
                        throw SQLiteFailure.damaged("row \(row.row) is missing")
                    }
                case .stamp:
                    try renewStamps(row, id: id, &outcome)
                case .delete:
                    continue
                }
            }
            newKeys.sort { $0.precedes($1, rows: flush.rows, bytes: bytes) }
            for key in newKeys {
                try addKey(flush.rows[key.index], bytes: bytes, &outcome)
            }
        }
        return outcome
    }

    // MARK: One row

    @inline(__always)
    private func run(_ statement: PreparedStatement, _ row: FlushRow, body: UnsafeRawBufferPointer) throws {
        statement.bind(1, row.sequence?.rawValue)
        statement.bind(2, Int64(row.generation))
        statement.bind(3, row.writtenAt)
        statement.bindBorrowed(4, blob: body)
        statement.bind(5, row.row)
        try statement.run()
    }

    private func remove(_ row: FlushRow, id: UnsafeRawBufferPointer) throws {
        delete.bind(1, row.row)
        try delete.run()
        deleteKey.bindBorrowed(library: row.library, type: row.type, id: id, isUUID: row.isUUID, from: 1)
        deleteKey.bind(4, row.row)
        try deleteKey.run()
    }

    /// The check covers the stamps, so the body is read, checked and sealed anew.
    private func renewStamps(_ row: FlushRow, id: UnsafeRawBufferPointer, _ outcome: inout Outcome) throws {
        read.bind(1, row.row)
        defer { read.reset() }
        guard try read.step() else {
            outcome.damaged.append((row.storedKey(id: id), row.row, .rowMissing))
            return
        }
        let stored = read.borrowedBytes(3)
        guard let seal = PayloadSeal(row, stampsOf: read, from: 0),
            PayloadDecoder.passesCheck(stored, id: id, seal: seal)
        else {
            outcome.damaged.append((row.storedKey(id: id), row.row, .checksumMismatch))
            return
        }
        let body = encoder.reseal(stored, id: id, seal: PayloadSeal(row))
        read.reset()
        try run(update, row, body: body)
    }

    private func addKey(_ row: FlushRow, bytes: UnsafeRawBufferPointer, _ outcome: inout Outcome) throws {
        let id = row.id(in: bytes)
        insertKey.bindBorrowed(library: row.library, type: row.type, id: id, isUUID: row.isUUID, from: 1)
        insertKey.bind(4, row.row)
        if try insertKey.runUnlessTaken() { return }
        readKey.bindBorrowed(library: row.library, type: row.type, id: id, isUUID: row.isUUID, from: 1)
        let taken = try readKey.step() ? readKey.integer(0) : nil
        readKey.reset()
        guard let taken, taken != row.row else {
            throw SQLiteFailure.damaged("the key of row \(row.row) is neither free nor taken")
        }
        delete.bind(1, taken)
        try delete.run()
        moveKey.bindBorrowed(library: row.library, type: row.type, id: id, isUUID: row.isUUID, from: 1)
        moveKey.bind(4, row.row)
        try moveKey.run()
        outcome.replacedRowCounts[row.library, default: 0] += 1
    }
}

extension FlushRow {
    func id(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[idOffset..<idOffset + idCount])
    }

    func payload(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[payloadOffset..<payloadOffset + payloadCount])
    }

    func storedKey(id: UnsafeRawBufferPointer) -> StoredKey {
        let uuid = isUUID ? UUIDValue(bytes: id) : nil
        return StoredKey(library: library, type: type, id: uuid.map { .uuid($0) } ?? .text(ByteString(id)))
    }
}

extension PayloadSeal {
    /// The seal of a row as it is to be written.
    init(_ row: FlushRow) {
        self.init(
            library: row.library, type: row.type, isUUID: row.isUUID, sequence: row.sequence?.rawValue,
            generation: row.generation, writtenAt: row.writtenAt)
    }

    /// The seal of the same entity with the stamps that are stored.
    ///
    /// - Returns: nil when they are none that were ever written.
    init?(_ row: FlushRow, stampsOf statement: PreparedStatement, from column: Int32) {
        self.init(
            library: row.library, type: row.type, isUUID: row.isUUID, stampsOf: statement, from: column)
    }

    /// - Returns: nil when the stamps are none that were ever written.
    init?(
        library: LibraryIndex, type: TypeIndex, isUUID: Bool, stampsOf statement: PreparedStatement, from column: Int32
    ) {
        guard let generation = UInt32(exactly: statement.integer(column + 1)) else { return nil }
        self.init(
            library: library, type: type, isUUID: isUUID, sequence: statement.optionalInteger(column),
            generation: generation, writtenAt: statement.integer(column + 2))
    }
}
