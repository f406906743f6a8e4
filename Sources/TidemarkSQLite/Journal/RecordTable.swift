import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// The table `records`: what parts of a cache keep beside the entities, such as the definitions of views.
///
/// A file gets the table, and the format that has it, with its first record, so that a file without records stays
/// readable for older programs.
struct RecordTable {
    static let name = "records"
    static let schema = """
        CREATE TABLE records (kind TEXT NOT NULL, "key" TEXT NOT NULL, body BLOB NOT NULL, checksum INTEGER NOT NULL, \
        PRIMARY KEY (kind, "key")) WITHOUT ROWID
        """

    /// Makes the changes of records in the current transaction.
    ///
    /// - Returns: The other changes.
    /// - Throws: ``SQLiteError``.
    static func write(
        _ attached: [any AttachedChange], into connection: OpaquePointer
    ) throws -> [any AttachedChange] {
        if attached.contains(where: { $0 is DerivedRecordsRemoval }), try exists(connection) {
            let remove = try PreparedStatement(connection, "DELETE FROM records WHERE kind GLOB ?")
            remove.bind(1, text: ByteString(Array("*".utf8) + RecordChange.derivedSuffix.bytes))
            try remove.run()
        }
        try write(attached.compactMap { $0 as? RecordChange }, into: connection)
        return attached.filter { !($0 is RecordChange || $0 is DerivedRecordsRemoval) }
    }

    /// Makes changes in the current transaction.
    ///
    /// - Throws: ``SQLiteError``.
    static func write(_ changes: [RecordChange], into connection: OpaquePointer) throws {
        guard !changes.isEmpty else { return }
        if try !exists(connection) {
            guard changes.contains(where: { $0.body != nil }) else { return }
            let number = DataFile.withRecords(try DataFileSchema.version(connection))
            try PreparedStatement(connection, schema).run()
            try DataFileSchema.setNumber(number, connection)
        }
        let put = try PreparedStatement(
            connection, "INSERT OR REPLACE INTO records (kind, \"key\", body, checksum) VALUES (?, ?, ?, ?)")
        let remove = try PreparedStatement(connection, "DELETE FROM records WHERE kind = ? AND \"key\" = ?")
        for change in changes {
            let statement = change.body == nil ? remove : put
            statement.bind(1, text: change.kind)
            statement.bind(2, text: change.key)
            if let body = change.body {
                statement.bind(3, blob: body)
                statement.bind(4, checksum(change.kind, change.key, body))
            }
            try statement.run()
        }
    }

    /// Reads the sound records of a kind.
    ///
    /// - Throws: ``SQLiteError``.
    static func read(_ connection: OpaquePointer, kind: ByteString) throws -> [ByteString: [UInt8]] {
        guard try exists(connection) else { return [:] }
        var records: [ByteString: [UInt8]] = [:]
        let statement = try PreparedStatement(connection, "SELECT \"key\", body, checksum FROM records WHERE kind = ?")
        statement.bind(1, text: kind)
        try statement.forEachRow { row in
            let (key, body) = (row.text(0), Array(row.borrowedBytes(1)))
            if checksum(kind, key, body) == row.integer(2) { records[key] = body }
        }
        return records
    }

    /// Returns the keys of the records that fail their check.
    ///
    /// - Throws: ``SQLiteError``.
    static func damaged(_ connection: OpaquePointer) throws -> [(kind: ByteString, key: ByteString)] {
        guard try exists(connection) else { return [] }
        var damaged: [(kind: ByteString, key: ByteString)] = []
        let statement = try PreparedStatement(connection, "SELECT kind, \"key\", body, checksum FROM records")
        try statement.forEachRow { row in
            let (kind, key) = (row.text(0), row.text(1))
            if checksum(kind, key, Array(row.borrowedBytes(2))) != row.integer(3) { damaged.append((kind, key)) }
        }
        return damaged
    }

    static func exists(_ db: Database) throws -> Bool { try Int.fetchOne(db, sql: existence) == 1 }

    static func exists(_ connection: OpaquePointer) throws -> Bool {
        try PreparedStatement.number(connection, existence) == 1
    }

    private static let existence = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(name)'"

    /// The checksum of a record, as its row stores it.
    static func checksum(_ kind: ByteString, _ key: ByteString, _ body: [UInt8]) -> Int64 {
        var checksum = RecordChecksum()
        checksum.add(kind)
        checksum.add(key)
        checksum.add(ByteString(body))
        return checksum.value
    }
}

extension SQLiteJournal: RecordStorage {
    /// Reads the sound records of a kind.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    package func records(of kind: ByteString) throws(StorageError) -> [ByteString: [UInt8]] {
        let database = try openDatabase()
        do {
            return try database.records(of: kind)
        } catch {
            throw SQLiteError.storageError(error, path: file.path)
        }
    }
}

extension JournalDatabase {
    func records(of kind: ByteString) throws -> [ByteString: [UInt8]] {
        try RecordTable.read(try openStatements().connection, kind: kind)
    }
}

extension SQLiteReader {
    /// Reads the sound records of a kind.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    package func records(of kind: ByteString) throws(StorageError) -> [ByteString: [UInt8]] {
        do {
            return try RecordTable.read(connection.handle, kind: kind)
        } catch {
            throw SQLiteError.storageError(error, path: file.path)
        }
    }
}
