import TestTraits
import Testing
import Tidemark
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

@Suite(.pooled) struct JournalConformanceTests {
    /// The forms of entities; nil: rows that become blocks on the way.
    private static let layouts: [EntityLayout?] = [.rows, .blocks, nil]

    private func open(_ path: String, _ layout: EntityLayout?) async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.layout = layout ?? .rows
        configuration.blockEntityCountMin = layout == nil ? 40 : nil
        configuration.movedCountPerStep = 11
        // So that some types get a dictionary.
        configuration.dictionarySampleCountMin = 60
        return try await SQLiteJournal.open(configuration)
    }

    private func conformance(_ layout: EntityLayout?, indexes: [FieldIndex] = []) -> JournalConformance {
        var conformance = indexes.isEmpty ? JournalConformance() : JournalConformance.withIndexes(indexes)
        conformance.numbersRows = layout == .rows
        return conformance
    }

    @Test(arguments: layouts, TestScale.seeds(2)) func `a journal on disk keeps its promises`(
        layout: EntityLayout?, seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder()
        try await conformance(layout).run(seed: seed) { try await open(folder.file(), layout) }
        let report = try SQLiteReader(path: folder.file()).verify(isValid: { _ in true })
        #expect(report.problems == [])
    }

    @Test(arguments: layouts, TestScale.seeds(2)) func `a rebuilt journal on disk is as a new one`(
        layout: EntityLayout?, seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder()
        try await conformance(layout).runRebuild(seed: seed) { try await open(folder.file(), layout) }
    }

    private static let indexes = ["type-0./size", "type-0./name", "type-1./size", "type-2./text", "type-3./name"]
        .compactMap { FieldIndex($0) }

    @Test(arguments: layouts, TestScale.seeds(2))
    func `a journal with indexes returns all entities that fulfil a constraint`(
        layout: EntityLayout?, seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder()
        let conformance = conformance(layout, indexes: JournalConformanceTests.indexes)
        try await conformance.run(seed: seed) { try await open(folder.file(), layout) }
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
