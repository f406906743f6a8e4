import Foundation
import GRDBSQLite
import Synchronization
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Layers that outlive the replacement of a file, and damage that must not create layers.
extension LayerRowTests {
    private func rootPage(of table: String) throws -> Int { try DamageFixture.rootPage(of: table, folder.file()) }

    private func overwritePage(_ number: Int) throws {
        let url = URL(fileURLWithPath: folder.file())
        var bytes = try Data(contentsOf: url)
        let range = DamageFixture.page(number)
        bytes.replaceSubrange(range, with: repeatElement(0xA5, count: range.count))
        try bytes.write(to: url)
    }

    /// Compares by names, because the new file has new numbers for them.
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
        // Salvaged layers are afterwards like any others.
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
        case .merge(_, let fields): .merge(key, fields: fields)
        case .removeField(_, let field): .removeField(key, field)
        case .delete: .delete(key)
        }
    }

    @Test(arguments: [
        "entities", "keys", "blocks", "segments", "key_runs", "libraries", "types", "queries", "counters",
        "lost_ranges", "tombstones",
    ])
    func `layers outlive a file whose other pages are damaged`(table: String) async throws {
        let isOfBlocks = ["blocks", "segments", "key_runs"].contains(table)
        try await SQLiteJournal.open(path: folder.file(), layout: isOfBlocks ? .blocks : .rows).close()
        let records = try await written(300)
        let page = try rootPage(of: table)
        try overwritePage(page)
        if isOfBlocks || table == "keys" {
            // Opening does not read the damaged page: the damage is found later, and the state in memory is written
            // again.
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
        folder.sqlite([statement])
        try await expectSalvaged(records)
    }

    @Test func `a layer that fails its check stays in the damaged file`() async throws {
        let records = try await written()
        folder.sqlite(["UPDATE layers SET flags = 0 WHERE number = 2", "DROP TABLE tombstones"])
        try await expectSalvaged([records[0], records[2]])
    }

    @Test func `a layer that waits for a log that ended still waits in the new file`() async throws {
        _ = try await written()
        try await reopened { (journal: SQLiteJournal) async throws in
            var flush = FlushBatch()
            var confirmed = record(4)
            confirmed.awaitedGeneration = 1
            flush.layers = [confirmed]
            try await journal.commit(flush)
        }
        folder.sqlite(["DROP TABLE tombstones"])
        try await reopened { (journal: SQLiteJournal) async throws in
            #expect(try await journal.recover().layers.map(\.awaitedGeneration) == [0, 0, .max])
        }
    }

    @Test func `a file whose layers cannot be read is made anew without them`() async throws {
        _ = try await written()
        try overwritePage(try rootPage(of: "layers"))
        try await expectSalvaged([])
    }

    @Test func `a file that is replaced while in use gets its layers from memory`() async throws {
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

    @Test func `no flipped bit of a file with layers crashes, or returns a layer that was not written`() async throws {
        let records = try await written()
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let rows = try #require(whole.range(of: Data("edit-4".utf8)))
        let place = rows.lowerBound - 40..<min(whole.count, (rows.lowerBound / 8_192 + 1) * 8_192)
        var random = SeededGenerator(seed: 41)
        var damagedCount = 0
        for turn in 0..<200 {
            var bytes = [UInt8](whole)
            let offset = turn % 5 == 0 ? random.below(bytes.count) : place.lowerBound + random.below(place.count)
            bytes.flip(bit: random.below(8), at: offset)
            try Data(bytes).write(to: URL(fileURLWithPath: folder.file("flipped.db")))
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
