import Foundation
import GRDBSQLite
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Rows of the table `layers`, and the effect of damage on them.
@Suite(.pooled) struct LayerRowTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func record(_ number: Int64, library: LibraryIndex = 0) -> LayerRecord {
        let first = StoredKey(library: library, type: 0, id: .text("1"))
        let second = StoredKey(library: library, type: 1, id: .uuid(UUIDValue(high: 3, low: 4)))
        return LayerRecord(
            number: number, pendingID: ByteString("edit-\(number)"), library: library, isConfirmed: true,
            awaited: EventSequence(12), awaitedGeneration: 0, dependsOn: ["a", "edit-0"],
            createdAt: 1_700_000_000_000,
            changes: [
                .patch(first, fields: Array(#"{"name":"name \#(number)"}"#.utf8), unset: ["size", ""]),
                .put(second, resource: Array(#"{"id":"00000000-0000-0003-0000-000000000004","n":1.10}"#.utf8)),
                .removeField(first, "tags"), .delete(second),
            ])
    }

    /// Writes two libraries, two types, an entity, and three layers.
    func written(_ entityCount: Int = 1) async throws -> [LayerRecord] {
        let records = [record(1), record(2, library: 1), record(4)]
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        for number in 1...entityCount {
            cache.put(EntityKey(type: "file", id: ByteString("\(number)")), #"{"id":"\#(number)","name":"one"}"#)
        }
        _ = cache.stored(EntityKey(library: "b", type: "tag", id: "1"))
        var flush = cache.take()
        flush.layers = records
        try await journal.commit(flush)
        try await journal.close()
        return records
    }

    func reopened(
        _ rows: RowList = RowList(), _ body: (SQLiteJournal) async throws -> Void
    ) async throws {
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        configuration.onDamagedRow = { rows.add($0) }
        let journal = try await SQLiteJournal.open(configuration)
        try await body(journal)
        try await journal.close()
    }

    final class RowList: Sendable {
        private let list = Mutex<[DamagedRow]>([])
        var rows: [DamagedRow] { list.withLock { $0 } }
        func add(_ row: DamagedRow) { list.withLock { $0.append(row) } }
    }

    @Test func `layers are read back whole and in order, and outlast the clearing of their library`() async throws {
        let records = try await written()
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(try await journal.recover().layers == records)
            var flush = FlushBatch()
            flush.clearedLibraries = [0, 1]
            try await journal.commit(flush)
        }
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(try await journal.recover().layers == records)
        }
    }

    @Test func `removals come before additions, and an existing layer is replaced`() async throws {
        var records = try await written()
        records[0].pendingID = "renamed"
        records[0].isConfirmed = false
        try await reopened { (journal: SQLiteJournal) async throws in
            var flush = FlushBatch()
            flush.removedLayers = [2, 99, 7]
            flush.layers = [record(5), records[0]]
            try await journal.commit(flush)
        }
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(try await journal.recover().layers == [records[0], records[2], record(5)])
        }
    }

    @Test(arguments: [
        "number = 9", "pending_id = 'edit-3'", "library = 'b'", "library = 'nobody'", "flags = 0", "flags = 3",
        "awaited = 13", "awaited = NULL", "generation = 1", "generation = -1", "created_at = 0", "body = x''",
        "body = x'1000'", "body = zeroblob(9)", "body = (SELECT body FROM layers WHERE number = 2)",
        "checksum = checksum + 1",
    ])
    func `an altered layer is left out, reported, named by verify and deleted`(
        change: String
    ) async throws {
        let records = try await written()
        folder.sqlite(["UPDATE layers SET \(change) WHERE number = 1"])
        let number: Int64 = change == "number = 9" ? 9 : 1
        let damaged = DamagedRow(row: number, kind: .layer, fault: .checksumMismatch)
        let reader = try SQLiteReader(path: folder.file())
        #expect(try reader.verify().problems == [.damaged(damaged)])
        #expect(try reader.verify().layerCount == 2)
        let told = RowList()
        try await reopened(told) { (journal: SQLiteJournal) async throws in
            #expect(await journal.openingReport == .reopened)
            #expect(try await journal.recover().layers == Array(records.dropFirst()))
            // The layer's number may be given again at once.
            var flush = FlushBatch()
            flush.layers = [record(number)]
            try await journal.commit(flush)
        }
        #expect(told.rows == [damaged])
        #expect(try reader.verify().problems == [])
        try await reopened { (journal: SQLiteJournal) async throws in
            let expected = (Array(records.dropFirst()) + [record(number)]).sorted { $0.number < $1.number }
            #expect(try await journal.recover().layers == expected)
        }
    }

    @Test func `a flush without layers deletes damaged ones, too`() async throws {
        let records = try await written()
        folder.sqlite(["UPDATE layers SET body = x'10' WHERE number = 1"])
        try await reopened { (journal: SQLiteJournal) async throws in try await journal.commit(FlushBatch()) }
        #expect(try SQLiteReader(path: folder.file()).verify().problems == [])
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(try await journal.recover().layers == Array(records.dropFirst()))
        }
    }

    @Test func `a layer whose library or type has no name is damaged, whatever its checksum`() async throws {
        _ = try await written()
        // The rows are sealed as the journal seals them, but the file has fewer names.
        folder.sqlite([
            "CREATE TABLE kept AS SELECT * FROM layers", "DELETE FROM layers", "DELETE FROM types WHERE type = 1",
            "INSERT INTO layers SELECT * FROM kept WHERE number = 1", "DROP TABLE kept",
        ])
        let damaged = DamagedRow(row: 1, kind: .layer, fault: .unnamed)
        #expect(try SQLiteReader(path: folder.file()).verify().problems == [.damaged(damaged)])
        try await reopened { (journal: SQLiteJournal) async throws in #expect(try await journal.recover().layers == [])
        }
    }

    @Test func `a flush that fails leaves the layers as they were`() async throws {
        let records = try await written()
        var large = record(5)
        var random = SeededGenerator(seed: 3)
        let noise = random.bytes(3_000_000)
        large.changes.append(.removeField(StoredKey(library: 0, type: 0, id: .text("9")), ByteString(noise)))
        var flush = FlushBatch()
        flush.removedLayers = [1]
        flush.layers = [large]
        try await reopened { (journal: SQLiteJournal) async throws in
            try await journal.limitPages(30)
            await #expect(throws: StorageError.self) { try await journal.commit(flush) }
        }
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(try await journal.recover().layers == records)
            try await journal.commit(flush)
        }
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(try await journal.recover().layers == [records[1], records[2], large])
        }
    }

    @Test func `only commits with layers force the disk's own cache to be written`() async throws {
        try await reopened { (journal: SQLiteJournal) async throws in
            var cache = SmallCache()
            cache.put(EntityKey(type: "file", id: "1"), #"{"id":"1"}"#)
            _ = cache.stored(EntityKey(type: "tag", id: "1"))
            try await journal.commit(cache.take())
            #expect(try await journal.syncSettings() == (2, 0))
            var flush = FlushBatch()
            flush.layers = [record(1)]
            try await journal.commit(flush)
            #expect(try await journal.syncSettings() == (2, 1))
            flush = FlushBatch()
            flush.removedLayers = [1]
            try await journal.commit(flush)
            #expect(try await journal.syncSettings() == (2, 1))
            try await journal.commit(FlushBatch())
            #expect(try await journal.syncSettings() == (2, 0))
        }
    }
}
