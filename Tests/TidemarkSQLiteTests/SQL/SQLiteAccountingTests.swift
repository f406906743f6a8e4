import GRDBSQLite
import TestTraits
import Testing
import TidemarkSQLite

@Suite(.pooled) struct SQLiteAccountingTests {
    @Test func `a process that has not used SQLite turns its accounting off`() async {
        await #expect(processExitsWith: .success) {
            try #require(SQLiteAccounting.turnOff())
            var connection: OpaquePointer?
            try #require(sqlite3_open(":memory:", &connection) == SQLITE_OK)
            try #require(sqlite3_memory_used() == 0 && sqlite3_close(connection) == SQLITE_OK)
        }
    }

    @Test func `the accounting stays as it is where SQLite is in use`() throws {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        try #require(sqlite3_open(":memory:", &connection) == SQLITE_OK)
        #expect(!SQLiteAccounting.turnOff())
        #expect(sqlite3_exec(connection, "CREATE TABLE t (a)", nil, nil, nil) == SQLITE_OK)
    }
}
