import GRDBSQLite
import TidemarkModel
import TidemarkSQLite
import TidemarkStore

/// An entity's body, forged by someone who can compute checks.
struct ForgedEntity {
    var key: EntityKey
    var sequence: Int64?
    var generation: UInt32 = 0
    var writtenAt: Int64 = 1_700_000_000_000
    /// The header and the bytes after it.
    var covered: [UInt8]

    /// The SQL that replaces the entity's body. Libraries and types have numbers in the order of their first use.
    var statement: String {
        let id = StoredID(key.id)
        let (bytes, literal, isUUID) =
            switch id {
            case .uuid(let value): (value.bytes, value.bytes.sqlLiteral, true)
            case .text(let text): (text.bytes, "'\(text)'", false)
            }
        let (library, type) = (key.library == "" ? 0 : 1, key.type == "tag" ? 0 : 1)
        let seal = PayloadSeal(
            library: LibraryIndex(library), type: TypeIndex(type), isUUID: isUUID, sequence: sequence,
            generation: generation, writtenAt: writtenAt)
        let seed = bytes.withUnsafeBytes { seal.seed(id: $0) }
        let check = UInt32(truncatingIfNeeded: covered.withUnsafeBytes { Checksum.xxh64($0, seed: seed) })
        let body = withUnsafeBytes(of: check.littleEndian) { Array($0) } + covered
        return """
            UPDATE entities SET body = \(body.sqlLiteral), generation = \(generation), written_at = \(writtenAt), \
            sequence = \(sequence.map { "\($0)" } ?? "NULL") WHERE "row" = (SELECT "row" FROM keys WHERE library = \(library) \
            AND type = \(type) AND id = \(literal))
            """
    }
}

/// A layer's body with a valid check.
struct ForgedLayer {
    var number: Int64
    var createdAt: Int64 = 1_700_000_000_000
    var body: [UInt8]

    var statement: String {
        let record = LayerRecord(
            number: number, pendingID: ByteString("edit-\(number)"), library: 1, createdAt: createdAt,
            changes: [])
        let checksum = body.withUnsafeBytes { LayerTable.checksum(record, library: "a", flags: 0, body: $0) }
        return """
            UPDATE layers SET body = \(body.sqlLiteral), created_at = \(createdAt), checksum = \(checksum) \
            WHERE number = \(number)
            """
    }
}

/// A row of the tables of blocks that was changed and sealed again.
struct ForgedBlockRow {
    enum Table: String, CaseIterable {
        case blocks, segments, changes
        case keyRuns = "key_runs"

        /// The columns with the row's number, and with the other number that its check covers.
        fileprivate var numbers: String {
            switch self {
            case .blocks: "number, 0"
            case .segments: "segment, through"
            case .changes: "number, after"
            case .keyRuns: "place, 0"
            }
        }
    }

    var table: Table
    /// The place of the row in its table; beyond the last row it begins again.
    var place: Int
    /// The bytes that are replaced, by their offsets, which begin again beyond the last byte.
    var edits: [(offset: Int, byte: UInt8)]

    /// Forges the row in a file; does nothing where there is none, or where the result cannot have a check.
    func apply(to connection: OpaquePointer) {
        var rows: [(number: Int64, other: Int64, body: [UInt8])] = []
        var statement: OpaquePointer?
        let sql = "SELECT \(table.numbers), body FROM \(table.rawValue)"
        if sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK {
            while sqlite3_step(statement) == SQLITE_ROW {
                let body = UnsafeRawBufferPointer(
                    start: sqlite3_column_blob(statement, 2), count: Int(sqlite3_column_bytes(statement, 2)))
                rows.append((sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1), Array(body)))
            }
        }
        sqlite3_finalize(statement)
        guard !rows.isEmpty else { return }
        var row = rows[place % rows.count]
        guard !row.body.isEmpty else { return }
        for edit in edits { row.body[edit.offset % row.body.count] = edit.byte }
        guard
            let sealed = BlockRowSeal.sealed(
                row.body, table: table.rawValue, number: row.number, other: row.other, of: connection)
        else { return }
        let key = table.numbers.prefix { $0 != "," }
        let update = "UPDATE \(table.rawValue) SET body = \(sealed.sqlLiteral) WHERE \(key) = \(row.number)"
        sqlite3_exec(connection, update, nil, nil, nil)
    }
}

extension [UInt8] {
    fileprivate var sqlLiteral: String {
        let digits = Array("0123456789abcdef".utf8)
        return "x'\(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }.text)'"
    }
}
