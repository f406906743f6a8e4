import GRDB
import Tidemark
import TidemarkModel

/// The tables of a data file, and the migrations that add them to an older file.
///
/// - Source: docs/data-file.md, which explains each column.
enum DataFileSchema {
    /// A table of a data file, or one of SQLite's indexes over a table.
    struct Table {
        /// The first format that has the table.
        let version: Int32
        let name: String
        let sql: String
        /// The object's type in SQLite's schema table.
        var kind = "table"
    }

    /// All tables of a file of rows in the current format, except those of SQLite and of the migrator.
    static let tables =
        version1.map { Table(version: 1, name: $0.name, sql: $0.sql) } + [queries, layers, evicted] + fieldIndexes
        + httpAnswers

    private static let queries = Table(
        version: 2, name: "queries",
        sql: """
            CREATE TABLE queries (number INTEGER PRIMARY KEY, library INTEGER NOT NULL, type INTEGER NOT NULL, \
            method TEXT NOT NULL, input TEXT NOT NULL, tags TEXT NOT NULL, membership TEXT NOT NULL, \
            is_local INTEGER NOT NULL, time_to_live INTEGER, as_of INTEGER, stored_at INTEGER NOT NULL, \
            stale_since INTEGER, horizon BLOB, elements BLOB NOT NULL, checksum INTEGER NOT NULL)
            """)

    private static let layers = Table(
        version: 3, name: "layers",
        sql: """
            CREATE TABLE layers (number INTEGER PRIMARY KEY, pending_id TEXT NOT NULL, library TEXT NOT NULL, \
            flags INTEGER NOT NULL, awaited INTEGER, generation INTEGER NOT NULL, created_at INTEGER NOT NULL, \
            body BLOB NOT NULL, checksum INTEGER NOT NULL)
            """)

    private static let evicted = Table(
        version: 4, name: "evicted",
        sql: """
            CREATE TABLE evicted (number INTEGER PRIMARY KEY, library INTEGER NOT NULL, is_back INTEGER NOT NULL, \
            hashes BLOB NOT NULL, checksum INTEGER NOT NULL)
            """)

    /// The tables of field indexes. `field_values` has no NOT NULL, like `entities`: see docs/data-file.md.
    private static let fieldIndexes = [
        Table(
            version: 5, name: "indexes",
            sql: """
                CREATE TABLE indexes (number INTEGER PRIMARY KEY, type TEXT NOT NULL, path TEXT NOT NULL, \
                state INTEGER NOT NULL, built_library INTEGER, built_id BLOB, checksum INTEGER NOT NULL)
                """),
        Table(
            version: 5, name: "field_values",
            sql: """
                CREATE TABLE field_values (place INTEGER PRIMARY KEY, number INTEGER, library INTEGER, code BLOB, id BLOB)
                """),
        Table(
            version: 5, name: "field_values_in_order",
            sql: "CREATE INDEX field_values_in_order ON field_values (number, library, code, id)", kind: "index"),
    ]

    /// The tables of stored HTTP responses. Bodies are separate, so that heads are read without them.
    private static let httpAnswers = [
        Table(
            version: 6, name: "http_answers",
            sql: """
                CREATE TABLE http_answers (number INTEGER PRIMARY KEY, library TEXT NOT NULL, url TEXT NOT NULL, \
                "key" TEXT NOT NULL, is_session INTEGER NOT NULL, head BLOB NOT NULL, body_size INTEGER NOT NULL, \
                chunk_count INTEGER NOT NULL, stored_size INTEGER NOT NULL, answered_at INTEGER NOT NULL, \
                used_at INTEGER NOT NULL, hits INTEGER NOT NULL, checksum INTEGER NOT NULL)
                """),
        Table(
            version: 6, name: "http_chunks",
            sql: """
                CREATE TABLE http_chunks (place INTEGER PRIMARY KEY, size INTEGER NOT NULL, bytes BLOB NOT NULL, \
                checksum INTEGER NOT NULL)
                """),
        Table(
            version: 6, name: "http_answers_in_order",
            sql: "CREATE INDEX http_answers_in_order ON http_answers (library, url)", kind: "index"),
    ]

    /// The tables of a file of blocks, in addition to all others. `keys`, `entities` and `field_values` are empty
    /// there.
    static let blockTables =
        BlockTable.schema.map { table in
            let isNew = table.name == ChangeTable.name
            return Table(
                version: isNew ? DataFile.blockFormatVersion : DataFile.firstBlockFormatVersion, name: table.name,
                sql: table.sql)
        } + [
            Table(
                version: DataFile.firstBlockFormatVersion, name: "field_codes",
                sql: """
                    CREATE TABLE field_codes (number INTEGER, library INTEGER, id BLOB, code BLOB, \
                    PRIMARY KEY (number, library, id)) WITHOUT ROWID
                    """),
            Table(
                version: DataFile.firstBlockFormatVersion, name: "field_codes_in_order",
                sql: "CREATE INDEX field_codes_in_order ON field_codes (number, library, code, id)", kind: "index"),
        ]

