import Testing
import TidemarkSQLite
import TidemarkTesting

@Suite struct JournalConformanceTests {
    @Test(arguments: UInt64(1)...6) func `a journal on disk keeps what it was given`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try await JournalConformance().run(seed: seed) { try await SQLiteJournal.open(path: folder.file()) }
        let report = try SQLiteReader(path: folder.file()).verify(isValid: { _ in true })
        #expect(report.problems == [])
    }

    @Test(arguments: UInt64(1)...12) func `a journal in memory keeps what it was given`(seed: UInt64) async throws {
        let store = MemoryJournal.Store()
        try await JournalConformance().run(seed: seed) { MemoryJournal(store: store) }
    }
}
