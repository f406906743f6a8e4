import GRDB
import TidemarkModel

/// The tables of a data file, and how an older file gets them.
///
/// - Source: docs/data-file.md, which says what each column means.
enum DataFileSchema {
    /// Everything that a file of the current format holds besides SQLite's and the migrator's own tables.
    static let tables: [(name: String, sql: String)] = [
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

    /// The migrator's own table.
    static let migrationsTable = "grdb_migrations"

    /// Brings a file of any older format, or an empty one, to the current format.
    ///
    /// Each step writes the format's number in the transaction that makes its tables, so that the two
    /// cannot disagree.
    static func migrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            for table in tables {
                try db.execute(sql: table.sql)
            }
            try db.execute(sql: "PRAGMA application_id = \(DataFile.applicationID)")
            try db.execute(sql: "PRAGMA user_version = 1")
        }
        return migrator
    }

    /// What a file's own list of tables says about whose it is.
    enum Verdict: Equatable {
        case ours
        /// Holds something that no version of ours makes.
        case foreign(String)
        /// Lacks something that every file of ours has.
        case damaged(String)
    }

    /// - Parameter connection: Open for reading; nothing is written.
    /// - Throws: ``SQLiteFailure`` when the list cannot be read.
    static func inspect(_ connection: OpaquePointer) throws -> Verdict {
        var wanted = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0.sql) })
        var changed: String?
        var foreign: String?
        let statement = try PreparedStatement(connection, "SELECT type, name, sql FROM sqlite_schema")
        try statement.forEachRow { row in
            let kind = row.text(0).description
            let name = row.text(1).description
            if name.hasPrefix("sqlite_") || name == migrationsTable { return }
            guard kind == "table", let sql = wanted.removeValue(forKey: name) else {
                foreign = foreign ?? "\(kind) \(name)"
                return
            }
            if row.text(2).description != sql { changed = "table \(name) has other columns" }
        }
        if let foreign { return .foreign(foreign) }
        if let changed { return .damaged(changed) }
        if let missing = wanted.keys.min() { return .damaged("table \(missing) is missing") }
        return .ours
    }
}
