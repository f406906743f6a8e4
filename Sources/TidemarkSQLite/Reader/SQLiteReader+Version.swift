import GRDBSQLite

extension SQLiteReader {
    /// The version of the SQLite library in this process, such as `3.40.1`.
    public static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
