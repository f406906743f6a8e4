import GRDBSQLite

extension SQLiteReader {
    /// The version of the SQLite that this process runs with, such as `3.40.1`.
    public static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
