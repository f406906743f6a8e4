import Testing
import Tidemark
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

@Suite struct JournalConformanceTests {
    @Test(arguments: UInt64(1)...6) func `a journal on disk keeps its promises`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try await JournalConformance().run(seed: seed) { try await SQLiteJournal.open(path: folder.file()) }
        let report = try SQLiteReader(path: folder.file()).verify(isValid: { _ in true })
        #expect(report.problems == [])
    }

    @Test(arguments: UInt64(1)...4) func `a rebuilt journal on disk is as a new one`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try await JournalConformance().runRebuild(seed: seed) { try await SQLiteJournal.open(path: folder.file()) }
    }

    private func open(_ path: String, _ layout: EntityLayout) async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.layout = layout
        // So that some types get a dictionary.
        configuration.dictionarySampleCountMin = 60
        return try await SQLiteJournal.open(configuration)
    }

    @Test(arguments: UInt64(1)...8) func `a journal on disk in blocks keeps its promises`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        var conformance = JournalConformance()
        conformance.numbersRows = false
        try await conformance.run(seed: seed) { try await open(folder.file(), .blocks) }
        #expect(throws: StorageError.self) { try SQLiteReader(path: folder.file()) }
        await #expect(throws: StorageError.self) { try await open(folder.file(), .rows) }
    }

    @Test(arguments: UInt64(1)...4) func `a rebuilt journal on disk in blocks is as a new one`(
        seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder()
        var conformance = JournalConformance()
        conformance.numbersRows = false
        try await conformance.runRebuild(seed: seed) { try await open(folder.file(), .blocks) }
    }

    private static let indexes = ["type-0./size", "type-0./name", "type-1./size", "type-2./text", "type-3./name"]
        .compactMap { FieldIndex($0) }

    @Test(arguments: UInt64(1)...6) func `a journal with indexes returns all entities that fulfil a constraint`(
        seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder()
        let conformance = JournalConformance.withIndexes(JournalConformanceTests.indexes)
        try await conformance.run(seed: seed) { try await SQLiteJournal.open(path: folder.file()) }
        let report = try SQLiteReader(path: folder.file()).verify()
        #expect(report.problems == [])
        #expect(report.fieldValueCount > 0)
    }

    @Test(arguments: UInt64(1)...2) func `a journal without indexes returns all entities that fulfil a constraint`(
        seed: UInt64
    ) async throws {
        let store = MemoryJournal.Store()
        let conformance = JournalConformance.withIndexes(JournalConformanceTests.indexes)
        try await conformance.run(seed: seed) { MemoryJournal(store: store) }
    }

    @Test(arguments: UInt64(1)...12) func `a journal in memory keeps its promises`(seed: UInt64) async throws {
        let store = MemoryJournal.Store()
        try await JournalConformance().run(seed: seed) { MemoryJournal(store: store) }
    }

    @Test(arguments: UInt64(1)...4) func `a rebuilt journal in memory is as a new one`(seed: UInt64) async throws {
        let store = MemoryJournal.Store()
        try await JournalConformance().runRebuild(seed: seed) { MemoryJournal(store: store) }
    }
}
