import Foundation
import GRDBSQLite
import Synchronization
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Rows of the table `layers`: what damage does to them, and what outlives a file that is given up.
@Suite struct LayerRowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func sqlite(_ statements: [String]) {
        var connection: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &connection) == SQLITE_OK)
        for statement in statements {
            #expect(sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK, "\(statement)")
        }
        sqlite3_close(connection)
    }

    private func record(_ number: Int64, library: LibraryIndex = 0) -> LayerRecord {
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

    /// Two libraries, two types, an entity, and three layers.
    private func written(_ entityCount: Int = 1) async throws -> [LayerRecord] {
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

    private func reopened(
        _ rows: RowList = RowList(), _ body: (SQLiteJournal) async throws -> Void
    ) async throws {
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        configuration.onDamagedRow = { rows.add($0) }
        let journal = try await SQLiteJournal.open(configuration)
        try await body(journal)
        try await journal.close()
    }

    private final class RowList: Sendable {
        private let list = Mutex<[DamagedRow]>([])
        var rows: [DamagedRow] { list.withLock { $0 } }
        func add(_ row: DamagedRow) { list.withLock { $0.append(row) } }
    }

    @Test func `layers come back whole and in order, and outlast the clearing of their library`() async throws {
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

    @Test func `numbers go before layers come, and a layer that is there is replaced`() async throws {
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
    func `a layer of which anything was altered is left out, told, named by verify and taken out`(
        change: String
    ) async throws {
        let records = try await written()
        sqlite(["UPDATE layers SET \(change) WHERE number = 1"])
        let number: Int64 = change == "number = 9" ? 9 : 1
        let damaged = DamagedRow(row: number, kind: .layer, fault: .checksumMismatch)
        let reader = try SQLiteReader(path: folder.file())
        #expect(try reader.verify().problems == [.damaged(damaged)])
        #expect(try reader.verify().layerCount == 2)
        let told = RowList()
        try await reopened(told) { (journal: SQLiteJournal) async throws in
            #expect(await journal.openingReport == .reopened)
            #expect(try await journal.recover().layers == Array(records.dropFirst()))
            // Its number may be given again at once.
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

    @Test func `a flush without layers takes damaged ones out, too`() async throws {
        let records = try await written()
        sqlite(["UPDATE layers SET body = x'10' WHERE number = 1"])
        try await reopened { (journal: SQLiteJournal) async throws in try await journal.commit(FlushBatch()) }
        #expect(try SQLiteReader(path: folder.file()).verify().problems == [])
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(try await journal.recover().layers == Array(records.dropFirst()))
        }
    }

    @Test func `a layer whose library or type has no name is damaged, whatever its checksum`() async throws {
        _ = try await written()
        // Sealed as the journal seals it, in a file that has fewer names.
        sqlite([
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
        let noise = (0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &random) }
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

    @Test func `a commit with layers reaches the disk past every cache, and others as far as before`() async throws {
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

    // MARK: Salvage

    private func rootPage(of table: String) throws -> Int {
        var connection: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        let handle = try #require(connection)
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'"
        return Int(try #require(try PreparedStatement.number(handle, sql)))
    }

    private func overwritePage(_ number: Int) throws {
        let url = URL(fileURLWithPath: folder.file())
        var bytes = try Data(contentsOf: url)
        let range = (number - 1) * DataFile.pageByteCount..<number * DataFile.pageByteCount
        bytes.replaceSubrange(range, with: repeatElement(0xA5, count: range.count))
        try bytes.write(to: url)
    }

    /// By names, because the new file numbers them anew.
    private func expectSalvaged(_ records: [LayerRecord]) async throws {
        try await reopened { (journal: SQLiteJournal) async throws in
            guard case .rebuilt = await journal.openingReport else {
                Issue.record("it was \(await journal.openingReport)")
                return
            }
            #expect(await journal.salvagedLayerCount == records.count)
            let state = try await journal.recover()
            #expect(state.libraries.map(\.cursor) == state.libraries.map { _ in nil })
            #expect(state.lastRow == 0)
            let libraries = ["", "b"] as [ByteString]
            #expect(state.layers.map(\.number) == records.map(\.number))
            for (found, wanted) in zip(state.layers, records) {
                #expect(state.libraries[Int(found.library)].name == libraries[Int(wanted.library)])
                var named = wanted
                named.library = found.library
                named.changes = wanted.changes.map { renamed($0, library: found.library, types: state.types) }
                #expect(found == named)
            }
        }
        #expect(try SQLiteReader(path: folder.file()).verify().problems == [])
        // Once brought over they are as any others.
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(await journal.openingReport == .reopened)
            #expect(await journal.salvagedLayerCount == 0)
            #expect(try await journal.recover().layers.map(\.number) == records.map(\.number))
        }
    }

    private func renamed(_ change: LayerChange, library: LibraryIndex, types: [ByteString]) -> LayerChange {
        let name = (["file", "tag"] as [ByteString])[Int(change.key.type)]
        let key = StoredKey(
            library: library, type: TypeIndex(types.firstIndex(of: name) ?? 99), id: change.key.id)
        return switch change {
        case .put(_, let resource): .put(key, resource: resource)
        case .patch(_, let fields, let unset): .patch(key, fields: fields, unset: unset)
        case .removeField(_, let field): .removeField(key, field)
        case .delete: .delete(key)
        }
    }

    @Test(arguments: ["entities", "keys", "libraries", "types", "queries", "counters", "lost_ranges", "tombstones"])
    func `layers outlive a file whose other pages are damaged`(table: String) async throws {
        let records = try await written(300)
        let page = try rootPage(of: table)
        try overwritePage(page)
        if ["keys"].contains(table) {
            // Opening does not read it: the damage shows later, and what is in memory is written again.
            try await reopened { (journal: SQLiteJournal) async throws in
                #expect(try await journal.recover().layers == records)
            }
            return
        }
        try await expectSalvaged(records)
    }

    @Test(arguments: [
        "DROP TABLE tombstones", "UPDATE libraries SET cursor = cursor + 1", "UPDATE types SET name = 'fil'",
    ])
    func `layers outlive records that contradict themselves`(statement: String) async throws {
        let records = try await written()
        sqlite([statement])
        try await expectSalvaged(records)
    }

    @Test func `what fails its check stays behind with the damaged file`() async throws {
        let records = try await written()
        sqlite(["UPDATE layers SET flags = 0 WHERE number = 2", "DROP TABLE tombstones"])
        try await expectSalvaged([records[0], records[2]])
    }

    @Test func `a wait for a log that was over stays one in the new file`() async throws {
        _ = try await written()
        try await reopened { (journal: SQLiteJournal) async throws in
            var flush = FlushBatch()
            var confirmed = record(4)
            confirmed.awaitedGeneration = 1
            flush.layers = [confirmed]
            try await journal.commit(flush)
        }
        sqlite(["DROP TABLE tombstones"])
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(try await journal.recover().layers.map(\.awaitedGeneration) == [0, 0, .max])
        }
    }

    @Test func `a file whose layers cannot be read is made anew without them`() async throws {
        _ = try await written()
        try overwritePage(try rootPage(of: "layers"))
        try await expectSalvaged([])
    }

    @Test func `a file that is given up while it is used takes its layers from memory`() async throws {
        let records = try await written()
        try await reopened { (journal: SQLiteJournal) async throws in
            _ = try await journal.rebuild(reason: "a test")
            #expect(try await journal.recover().layers == [])
            var cache = SmallCache()
            _ = cache.stored(EntityKey(type: "file", id: "1"))
            _ = cache.stored(EntityKey(library: "b", type: "tag", id: "1"))
            var flush = cache.take()
            flush.layers = records
            try await journal.commit(flush)
        }
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(try await journal.recover().layers == records)
        }
    }

    @Test func `no flipped bit of a file with layers crashes, or gives a layer that was not written`() async throws {
        let records = try await written()
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let rows = try #require(whole.range(of: Data("edit-4".utf8)))
        let place = rows.lowerBound - 40..<min(whole.count, (rows.lowerBound / 8_192 + 1) * 8_192)
        var random = SeededGenerator(seed: 41)
        var damagedCount = 0
        for turn in 0..<200 {
            var bytes = whole
            let offset = turn % 5 == 0 ? random.below(bytes.count) : place.lowerBound + random.below(place.count)
            bytes[offset] ^= 1 << UInt8(random.below(8))
            try bytes.write(to: URL(fileURLWithPath: folder.file("flipped.db")))
            do throws(StorageError) {
                let journal = try await SQLiteJournal.open(path: folder.file("flipped.db"))
                let found = try await journal.recover()
                if await journal.openingReport == .reopened {
                    #expect(found.layers.allSatisfy { records.contains($0) }, "byte \(offset)")
                }
                let ids = Set(records.map(\.pendingID))
                #expect(found.layers.allSatisfy { ids.contains($0.pendingID) })
                if found.layers.count < records.count { damagedCount += 1 }
                try await journal.close()
            } catch {
                #expect([.damaged, .notOurs, .newerFormat].contains(error.code), "byte \(offset): \(error)")
            }
            for name in try folder.names where name.hasPrefix("flipped") {
                try FileManager.default.removeItem(atPath: folder.file(name))
            }
        }
        #expect(damagedCount > 40)
    }
}