    /// The table of records, which a file gets with its first one.
    private static let records = Table(
        version: DataFile.rowRecordFormatVersion, name: RecordTable.name, sql: RecordTable.schema)

    private static let version1: [(name: String, sql: String)] = [
        (
            "libraries",
            """
            CREATE TABLE libraries (library INTEGER PRIMARY KEY, name TEXT NOT NULL, epoch TEXT, \
            generation INTEGER NOT NULL, cursor INTEGER, is_stale INTEGER NOT NULL, \
            entity_count INTEGER NOT NULL, checksum INTEGER NOT NULL)
            """
        ),
        (
            "lost_ranges",
            """
            CREATE TABLE lost_ranges (library INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, \
            PRIMARY KEY (library, first)) WITHOUT ROWID
            """
        ),
        ("types", "CREATE TABLE types (type INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum INTEGER NOT NULL)"),
        (
            "keys",
            """
            CREATE TABLE keys (library INTEGER NOT NULL, type INTEGER NOT NULL, id BLOB NOT NULL, \
            "row" INTEGER NOT NULL, PRIMARY KEY (library, type, id)) WITHOUT ROWID
            """
        ),
        (
            "entities",
            """
            CREATE TABLE entities ("row" INTEGER PRIMARY KEY, sequence INTEGER, generation INTEGER, \
            written_at INTEGER, body BLOB)
            """
        ),
        (
            "tombstones",
            """
            CREATE TABLE tombstones (library INTEGER NOT NULL, type INTEGER NOT NULL, id BLOB NOT NULL, \
            number INTEGER NOT NULL, sequence INTEGER, generation INTEGER NOT NULL, \
            deleted_at INTEGER NOT NULL, PRIMARY KEY (library, type, id)) WITHOUT ROWID
            """
        ),
        (
            "quarantine",
            """
            CREATE TABLE quarantine (number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, reason TEXT NOT NULL, \
            line INTEGER NOT NULL, "offset" INTEGER NOT NULL, library TEXT, sequence INTEGER, \
            received_at INTEGER NOT NULL, byte_count INTEGER NOT NULL, bytes BLOB NOT NULL)
            """
        ),
        (
            "dictionaries",
            """
            CREATE TABLE dictionaries (dictionary INTEGER PRIMARY KEY, type INTEGER NOT NULL, \
            trained_at INTEGER NOT NULL, checksum INTEGER NOT NULL, body BLOB NOT NULL)
            """
        ),
        ("counters", "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID"),
        ("ignored_kinds", "CREATE TABLE ignored_kinds (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID"),
    ]

    /// The name of the migrator's own table.
    static let migrationsTable = "grdb_migrations"

