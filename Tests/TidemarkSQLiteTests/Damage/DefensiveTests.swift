import Foundation
import GRDB
import GRDBSQLite
import TestTraits
import Testing
import Tidemark
import TidemarkStore

@testable import TidemarkSQLite

/// The schema of a file is never executed, even where the check of the schema would accept it.
@Suite(.pooled) struct DefensiveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func made(_ statements: [String]) throws {
        SQLiteShell.run(folder.file(), ["CREATE TABLE t (a)", "CREATE TABLE log (a)"] + statements)
    }

    private func number(_ sql: String) throws -> Int64? {
        var connection: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        return try PreparedStatement.number(try #require(connection), sql)
    }

    @Test func `no trigger runs when a file is written`() throws {
        try made(["CREATE TRIGGER evil AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); END"])
        let queue = try DataFileConnection.open(folder.file())
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try queue.close()
        #expect(try number("SELECT count(*) FROM t") == 1)
        #expect(try number("SELECT count(*) FROM log") == 0)
    }

    @Test func `a view in place of a table is refused, by writers and readers`() throws {
        try made(["CREATE VIEW v AS SELECT a FROM t"])
        let queue = try DataFileConnection.open(folder.file())
        #expect(throws: DatabaseError.self) {
            try queue.writeWithoutTransaction { _ = try Row.fetchAll($0, sql: "SELECT * FROM v") }
        }
        try queue.close()
        let connection = try ReadConnection(path: folder.file(), isImmutable: false)
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT * FROM v") }
        try connection.execute("SELECT * FROM t")
    }

    @Test func `the schema cannot be written as a table, by writers or readers`() throws {
        try made([])
        let queue = try DataFileConnection.open(folder.file())
        #expect(throws: DatabaseError.self) {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(sql: "DELETE FROM sqlite_schema")
            }
        }
        try queue.close()
        let connection = try ReadConnection(path: folder.file(), isImmutable: false)
        #expect(throws: SQLiteError.self) {
            try connection.execute("PRAGMA writable_schema = ON")
            try connection.execute("DELETE FROM sqlite_schema")
        }
    }

    @Test func `every connection distrusts the schema and checks the sizes of cells`() throws {
        try made([])
        let queue = try DataFileConnection.open(folder.file())
        let connection = try ReadConnection(path: folder.file(), isImmutable: false)
        for (pragma, value) in [("trusted_schema", 0), ("cell_size_check", 1)] as [(String, Int64)] {
            #expect(try PreparedStatement.number(connection.handle, "PRAGMA \(pragma)") == value)
            #expect(try queue.writeWithoutTransaction { try Int64.fetchOne($0, sql: "PRAGMA \(pragma)") } == value)
        }
        try queue.close()
    }

    @Test func `a trigger with a name reserved by SQLite makes a file foreign`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        try await journal.close()
        let sql = "CREATE TRIGGER sqlite_stat1 AFTER INSERT ON entities BEGIN DELETE FROM entities; END"
        SQLiteShell.run(
            folder.file(),
            [
                "PRAGMA writable_schema = ON",
                "INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_stat1', 'entities', 0, '\(sql)')",
            ])
        let bytes = try DamageFixture.contents(folder.file())
        await #expect(throws: StorageError.self) { try await SQLiteJournal.open(path: folder.file()) }
        #expect(throws: StorageError.self) { try SQLiteReader(path: folder.file()) }
        #expect(try DamageFixture.contents(folder.file()) == bytes)
    }

    @Test func `a file with statistics of ANALYZE is accepted`() async throws {
        var journal = try await SQLiteJournal.open(path: folder.file())
        try await journal.close()
        SQLiteShell.run(folder.file(), ["ANALYZE"])
        _ = try SQLiteReader(path: folder.file())
        journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.openingReport == .reopened)
        try await journal.close()
    }
}
