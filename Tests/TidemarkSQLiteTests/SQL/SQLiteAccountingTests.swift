import GRDBSQLite
import Testing
import TidemarkSQLite

@Suite struct SQLiteAccountingTests {
    @Test func `the process of the tests keeps no account of SQLite's memory`() throws {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        try #require(sqlite3_open(":memory:", &connection) == SQLITE_OK)
        #expect(sqlite3_memory_used() == 0)
    }

    @Test func `the accounting stays as it is where SQLite is in use`() throws {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        try #require(sqlite3_open(":memory:", &connection) == SQLITE_OK)
        #expect(!SQLiteAccounting.turnOff())
        #expect(sqlite3_exec(connection, "CREATE TABLE t (a)", nil, nil, nil) == SQLITE_OK)
    }
}
