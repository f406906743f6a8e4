import GRDB
import TestTraits
import Testing
import TidemarkTesting

@testable import TidemarkSQLite

@Suite(.pooled) struct AuthorizerTests {
    /// A region that grew would show that GRDB notes what statements read, for observers that no connection has.
    private func region(_ database: JournalDatabase) throws -> DatabaseRegion {
        try database.queue.inDatabase { db in
            try db.makeStatement(sql: "SELECT name, value FROM counters").databaseRegion
        }
    }

    @Test func `connections keep no account of what statements read`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/cache.db"
        try await SQLiteJournal.open(path: path).close()
        let configuration = SQLiteJournal.Configuration(path: path)
        let writer = try JournalDatabase(DataFilePath(path), configuration)
        _ = try writer.recover()
        let follower = try JournalDatabase(following: DataFilePath(path), configuration)
        _ = try follower.recover()
        #expect(try region(writer) == DatabaseRegion())
        #expect(try region(follower) == DatabaseRegion())
        try follower.close()
        try writer.close()
    }
}
