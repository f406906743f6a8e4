import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Reads one entity by its key.
final class EntityReader {
    private let find: PreparedStatement
    private let findRow: PreparedStatement

    /// The result of reading one entity.
    enum Answer {
        /// The entity, which passed its check.
        case found(StoredEntity)
        /// No such entity is stored.
        case absent
        /// The entity is stored and fails its check. The row is 0 in a file of blocks.
        case damaged(row: Int64, fault: PayloadError)
    }

    init(_ connection: OpaquePointer) throws {
        find = try PreparedStatement(
            connection,
            """
            SELECT k."row", e.sequence, e.generation, e.written_at, e.body FROM keys k
            LEFT JOIN entities e ON e."row" = k."row" WHERE k.library = ? AND k.type = ? AND k.id = ?
            """)
        findRow = try PreparedStatement(
            connection, #"SELECT "row" FROM keys WHERE library = ? AND type = ? AND id = ?"#)
    }

    /// Returns the number of a key's row, which may be missing; nil when there is no such key.
    ///
    /// - Throws: ``SQLiteError``.
    func row(of key: StoredKey) throws -> Int64? {
        findRow.bind(key, from: 1)
        defer { findRow.reset() }
        return try findRow.step() ? findRow.integer(0) : nil
    }

    /// Reads, checks and unpacks an entity.
    ///
    /// - Throws: ``SQLiteError``. A row that fails its check is an answer, not an error.
    func read(
        _ key: StoredKey, _ decoder: PayloadDecoder, _ dictionaries: [Int64: PayloadDictionary]
    ) throws -> Answer {
        find.bind(key, from: 1)
        defer { find.reset() }
        guard try find.step() else { return .absent }
        return EntityReader.answer(find, key: key, decoder, dictionaries)
    }

    /// Checks and unpacks the current row of a statement.
    ///
    /// - Parameter row: A row with the columns that ``EntityRecord/init(_:from:)`` reads.
    static func answer(
        _ row: PreparedStatement, from column: Int32 = 0, key: StoredKey, _ decoder: PayloadDecoder,
        _ dictionaries: [Int64: PayloadDictionary]
    ) -> Answer {
        answer(EntityRecord(row, from: column), key: key, decoder, dictionaries)
    }

    /// Checks and unpacks a row.
    ///
    /// - Complexity: O(payload).
    static func answer(
        _ record: EntityRecord, key: StoredKey, _ decoder: PayloadDecoder, _ dictionaries: [Int64: PayloadDictionary]
    ) -> Answer {
        guard let body = record.body else { return .damaged(row: record.row, fault: .rowMissing) }
        guard let seal = PayloadSeal(library: key.library, type: key.type, isUUID: key.id.isUUID, stampsOf: record)
        else {
            return .damaged(row: record.row, fault: .checksumMismatch)
        }
        let content = key.id.withBytes { id in
            Result { () throws(PayloadError) in
                let payload = try decoder.decode(body, id: id, seal: seal, dictionaries: dictionaries)
                return (payload: payload, fields: try PayloadDecoder.fields(body))
            }
        }
        switch content {
        case .success(let content):
            // A checksum can be forged, and the code that reads and merges entities relies on the form of the payload.
            guard CompactJSON.isObject(content.payload) else { return .damaged(row: record.row, fault: .notJSON) }
            return .found(
                StoredEntity(
                    key: key, row: record.row, payload: content.payload, fields: content.fields,
                    sequence: seal.sequence.map { EventSequence($0) }, generation: seal.generation,
                    writtenAt: seal.writtenAt))
        case .failure(let fault):
            return .damaged(row: record.row, fault: fault)
        }
    }
}
