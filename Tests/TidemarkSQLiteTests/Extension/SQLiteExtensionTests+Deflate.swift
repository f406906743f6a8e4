import GRDBSQLite
import Testing
import Tidemark
import TidemarkModel

@testable import TidemarkSQLite

/// Files whose data is compressed with raw deflate.
extension SQLiteExtensionTests {
    @Test(arguments: EntityLayout.allCases)
    func `the table has every entity of a file of deflate as a reader does`(layout: EntityLayout) async throws {
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        configuration.compression = .deflate
        configuration.layout = layout
        configuration.dictionarySampleCountMin = 40
        let journal = try await SQLiteJournal.open(configuration)
        let entities = MovedEntities(seed: 31, changeCount: 80)
        for flush in entities.flushes { try await journal.commit(flush) }
        try await journal.close()
        let connection = try open()
        defer { sqlite3_close(connection) }
        let found = rows(connection, SQLiteExtensionTests.names).map { text($0) }.sorted()
        #expect(found.count == entities.states.last?.count)
        #expect(try found == readerRows())
        #expect(rows(connection, "SELECT count(*) > 0 FROM dictionaries") == [["1"]])
    }
}
