import GRDB

/// Reads and writes the number at offset 60: the format of a file, and how its data is compressed.
extension DataFileSchema {
    /// Returns the number of a file's format in the connection's snapshot, with changes that are still in its log.
    static func version(_ connection: OpaquePointer) throws -> Int32 {
        let version = try storedVersion(connection)
        return FileFormat(version: version)?.number ?? version
    }

    /// Returns the number in a file's header, which is not only that of its format: see ``FileFormat``.
    static func storedVersion(_ connection: OpaquePointer) throws -> Int32 {
        Int32(clamping: try PreparedStatement.number(connection, "PRAGMA user_version") ?? 0)
    }

    /// Returns the format that a file's tables and migrations show, whatever its header says; nil when they cannot be
    /// read.
    static func versionOfTables(_ connection: OpaquePointer) -> Int32? {
        do {
            func has(_ table: String) throws -> Bool {
                try PreparedStatement.number(
                    connection, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'") == 1
            }
            let hasRecords = try has(RecordTable.name)
            if try has(ChangeTable.name) {
                return hasRecords ? DataFile.blockRecordFormatVersion : DataFile.blockFormatVersion
            }
            for table in BlockTable.schema where try has(table.name) { return DataFile.firstBlockFormatVersion }
            if hasRecords { return DataFile.rowRecordFormatVersion }
            let number = try PreparedStatement.number(
                connection, "SELECT max(CAST(substr(identifier, 2) AS INTEGER)) FROM \(migrationsTable)")
            return number.flatMap { 1...Int64(DataFile.rowFormatVersion) ~= $0 ? Int32($0) : nil }
        } catch {
            return nil
        }
    }

    /// Writes into the file's format that data is compressed by a method from now on, before any is.
    ///
    /// - Parameter isNew: True if the file has no data yet.
    /// - Throws: Errors of SQLite; nothing is changed then.
    static func declare(_ compressions: Set<DataCompression>, isNew: Bool = false, _ db: Database) throws {
        let old = try format(db)
        let new = FileFormat(
            number: old.number, compressions: isNew ? compressions : old.compressions.union(compressions))
        guard new != old else { return }
        try db.execute(sql: "PRAGMA user_version = \(new.version)")
    }

    /// Writes another number of the format, in the current transaction.
    static func setNumber(_ number: Int32, _ db: Database) throws {
        let new = FileFormat(number: number, compressions: try format(db).compressions)
        try db.execute(sql: "PRAGMA user_version = \(new.version)")
    }

    /// Writes another number of the format, in the current transaction.
    ///
    /// - Throws: ``SQLiteError``.
    static func setNumber(_ number: Int32, _ connection: OpaquePointer) throws {
        let version = try storedVersion(connection)
        guard let old = FileFormat(version: version) else { throw SQLiteError.damaged("its format is \(version)") }
        let new = FileFormat(number: number, compressions: old.compressions)
        try PreparedStatement(connection, "PRAGMA user_version = \(new.version)").run()
    }

    /// Returns the format of a file.
    static func format(_ db: Database) throws -> FileFormat {
        let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard let format = FileFormat(version: version) else { throw SQLiteError.damaged("its format is \(version)") }
        return format
    }
}
