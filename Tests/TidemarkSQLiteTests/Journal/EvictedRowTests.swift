import GRDBSQLite
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore

@testable import TidemarkSQLite

/// The table `evicted`: its content, and the handling of damaged rows.
@Suite(.pooled) struct EvictedRowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func record(_ hash: UInt64, isBack: Bool = false) -> EvictedRecord {
        EvictedRecord(library: 0, hash: hash, isBack: isBack)
    }

    @Test(arguments: ["hashes = zeroblob(16)", "library = 1", "is_back = 1", "checksum = 0", "hashes = x'0102'"])
    func `a damaged row is reported, left out and deleted, and the rest stays`(change: String) async throws {
        var journal = try await SQLiteJournal.open(path: folder.file())
        var flush = FlushBatch()
        flush.evicted.records = [record(1), record(2), record(3, isBack: true), record(4)]
        try await journal.commit(flush)
        try await journal.close()
        folder.sqlite(["UPDATE evicted SET \(change) WHERE number = 1"])
        #expect(
            try SQLiteReader(path: folder.file()).verify().problems == [
                .damaged(DamagedRow(row: 1, kind: .evicted, fault: .checksumMismatch))
            ])
        journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.openingReport == .reopened)
        #expect(try await journal.recover().evicted == [record(3, isBack: true), record(4)])
        flush.evicted.records = [record(5)]
        try await journal.commit(flush)
        try await journal.close()
        #expect(try SQLiteReader(path: folder.file()).verify().problems == [])
        journal = try await SQLiteJournal.open(path: folder.file())
        #expect(try await journal.recover().evicted == [record(3, isBack: true), record(4), record(5)])
        try await journal.close()
    }

    @Test func `when evicted keys are damaged, late events of every library are held off up to what was known`()
        async throws
    {
        var journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        cache.put(EntityKey(library: "a", type: "file", id: "1"), #"{"id":"1"}"#)
        cache.put(EntityKey(library: "b", type: "file", id: "1"), #"{"id":"1"}"#)
        var flush = cache.take()
        flush.evicted.records = [record(1)]
        try await journal.commit(flush)
        try await journal.close()
        // Opened, as a cache does, and written; then what the next one reads.
        func forgotten() async throws -> [EventSequence?] {
            journal = try await SQLiteJournal.open(path: folder.file())
            var state = CacheState(
                configuration: CacheStateConfiguration(), recovered: try await journal.recover(), seed: 1)
            let flush = state.takeFlush()
            try await journal.commit(flush)
            try await journal.close()
            journal = try await SQLiteJournal.open(path: folder.file())
            let libraries = try await journal.recover().libraries
            try await journal.close()
            return libraries.map(\.forgottenThrough)
        }
        let before = try await forgotten()
        #expect(before == [nil, nil])
        folder.sqlite(["UPDATE evicted SET checksum = 0"])
        let after = try await forgotten()
        #expect(after == [EventSequence(9), EventSequence(9)])
        // The damaged row is gone, what it took is not forgotten.
        let later = try await forgotten()
        #expect(later == after)
    }

    @Test func `tombstones of libraries and types that are not there are left out`() async throws {
        var journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        cache.put(EntityKey(library: "a", type: "file", id: "1"), #"{"id":"1"}"#)
        try await journal.commit(cache.take())
        cache.delete(EntityKey(library: "a", type: "file", id: "1"), sequence: 3)
        try await journal.commit(cache.take())
        try await journal.close()
        folder.sqlite(["INSERT INTO tombstones VALUES (7, 0, 'x', 50, 1, 0, 5)"])
        folder.sqlite(["INSERT INTO tombstones VALUES (0, 7, 'x', 51, 1, 0, 5)"])
        journal = try await SQLiteJournal.open(path: folder.file())
        let recovered = try await journal.recover()
        #expect(recovered.tombstones.map(\.key.id) == [.text("1")])
        try await journal.close()
    }

    @Test func `a log that is written anew replaces the old one`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var flush = FlushBatch()
        flush.evicted.records = (0..<3_000).map { record(UInt64($0)) }
        try await journal.commit(flush)
        flush.evicted = EvictedChanges(replacesAll: true, records: [record(7)])
        try await journal.commit(flush)
        try await journal.close()
        let again = try await SQLiteJournal.open(path: folder.file())
        #expect(try await again.recover().evicted == [record(7)])
        try await again.close()
    }
}
