import Foundation
import GRDBSQLite
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore

@testable import TidemarkSQLite

/// Pages of a journal, and cleared libraries, in files with damage.
@Suite(.pooled) struct PageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func written(_ ids: [ByteString]) async throws -> SmallCache {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        for id in ids { cache.put(EntityKey(type: "file", id: id), #"{"id":"\#(id)"}"#) }
        try await journal.commit(cache.take())
        try await journal.close()
        return cache
    }

    @Test func `damaged rows are returned apart, and pages continue after them to the end`() async throws {
        _ = try await written(["a", "b", "c", "d", "e", "f"])
        folder.sqlite(["UPDATE entities SET body = x'00' WHERE \"row\" IN (2, 3, 6)"])
        let journal = try await SQLiteJournal.open(path: folder.file())
        func page(_ after: ByteString?, _ countMax: Int) async throws -> [[ByteString]] {
            let page = try await journal.page(
                library: 0, type: 0, after: after.map { StoredID($0) }, countMax: countMax)
            return [page.entities.map(\.key.id.text), page.damaged.map(\.key.id.text)]
        }
        #expect(try await page(nil, 10) == [["a", "d", "e"], ["b", "c", "f"]])
        #expect(await journal.damagedRowCount == 3)
        #expect(try await page(nil, 1) == [["a"], []])
        #expect(try await page("a", 1) == [[], ["b"]])
        #expect(try await page("a", 2) == [[], ["b", "c"]])
        #expect(try await page("bb", 2) == [["d", "e"], ["c"]])
        #expect(try await page("e", 2) == [[], ["f"]])
        #expect(try await page("f", 2) == [[], []])
        let other = try await journal.page(library: 0, type: 1, after: nil, countMax: 5)
        #expect(other.entities.isEmpty && other.damaged.isEmpty)
        try await journal.close()
    }

    @Test func `keys of unknown rows move to the new rows, in a flush of many chunks`()
        async throws
    {
        var resources = FileResources(count: 1_500, seed: 3)
        let flush = resources.flush(rowCount: 1_500, isDistinct: true)
        let path = folder.file()
        var journal = try await SQLiteJournal.open(path: path)
        try await journal.commit(flush)
        try await journal.close()
        journal = try await SQLiteJournal.open(path: path)
        // Half of the entities come again with new rows, among 700 new ones.
        let taken = flush.rows.indices.filter { $0 % 2 == 0 }.prefix(700)
        var others = FileResources(count: 700, seed: 4)
        var more = others.flush(rowCount: 700, isDistinct: true)
        more.newLibraries = []
        more.newTypes = []
        for index in more.rows.indices { more.rows[index].row += 1_500 }
        for (number, index) in taken.enumerated() {
            var row = flush.rows[index]
            let (id, payload) = flush.bytes.withUnsafeBytes { (Array(row.id(in: $0)), Array(row.payload(in: $0))) }
            row.idOffset = more.bytes.count
            row.payloadOffset = more.bytes.count + id.count
            more.bytes += id + payload
            row.row = Int64(2_201 + number)
            more.rows.append(row)
        }
        more.libraries[0].entityCount = 2_900
        try await journal.commit(more)
        try await journal.close()
        let report = try SQLiteReader(path: path).verify()
        #expect(report.problems == [])
        #expect(report.entityCount == 2_200)
    }

    @Test func `a cleared library has the right count after a damaged row`() async throws {
        var cache = try await written(["a", "b"])
        folder.sqlite(["UPDATE entities SET body = x'00' WHERE \"row\" = 2"])
        let journal = try await SQLiteJournal.open(path: folder.file())
        // The entity was taken for absent: it comes with a new row and is counted once more.
        let payload = Array(#"{"id":"b"}"#.utf8)
        func insert(row: Int64, count: Int64, clears: Bool) async throws {
            var flush = cache.take()
            flush.bytes = [UInt8(ascii: "b")] + payload
            flush.rows = [
                FlushRow(
                    row: row, change: .insert, library: 0, type: 0, isUUID: false, idOffset: 0, idCount: 1,
                    payloadOffset: 1, payloadCount: payload.count, sequence: nil, generation: 0, writtenAt: 5)
            ]
            flush.libraries[0].entityCount = count
            if clears { flush.clearedLibraries = [0] }
            try await journal.commit(flush)
        }
        try await insert(row: 3, count: 3, clears: false)
        let reader = try SQLiteReader(path: folder.file())
        #expect(try reader.verify().problems == [])
        #expect(try reader.libraries().map(\.entityCount) == [2])
        try await insert(row: 1, count: 1, clears: true)
        #expect(try reader.verify().problems == [])
        #expect(try reader.libraries().map(\.entityCount) == [1])
        try await journal.close()
    }
}
