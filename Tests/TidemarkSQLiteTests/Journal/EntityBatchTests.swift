import Foundation
import GRDBSQLite
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Rows that are read ahead in the order of the table, for keys in another order.
@Suite(.pooled) struct EntityBatchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes entities whose ids, texts and UUIDs, are in another order than their rows; large bodies exceed the
    /// read-ahead.
    private func written(
        count: Int, byteCount: Int, layout: EntityLayout = .rows
    ) async throws -> [EntityKey: String] {
        var random = SeededGenerator(seed: 5)
        var cache = SmallCache()
        var expected: [EntityKey: String] = [:]
        let journal = try await SQLiteJournal.open(path: folder.file(), layout: layout)
        for index in 0..<count {
            let id =
                index % 3 == 0
                ? UUIDValue(high: random.next(), low: random.next()).text : Array("k\(random.next() % 1_000_000)".utf8)
            let key = EntityKey(library: "l", type: "file", id: ByteString(id))
            // The noise is hexadecimal text of random bytes, which compresses to half its size.
            let noise = (0..<byteCount / 16).map { _ in String(random.next(), radix: 16) }.joined()
            let json = #"{"id":"\#(ByteString(id))","noise":"\#(noise)"}"#
            cache.put(key, json)
            expected[key] = json
            if index % 50 == 49 { try await journal.commit(cache.take()) }
        }
        try await journal.commit(cache.take())
        try await journal.close()
        return expected
    }

    private func walked(after: EntityKey? = nil, limit: Int = .max) throws -> [EntityKey] {
        var keys: [EntityKey] = []
        try SQLiteReader(path: folder.file()).walk(after: after, limit: limit) { step in
            if case .entity(let entity) = step { keys.append(entity.key) }
            return true
        }
        return keys
    }

    @Test(arguments: EntityLayout.allCases, [(count: 2_000, byteCount: 64), (count: 45, byteCount: 800_000)])
    func `a scan returns every entity in key order, however much is read ahead`(
        layout: EntityLayout, size: (count: Int, byteCount: Int)
    ) async throws {
        let count = size.count
        let expected = try await written(count: count, byteCount: size.byteCount, layout: layout)
        var found: [EntityKey: String] = [:]
        var keys: [EntityKey] = []
        try SQLiteReader(path: folder.file()).walk { step in
            guard case .entity(let entity) = step else { return true }
            found[entity.key] = String(decoding: entity.payload, as: UTF8.self)
            keys.append(entity.key)
            return true
        }
        let isAsWritten = found == expected
        #expect(isAsWritten)
        #expect(keys == expected.keys.sorted())
        #expect(try walked(after: keys[count / 2], limit: 10) == Array(keys[(count / 2 + 1)...].prefix(10)))
        let report = try SQLiteReader(path: folder.file()).verify()
        #expect(report.problems == [])
        #expect(report.entityCount == Int64(count))
        #expect(report.payloadByteCount == expected.values.reduce(0) { $0 + Int64($1.utf8.count) })
    }

    @Test func `rows are returned in the given order, with missing ones, and again from memory`() async throws {
        _ = try await written(count: 50, byteCount: 64)
        var connection: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        let open = try #require(connection)
        do {
            var batch = try EntityBatch(open)
            batch.read([40, 3, 999, 3, 17])
            for _ in 0..<2 {
                let rows = try (0..<5).map { try batch.record($0) { ($0.row, $0.body.map { Array($0) }) } }
                #expect(rows.map(\.0) == [40, 3, 999, 3, 17])
                #expect(rows[2].1 == nil)
                #expect(rows[1].1 == rows[3].1)
                #expect(rows[0].1 != rows[1].1 && rows[0].1 != nil)
            }
            batch.read([5])
            let row = try batch.record(0) { $0.row }
            #expect(row == 5)
            batch.release()
        }
    }

    @Test func `a page that cannot be read ends a scan after the entities before it`() async throws {
        let expected = try await written(count: 2_000, byteCount: 64)
        let keys = expected.keys.sorted()
        // The page is the last one of the table: its root has one level below it, and names that page at offset 8.
        let path = folder.file()
        var connection: OpaquePointer?
        #expect(sqlite3_open(path, &connection) == SQLITE_OK)
        let open = try #require(connection)
        var root = 0
        try PreparedStatement(open, "SELECT rootpage FROM sqlite_schema WHERE name = 'entities'").forEachRow {
            root = Int($0.integer(0))
        }
        sqlite3_close(open)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let head = bytes[(root - 1) * 8_192..<(root - 1) * 8_192 + 12]
        #expect(head.first == 5, "the root is an inner page")
        let page = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
        let start = (page - 1) * 8_192
        bytes.replaceSubrange(start..<start + 8_192, with: Data(repeating: 0xA5, count: 8_192))
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(sqlite3_open(path, &connection) == SQLITE_OK)
        let damaged = try #require(connection)
        defer { sqlite3_close(damaged) }
        do {
            var batch = try EntityBatch(damaged)
            batch.read([2_000, 1])
            #expect(throws: SQLiteError.self) { try batch.record(0) { _ in } }
            let isThere = try batch.record(1) { $0.body != nil }
            #expect(isThere)
        }
        var seen: [EntityKey] = []
        let error = #expect(throws: StorageError.self) {
            try SQLiteReader(path: path).walk { step in
                guard case .entity(let entity) = step else {
                    Issue.record("a row that could not be read is no damaged row")
                    return true
                }
                seen.append(entity.key)
                return true
            }
        }
        #expect(error?.code == .damaged)
        #expect(!seen.isEmpty && seen.count < keys.count)
        #expect(seen == Array(keys.prefix(seen.count)), "everything before the damage came, in order")
    }
}
