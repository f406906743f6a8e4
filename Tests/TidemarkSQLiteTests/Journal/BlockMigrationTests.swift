import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Files of rows whose entities become blocks, at a flush or at an opening; see also the crash points of a journal.
@Suite(.pooled) struct BlockMigrationTests {
    private let folder: TemporaryFolder
    private let entities = MovedEntities(seed: 3)

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.file() }

    private final class Damaged: Sendable {
        let rows = Mutex<[DamagedRow]>([])
    }

    private func expectWhole(_ layout: EntityLayout, _ expected: [EntityKey: String]? = nil) throws {
        #expect(try MovedEntities.read(path) == expected ?? entities.states.last)
        #expect(try MovedEntities.layout(path) == layout)
        let report = try SQLiteReader(path: path).verify()
        #expect(report.problems == [])
    }

    private func damageOneRow() {
        SQLiteShell.run(
            path, [#"UPDATE entities SET generation = generation + 1 WHERE "row" = (SELECT max("row") FROM keys)"#])
    }

    @Test func `entities become blocks with the flush that brings their number to the limit`() async throws {
        let countMin = Int64(entities.states[2].count + 5)
        var isMoved = false
        let expected = zip(entities.flushes, entities.states).map { flush, before in
            let insertCount = flush.rows.count { $0.change == .insert }
            isMoved = isMoved || Int64(before.count + insertCount) >= countMin
            return isMoved ? EntityLayout.blocks : .rows
        }
        try #require(expected.first == .rows && expected.last == .blocks)
        let journal = try await MovedEntities.open(path, from: countMin)
        var layouts: [EntityLayout] = []
        for (flush, state) in zip(entities.flushes, entities.states.dropFirst()) {
            try await journal.commit(flush)
            layouts.append(try MovedEntities.layout(path))
            try expectWhole(layouts[layouts.count - 1], state)
        }
        #expect(layouts == expected)
        try await journal.close()
        try expectWhole(.blocks)
    }

    @Test func `a file with fewer entities keeps its rows`() async throws {
        let countMax = entities.states.map(\.count).max() ?? 0
        try await entities.write(to: path)
        let journal = try await MovedEntities.open(path, from: Int64(countMax + 1))
        try await journal.close()
        try expectWhole(.rows)
    }

    @Test func `an index that was being built is whole after a move, and returns what it did before`() async throws {
        try await entities.write(to: path)
        let connection = try ReadConnection(path: path, isImmutable: false)
        var record = try withExtendedLifetime(connection) {
            try #require(try FieldIndexTable.read(connection.handle).records.first)
        }
        #expect(record.state == .whole)
        record.state = .building
        SQLiteShell.run(
            path,
            [
                "DELETE FROM field_values",
                "UPDATE indexes SET state = \(record.state.rawValue), checksum = \(FieldIndexTable.checksum(record))",
            ])
        try await MovedEntities.open(path, from: 1).close()
        try expectWhole(.blocks)
        let moved = try ReadConnection(path: path, isImmutable: false)
        let states = try withExtendedLifetime(moved) { try FieldIndexTable.read(moved.handle).records.map(\.state) }
        #expect(states == [.whole])
        let report = try SQLiteReader(path: path).verify()
        #expect(report.fieldValueCount == Int64(entities.states.last?.keys.filter { $0.type == "file" }.count ?? 0))
    }

    @Test func `a file with a damaged row keeps its rows, and says which one it is`() async throws {
        try await entities.write(to: path)
        damageOneRow()
        let damaged = Damaged()
        let journal = try await MovedEntities.open(path, from: 1) { row in damaged.rows.withLock { $0.append(row) } }
        #expect(damaged.rows.withLock { $0.map(\.fault) } == [.checksumMismatch])
        #expect(await journal.openingReport == .reopened)
        try await journal.close()
        #expect(try MovedEntities.layout(path) == .rows)
        #expect(try MovedEntities.read(path).count == entities.states.last?.count)
        #expect(try MovedEntities.read(path).values.filter { $0 == "damaged" }.count == 1)
        // Repaired, the file has no damaged row left, and becomes one of blocks.
        let isObject: @Sendable ([UInt8]) -> Bool = { $0.first == UInt8(ascii: "{") }
        _ = try DataFileRepair.run(path: path, now: 1_700_000_000_000, isValid: isObject)
        try await MovedEntities.open(path, from: 1).close()
        #expect(try MovedEntities.layout(path) == .blocks)
        #expect(try SQLiteReader(path: path).verify().problems == [])
    }

    @Test func `a disk that is full for the move leaves the rows, and flushes go on`() async throws {
        let journal = try await MovedEntities.open(path, from: Int64(entities.states[3].count))
        for flush in entities.flushes.prefix(2) { try await journal.commit(flush) }
        let connection = try ReadConnection(path: path, isImmutable: false)
        let pageCount = try withExtendedLifetime(connection) {
            try PreparedStatement.number(connection.handle, "PRAGMA page_count") ?? 0
        }
        try await journal.limitPages(Int(pageCount) + 3)
        for flush in entities.flushes.dropFirst(2) { try await journal.commit(flush) }
        try await journal.close()
        try expectWhole(.rows)
        try await MovedEntities.open(path, from: 1).close()
        try expectWhole(.blocks)
    }

    private func halfMoved() async throws { try await entities.writeHalfMoved(to: path, in: folder) }

    @Test func `a half-moved file is read, verified and repaired as one of rows, and the next writer goes on`()
        async throws
    {
        try await halfMoved()
        try expectWhole(.rows)
        damageOneRow()
        let repaired = try DataFileRepair.run(path: path, now: 1_700_000_000_000) { $0.first == UInt8(ascii: "{") }
        #expect(repaired.after.problems == [])
        #expect(try MovedEntities.layout(path) == .rows)
        let left = try MovedEntities.read(path)
        #expect(left.count == (entities.states.last?.count ?? 0) - 1)
        try await MovedEntities.open(path, from: 1).close()
        try expectWhole(.blocks, left)
    }

    @Test func `a half-moved file whose blocks are damaged begins with its rows again`() async throws {
        try await halfMoved()
        SQLiteShell.run(path, ["DELETE FROM blocks WHERE number = (SELECT min(number) FROM blocks)"])
        try await MovedEntities.open(path, from: 1).close()
        try expectWhole(.rows)
        try await MovedEntities.open(path, from: 1).close()
        try expectWhole(.blocks)
    }

    @Test func `a writer that moves nothing finishes the move of another one`() async throws {
        try await halfMoved()
        try await MovedEntities.open(path, from: nil).close()
        try expectWhole(.blocks)
    }

    @Test func `a follower reads the blocks as soon as the writer moved the entities`() async throws {
        try await entities.write(to: path)
        let follower = try await SQLiteFollower.open(path: path)
        let state = try await follower.recover()
        let keys = try #require(entities.states.last).keys.map { key in
            StoredKey(
                library: LibraryIndex(key.library == state.libraries[0].name ? 0 : 1),
                type: TypeIndex(key.type == state.types[0] ? 0 : 1), id: StoredID(key.id))
        }
        let before = try await follower.load(keys).entities
        #expect(before.count == keys.count)
        try await MovedEntities.open(path, from: 1).close()
        var after = try await follower.load(keys).entities
        for place in after.indices { after[place].row = before[place].row }
        #expect(after == before)
        #expect(try await follower.find(keys).count == keys.count)
        #expect(try await follower.rows(after: nil, countMax: 1_000).count == keys.count)
        #expect(try await follower.entityCounts().reduce(0) { $0 + $1.count } == Int64(keys.count))
        try await follower.close()
    }

    @Test func `a file of blocks of the format before is read as it is, and upgraded by the first writer`()
        async throws
    {
        let path = folder.file()
        try await entities.write(to: path)
        try await MovedEntities.open(path, from: 1).close()
        folder.sqlite(["DROP TABLE changes", "PRAGMA user_version = 8"])
        let expected = entities.states.last
        #expect(try MovedEntities.read(path) == expected)
        for key in try #require(expected).keys {
            guard case .found = try SQLiteReader(path: path).entity(key) else {
                Issue.record("\(key) is missing")
                continue
            }
        }
        #expect(try SQLiteReader(path: path).verify().problems == [])
        let journal = try await MovedEntities.open(path, from: 1)
        #expect(await journal.openingReport == .reopened)
        #expect(try await journal.finishOpening() == nil)
        try await journal.close()
        let connection = try ReadConnection(path: path, isImmutable: false)
        #expect(try DataFileSchema.version(connection.handle) == DataFile.blockFormatVersion)
        #expect(try PreparedStatement.number(connection.handle, "SELECT count(*) FROM changes") == 0)
        withExtendedLifetime(connection) {}
        #expect(try MovedEntities.read(path) == expected)
        #expect(try SQLiteReader(path: path).verify().problems == [])
    }
}
