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

@Suite(.pooled) struct DamageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func key(_ number: Int) -> EntityKey { EntityKey(type: "file", id: ByteString("\(number)")) }

    private func stored(_ number: Int) -> StoredKey {
        StoredKey(library: 0, type: 0, id: .text(ByteString("\(number)")))
    }

    private func written(_ count: Int) async throws -> SmallCache {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        for number in 1...count { cache.put(key(number), #"{"id":"\#(number)","name":"a name"}"#) }
        try await journal.commit(cache.take())
        try await journal.close()
        return cache
    }

    @Test(arguments: [
        ("UPDATE entities SET body = x'00' WHERE \"row\" = 2", PayloadError.truncated),
        ("UPDATE entities SET body = NULL WHERE \"row\" = 2", .rowMissing),
        ("UPDATE entities SET sequence = 7 WHERE \"row\" = 2", .checksumMismatch),
        ("UPDATE entities SET generation = -1 WHERE \"row\" = 2", .checksumMismatch),
        ("UPDATE entities SET written_at = 7 WHERE \"row\" = 2", .checksumMismatch),
        (
            "UPDATE entities SET body = (SELECT body FROM entities WHERE \"row\" = 3) WHERE \"row\" = 2",
            .checksumMismatch
        ),
        ("UPDATE keys SET \"row\" = 77 WHERE \"row\" = 2", .rowMissing),
        ("DELETE FROM entities WHERE \"row\" = 2", .rowMissing),
    ])
    func `a damaged row is absent, counted and reported, and the others are served`(
        statement: String, fault: PayloadError
    ) async throws {
        _ = try await written(3)
        folder.sqlite([statement])
        let told = Mutex<[DamagedRow]>([])
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        configuration.onDamagedRow = { row in told.withLock { $0.append(row) } }
        let journal = try await SQLiteJournal.open(configuration)
        #expect(await journal.openingReport == .reopened)
        let loaded = try await journal.load([stored(1), stored(2), stored(3)]).entities
        #expect(loaded.map(\.key) == [stored(1), stored(3)])
        #expect(told.withLock { $0.map(\.fault) } == [fault])
        #expect(told.withLock { $0.map(\.key) } == [key(2)])
        #expect(await journal.damagedRowCount == 1)
        try await journal.close()

        let reader = try SQLiteReader(path: folder.file())
        guard case .damaged(let row) = try reader.entity(key(2)) else {
            Issue.record("\(try reader.entity(key(2)))")
            return
        }
        #expect(row.fault == fault)
        var steps: [String] = []
        try reader.walk { step in
            switch step {
            case .entity(let entity): steps.append(entity.key.id.description)
            case .damaged(let row): steps.append(row.fault.rawValue)
            }
            return true
        }
        #expect(steps == ["1", fault.rawValue, "3"])
        let report = try reader.verify()
        #expect(report.problems.contains { $0 == .damaged(DamagedRow(key: key(2), row: row.row, fault: fault)) })
        #expect(report.entityCount == 2)
    }

    @Test func `an entity whose row is damaged can be written again, and is counted once`() async throws {
        var cache = try await written(3)
        folder.sqlite(["UPDATE entities SET body = x'00' WHERE \"row\" = 2"])
        let journal = try await SQLiteJournal.open(path: folder.file())
        #expect(try await journal.load([stored(2)]).entities.isEmpty)
        // The cache takes the entity for absent: it writes a new row, and counts the entity once more.
        var flush = FlushBatch()
        let payload = Array(#"{"id":"2","name":"again"}"#.utf8)
        flush.bytes = [UInt8(ascii: "2")] + payload
        flush.rows = [
            FlushRow(
                row: 4, change: .insert, library: 0, type: 0, isUUID: false, idOffset: 0, idCount: 1, payloadOffset: 1,
                payloadCount: payload.count, sequence: nil, generation: 0, writtenAt: 5)
        ]
        flush.libraries = cache.take().libraries
        flush.libraries[0].entityCount = 4
        try await journal.commit(flush)
        #expect(try await journal.load([stored(2)]).entities.map(\.payload) == [payload])
        try await journal.close()
        let report = try SQLiteReader(path: folder.file()).verify()
        #expect(report.problems == [])
        #expect(report.entityCount == 3)
    }

    @Test func `renewing the stamps of a damaged row reports it and writes the rest`() async throws {
        var cache = try await written(3)
        folder.sqlite(["UPDATE entities SET written_at = 1 WHERE \"row\" = 2"])
        let journal = try await SQLiteJournal.open(path: folder.file())
        cache.stamp(key(1), sequence: 50)
        cache.stamp(key(2), sequence: 51)
        cache.stamp(key(3), sequence: 52)
        try await journal.commit(cache.take())
        #expect(await journal.damagedRowCount == 1)
        let loaded = try await journal.load([stored(1), stored(3)]).entities
        #expect(loaded.map(\.sequence) == [EventSequence(50), EventSequence(52)])
        try await journal.close()
    }

    @Test func `a damaged dictionary makes its rows absent, and new rows get another one`() async throws {
        var resources = FileResources(count: 3_000, seed: 5)
        let first = resources.flush(rowCount: 1_500, isDistinct: true)
        let journal = try await SQLiteJournal.open(path: folder.file())
        try await journal.commit(first)
        try await journal.close()
        folder.sqlite(["UPDATE dictionaries SET body = zeroblob(16384)"])
        let reopened = try await SQLiteJournal.open(path: folder.file())
        #expect(await reopened.damagedRowCount == 1)
        func stored(_ row: FlushRow, _ flush: FlushBatch) -> StoredKey {
            flush.bytes.withUnsafeBytes { row.storedKey(id: row.id(in: $0)) }
        }
        #expect(try await reopened.load([stored(first.rows[0], first)]).entities.isEmpty)
        let second = resources.flush(rowCount: 1_500, isDistinct: true)
        try await reopened.commit(second)
        #expect(try await reopened.load(second.rows.map { stored($0, second) }).entities.count == 1_500)
        try await reopened.close()
        let report = try SQLiteReader(path: folder.file()).verify()
        #expect(report.problemCount == 1_501)
        #expect(report.entityCount == 1_500)
    }

    @Test func `damage found by a flush is an error, and a rebuild writes everything again`() async throws {
        var cache = try await written(3)
        let journal = try await SQLiteJournal.open(path: folder.file())
        cache.put(key(1), #"{"id":"1","name":"kept in memory"}"#)
        var again = FlushBatch()
        again = cache.take()
        again.rows[0].row = 2
        again.rows[0].change = .insert
        do {
            try await journal.commit(again)
            Issue.record("a taken row was written over")
        } catch {
            #expect(error.code == .damaged)
        }
        let report = try await journal.rebuild(reason: "a test")
        guard case .rebuilt(let target, "a test") = report else {
            Issue.record("\(report)")
            return
        }
        #expect(FileManager.default.fileExists(atPath: target))
        #expect(try await journal.recover().libraries.isEmpty)
        var fresh = SmallCache()
        for number in 1...3 { fresh.put(key(number), #"{"id":"\#(number)"}"#) }
        try await journal.commit(fresh.take())
        #expect(try await journal.load([stored(1), stored(2), stored(3)]).entities.count == 3)
        try await journal.close()
        #expect(try SQLiteReader(path: folder.file()).verify().isSound)
        #expect(try SQLiteReader(path: target).verify().isSound)
    }

    @Test func `a full disk refuses a flush whole; with room again the same flush is taken`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        cache.put(key(1), #"{"id":"1"}"#)
        try await journal.commit(cache.take())
        try await journal.limitPages(20)
        var random = SeededGenerator(seed: 1)
        for number in 2...100 {
            let noise = (0..<5_000).map { _ in Character(UnicodeScalar(UInt8.random(in: 35...91, using: &random))) }
            cache.put(key(number), #"{"id":"\#(number)","text":"\#(String(noise))"}"#)
        }
        let flush = cache.take()
        for _ in 0..<2 {
            do {
                try await journal.commit(flush)
                Issue.record("a full disk took a flush")
            } catch {
                #expect(error.code == .diskFull)
            }
        }
        #expect(try await journal.load([stored(1), stored(2)]).entities.map(\.key) == [stored(1)])
        try await journal.limitPages(100_000)
        try await journal.commit(flush)
        #expect(try await journal.load((1...100).map { stored($0) }).entities.count == 100)
        try await journal.close()
        #expect(try SQLiteReader(path: folder.file()).verify().isSound)
    }

    @Test func `a flush that failed does not lose the dictionary it trained`() async throws {
        var resources = FileResources(count: 1_500, seed: 6)
        let flush = resources.flush(rowCount: 1_500, isDistinct: true)
        let journal = try await SQLiteJournal.open(path: folder.file())
        try await journal.limitPages(18)
        await #expect(throws: StorageError.self) { try await journal.commit(flush) }
        try await journal.limitPages(100_000)
        try await journal.commit(flush)
        try await journal.close()
        let report = try SQLiteReader(path: folder.file()).verify()
        #expect(report.isSound)
        #expect(report.entityCount == 1_500)
        // Each empty table takes a page.
        try await SQLiteJournal.open(path: folder.file("empty.db")).close()
        let empty = try #require(DataFilePath.byteCount(folder.file("empty.db")))
        let bytes = try #require(DataFilePath.byteCount(folder.file())) - empty
        #expect(Double(bytes) < 0.55 * Double(report.payloadByteCount))
    }

    @Test func `no flipped bit of a whole file crashes, or shows content that was not written`() async throws {
        _ = try await written(40)
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        var random = SeededGenerator(seed: 21)
        let path = folder.file("flipped.db")
        for _ in 0..<300 {
            var bytes = [UInt8](whole)
            let offset = random.below(bytes.count)
            bytes.flip(bit: random.below(8), at: offset)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            do throws(StorageError) {
                let reader = try SQLiteReader(path: path)
                try reader.walk { step in
                    if case .entity(let entity) = step {
                        let json = #"{"id":"\#(entity.key.id)","name":"a name"}"#
                        #expect(entity.payload == Array(json.utf8))
                        #expect(entity.sequence == EventSequence(1))
                    }
                    return true
                }
                _ = try reader.verify()
                _ = try reader.libraries()
            } catch {
                #expect(
                    [.damaged, .notOurs, .newerFormat, .inputOutput].contains(error.code), "byte \(offset): \(error)")
            }
        }
    }
}
