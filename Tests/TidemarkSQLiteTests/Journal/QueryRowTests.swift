import Foundation
import GRDBSQLite
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Rows of the table `queries`: the effect of damage on them, and their form for readers.
@Suite(.pooled) struct QueryRowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func record(_ number: Int64, library: LibraryIndex = 0, method: ByteString = "files.list") -> QueryRecord {
        QueryRecord(
            number: number, library: library, type: 0, method: method, input: #"{"path":"/a"}"#, tags: #"["x"]"#,
            membership: #"{"resource_type":"file"}"#, isLocal: false, timeToLive: 60_000, asOf: EventSequence(7),
            storedAt: 1_700_000_000_000, staleSince: 1_700_000_000_001, horizon: [1, 2],
            elements: [
                QueryElement(id: .text("1"), sortKey: [1]), QueryElement(id: .text("2"), sortKey: [2]),
                QueryElement(id: .uuid(UUIDValue(high: 1, low: 2)), sortKey: [3]),
            ])
    }

    /// Writes two libraries, one type, entity 1 of library 0, entity 2 as deleted, and three queries.
    private func written() async throws -> [QueryRecord] {
        let records = [record(1), record(2, library: 1), record(4, method: "files.search")]
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        cache.put(EntityKey(type: "file", id: "1"), #"{"id":"1"}"#)
        cache.put(EntityKey(type: "file", id: "2"), #"{"id":"2"}"#)
        _ = cache.stored(EntityKey(library: "b", type: "file", id: "1"))
        try await journal.commit(cache.take())
        cache.delete(EntityKey(type: "file", id: "2"), sequence: 3)
        var flush = cache.take()
        flush.queries = records
        try await journal.commit(flush)
        try await journal.close()
        return records
    }

    private func read(
        _ reader: SQLiteReader, library: ByteString? = nil, method: ByteString? = nil
    ) throws -> [ReadQueryStep] {
        var steps: [ReadQueryStep] = []
        try reader.queries(library: library, method: method) {
            steps.append($0)
            return true
        }
        return steps
    }

    private func step(_ record: QueryRecord) -> ReadQueryStep {
        .query(ReadQuery(record, library: record.library == 0 ? "" : "b", type: "file"))
    }

    @Test(arguments: [
        "number = 9", "library = 1", "library = -1", "library = 70000", "type = 1", "method = 'files.lisu'",
        "input = '{}'", "tags = ''", "membership = ''", "is_local = 1", "is_local = 2", "time_to_live = NULL",
        "time_to_live = 0", "as_of = 8", "as_of = NULL", "stored_at = 0", "stale_since = NULL", "horizon = NULL",
        "horizon = x'0103'", "elements = x''", "elements = x'1000'", "elements = zeroblob(9)",
        "checksum = checksum + 1",
    ])
    func `an altered query is absent, reported, named by verify and deleted`(
        change: String
    ) async throws {
        let records = try await written()
        folder.sqlite(["UPDATE queries SET \(change) WHERE number = 1"])
        let number: Int64 = change == "number = 9" ? 9 : 1
        let sound = Array(records.dropFirst())
        let damaged = DamagedRow(row: number, kind: .query, fault: .checksumMismatch)

        let reader = try SQLiteReader(path: folder.file())
        let expected = [ReadQueryStep.damaged(damaged)] + sound.map(step)
        #expect(Set(try read(reader)) == Set(expected))
        #expect(try read(reader, library: "b").count == 2)
        #expect(try reader.verify().problems == [.damaged(damaged)])

        let told = Mutex<[DamagedRow]>([])
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        configuration.onDamagedRow = { row in told.withLock { $0.append(row) } }
        let journal = try await SQLiteJournal.open(configuration)
        #expect(await journal.openingReport == .reopened)
        let state = try await journal.recover()
        #expect(state.queries == sound)
        #expect(state.lastQuery == 4)
        #expect(told.withLock { $0 } == [damaged])
        try await journal.commit(FlushBatch())
        #expect(try reader.verify().problems == [])
        #expect(try read(reader) == sound.map(step))
        try await journal.close()
    }

    @Test(arguments: ["library = 2", "type = 1"])
    func `a query whose library or type has no name is damaged, whatever its checksum`(column: String) async throws {
        _ = try await written()
        let journal = try await SQLiteJournal.open(path: folder.file())
        var flush = FlushBatch()
        var forged = record(1)
        if column == "type = 1" { forged.type = 1 } else { forged.library = 2 }
        flush.queries = [forged]
        try await journal.commit(flush)
        try await journal.close()
        let reader = try SQLiteReader(path: folder.file())
        let damaged = DamagedRow(row: 1, kind: .query, fault: .unnamed)
        #expect(try reader.verify().problems == [.damaged(damaged)])
        #expect(try read(reader).first == .damaged(damaged))
        let reopened = try await SQLiteJournal.open(path: folder.file())
        #expect(try await reopened.recover().queries.map(\.number) == [2, 4])
        try await reopened.close()
    }

    @Test func `no flipped bit of a file with queries crashes, or shows a list that was not written`() async throws {
        let records = try await written()
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        // The places are the bytes of the rows, and some in the rest of the file.
        let needle = Data(#"{"path":"/a"}"#.utf8)
        let rows = try #require(whole.range(of: needle, options: .backwards))
        let place = max(0, rows.lowerBound - 200)..<min(whole.count, rows.upperBound + 700)
        var random = SeededGenerator(seed: 33)
        let path = folder.file("flipped.db")
        var damagedCount = 0
        for turn in 0..<300 {
            var bytes = [UInt8](whole)
            let offset = turn % 5 == 0 ? random.below(bytes.count) : place.lowerBound + random.below(place.count)
            bytes.flip(bit: random.below(8), at: offset)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            do throws(StorageError) {
                let reader = try SQLiteReader(path: path)
                try reader.queries { step in
                    switch step {
                    case .query: #expect(records.map(self.step).contains(step), "byte \(offset)")
                    case .damaged: damagedCount += 1
                    }
                    return true
                }
                _ = try reader.verify()
                _ = try reader.queryCount()
            } catch {
                #expect(
                    [.damaged, .notOurs, .newerFormat, .inputOutput].contains(error.code), "byte \(offset): \(error)")
            }
        }
        #expect(damagedCount > 60)
    }

    @Test func `queries are read by library and method, with their keys`() async throws {
        let records = try await written()
        let reader = try SQLiteReader(path: folder.file())
        #expect(try reader.queryCount() == 3)
        #expect(try read(reader) == records.map(step))
        #expect(try read(reader, library: "b") == [step(records[1])])
        #expect(try read(reader, library: "", method: "files.search") == [step(records[2])])
        #expect(try read(reader, library: "c") == [])
        #expect(try read(reader, method: "files") == [])
        guard case .query(let query) = try read(reader, library: "b").first else {
            Issue.record("nothing was found")
            return
        }
        #expect(query.elementCount == 3)
        #expect(
            query.keys == [
                EntityKey(library: "b", type: "file", id: "1"), EntityKey(library: "b", type: "file", id: "2"),
                EntityKey(library: "b", type: "file", id: "00000000-0000-0001-0000-000000000002"),
            ])
    }

    @Test func `verify counts elements that are not stored, and names repeated ones`() async throws {
        _ = try await written()
        var report = try SQLiteReader(path: folder.file()).verify()
        #expect(report.problems == [])
        #expect(report.queryCount == 3)
        // Entity 1 is stored and entity 2 deleted in library "", none of the three is in library "b".
        #expect(report.missingElementCount == 1 + 3 + 1)
        let journal = try await SQLiteJournal.open(path: folder.file())
        var flush = FlushBatch()
        var repeated = record(1)
        repeated.elements.append(repeated.elements[0])
        flush.queries = [repeated]
        try await journal.commit(flush)
        try await journal.close()
        report = try SQLiteReader(path: folder.file()).verify()
        #expect(report.problems == [.repeatedElement(query: 1, EntityKey(type: "file", id: "1"))])
    }

    @Test func `the highest number outlives its query, and a failed flush uses none`() async throws {
        _ = try await written()
        var journal = try await SQLiteJournal.open(path: folder.file())
        var flush = FlushBatch()
        flush.removedQueries = [4, 1, 99]
        try await journal.commit(flush)
        try await journal.close()
        journal = try await SQLiteJournal.open(path: folder.file())
        var state = try await journal.recover()
        #expect(state.queries.map(\.number) == [2])
        #expect(state.lastQuery == 4)
        try await journal.limitPages(20)
        var large = record(9)
        large.elements = (0..<50_000).map { QueryElement(id: .uuid(UUIDValue(high: 1, low: $0))) }
        flush = FlushBatch()
        flush.queries = [large]
        flush.removedQueries = [2]
        await #expect(throws: StorageError.self) { try await journal.commit(flush) }
        try await journal.close()
        journal = try await SQLiteJournal.open(path: folder.file())
        state = try await journal.recover()
        #expect(state.queries.map(\.number) == [2])
        #expect(state.lastQuery == 4)
        try await journal.commit(flush)
        try await journal.close()
        journal = try await SQLiteJournal.open(path: folder.file())
        #expect(try await journal.recover().queries == [large])
        try await journal.close()
    }
}