    /// Returns the migrator, which brings an empty file or one of an older format to the current format of rows.
    ///
    /// Each migration writes the number of the format in the transaction that creates its tables, so that the two
    /// always agree.
    static func migrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            for table in tables where table.version == 1 { try db.execute(sql: table.sql) }
            try db.execute(sql: "PRAGMA application_id = \(DataFile.applicationID)")
            try db.execute(sql: "PRAGMA user_version = 1")
        }
        // From this version on, bodies of entities may have fields, which readers of version 1 do not know.
        migrator.registerMigration("v2") { db in
            for table in tables where table.version == 2 { try db.execute(sql: table.sql) }
            try db.execute(sql: "PRAGMA user_version = 2")
        }
        migrator.registerMigration("v3") { db in
            for table in tables where table.version == 3 { try db.execute(sql: table.sql) }
            try db.execute(sql: "PRAGMA user_version = 3")
        }
        // From this version on, bodies of entities may have format 3, which readers of version 3 do not know.
        migrator.registerMigration("v4") { db in
            for table in tables where table.version == 4 { try db.execute(sql: table.sql) }
            try db.execute(sql: "PRAGMA user_version = 4")
        }
        migrator.registerMigration("v5") { db in
            for table in tables where table.version == 5 { try db.execute(sql: table.sql) }
            try db.execute(sql: "PRAGMA user_version = 5")
        }
        migrator.registerMigration("v6") { db in
            for table in tables where table.version == 6 { try db.execute(sql: table.sql) }
            try db.execute(sql: "PRAGMA user_version = 6")
        }
        // From this version on, bodies of layers may have requests, which readers of version 6 do not know.
        migrator.registerMigration("v7") { db in try db.execute(sql: "PRAGMA user_version = 7") }
        return migrator
    }

    /// Adds the tables of blocks, in the current transaction.
    static func addBlocks(_ db: Database) throws {
        for table in blockTables { try db.execute(sql: table.sql) }
        let hasRecords = try RecordTable.exists(db)
        try setNumber(hasRecords ? DataFile.blockRecordFormatVersion : DataFile.blockFormatVersion, db)
    }

    /// Brings a file of blocks from format 8 to the current format. Its table `changes` begins empty, and describes the
    /// newest blocks once every segment was written again.
    ///
    /// - Throws: Errors of SQLite; nothing is changed then.
    static func upgradeBlocks(_ db: Database) throws {
        guard try format(db).number == DataFile.firstBlockFormatVersion else { return }
        try db.inTransaction(.immediate) {
            try db.execute(sql: ChangeTable.schema)
            try setNumber(DataFile.blockFormatVersion, db)
            return .commit
        }
    }

    /// Removes the tables of blocks, in the current transaction.
    static func removeBlocks(_ db: Database) throws {
        for table in blockTables where table.kind == "table" { try db.execute(sql: "DROP TABLE \(table.name)") }
        let hasRecords = try RecordTable.exists(db)
        try setNumber(hasRecords ? DataFile.rowRecordFormatVersion : DataFile.rowFormatVersion, db)
    }

    /// The result of comparing a file's schema with Tidemark's.
    enum Verdict: Equatable {
        /// The tables are those of the format.
        case ours
        /// The file has a table that no version of Tidemark creates.
        case foreign(String)
        /// The file lacks a table that every Tidemark file has, or has it with other columns.
        case damaged(String)
    }

    /// Compares a file's schema with Tidemark's.
    ///
    /// - Parameters:
    ///   - connection: A connection for reading, with one snapshot. Nothing is written.
    ///   - version: The format of the file, at most the newest one that the caller reads. Tables of newer formats may
    ///     be missing.
    /// - Throws: ``SQLiteError`` when the list cannot be read.
    static func inspect(_ connection: OpaquePointer, version: Int32) throws -> Verdict {
        var known = Dictionary(uniqueKeysWithValues: (tables + blockTables + [records]).map { ($0.name, $0) })
        var changed: String?
        var foreign: String?
        let statement = try PreparedStatement(connection, "SELECT type, name, sql FROM sqlite_schema")
        try statement.forEachRow { row in
            let kind = row.text(0).description
            let name = row.text(1).description
            if isOwnedBySQLite(kind: kind, name: name, sql: row.optionalText(2)?.description) { return }
            guard let table = known[name], table.kind == kind, known.removeValue(forKey: name) != nil else {
                foreign = foreign ?? "\(kind) \(name)"
                return
            }
            if row.text(2).description != table.sql { changed = "\(kind) \(name) has other columns" }
            if !isKnown(table, in: version) {
                changed = "\(kind) \(name) is of format \(table.version), not \(version)"
            }
        }
        if let foreign { return .foreign(foreign) }
        if let changed { return .damaged(changed) }
        if let missing = known.values.filter({ isKnown($0, in: version) }).min(by: { $0.name < $1.name }) {
            return .damaged("\(missing.kind) \(missing.name) is missing")
        }
        return .ours
    }

    /// Returns true if a file of a format has a table.
    private static func isKnown(_ table: Table, in version: Int32) -> Bool {
        if blockTables.contains(where: { $0.name == table.name }), DataFile.isOfRows(version) { return false }
        return table.version <= version
    }

    /// Returns true if SQLite or the migrator created an object. A similar name proves nothing: an entry of the schema
    /// need not have been written by SQLite.
    private static func isOwnedBySQLite(kind: String, name: String, sql: String?) -> Bool {
        guard let sql else { return kind == "index" && name.hasPrefix("sqlite_autoindex_") }
        return kind == "table" && ownedTables[name] == sql
    }

    /// The migrator's table, and the tables that `ANALYZE` leaves when somebody runs it.
    private static let ownedTables = [
        migrationsTable: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
        "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
        "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
    ]

    /// Checks a file whose header has the Tidemark mark, and refuses it if it is not a Tidemark file.
    ///
    /// Without a log, the file is read as immutable, so that no file appears beside one of another program. With a log,
    /// the log is read, too, still read-only.
    ///
    /// - Throws: ``/Tidemark/StorageError`` `.notOurs`, `.newerFormat` or `.codecMissing`; ``SQLiteError`` for damage,
    ///   or as SQLite returned it.
    static func check(_ file: DataFilePath) throws {
        let hasLog = DataFilePath.byteCount(file.writeAheadLog) ?? 0 > 0
        let connection = try ReadConnection(path: file.path, isImmutable: !hasLog)
        // One snapshot covers both reads, because a writer may upgrade the file between them.
        try connection.execute("BEGIN")
        let version = try version(connection.handle)
        // The main file's header was checked before, but a newer program's upgrade may still be in the log.
        let header = FileHeader(version: try storedVersion(connection.handle))
        if let refusal = header.refusal(path: file.path) { throw refusal }
        let verdict = try withExtendedLifetime(connection) { try inspect(connection.handle, version: version) }
        try connection.execute("COMMIT")
        switch verdict {
        case .ours:
            if LogIdentity.isForeign(file) { throw SQLiteError.damaged("the log beside it is another file's") }
        case .foreign(let what):
            throw StorageError(
                .notOurs, "\(file.path) holds the \(what), which tidemark did not make; it was not changed",
                advice: "pass another file name")
        case .damaged(let reason): throw SQLiteError.damaged(reason)
        }
    }
}
