import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

@Suite(.pooled) struct ReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func walked(
        _ reader: SQLiteReader, library: ByteString? = nil, type: ByteString? = nil, after: EntityKey? = nil,
        limit: Int = .max
    ) throws -> [EntityKey] {
        var keys: [EntityKey] = []
        try reader.walk(library: library, type: type, after: after, limit: limit) { step in
            if case .entity(let entity) = step { keys.append(entity.key) }
            return true
        }
        return keys
    }

    /// Returns ids that are close to each other in text order, UUIDs among them.
    private func randomKeys(_ seed: UInt64) -> [EntityKey] {
        var random = SeededGenerator(seed: seed)
        let types: [ByteString] = ["a", "a-b", "a.b", "ab", "file", "File", "a_"]
        let libraries: [ByteString] = ["", "b", "a", "é"]
        var keys: Set<EntityKey> = []
        for _ in 0..<400 {
            let high = random.next() & (random.next() % 2 == 0 ? 0xF000_0000_0000_000F : .max)
            let uuid = ByteString(UUIDValue(high: high, low: random.next() & 0xF).text)
            let id: ByteString =
                switch random.next() % 6 {
                case 0, 1: uuid
                case 2: ByteString(uuid.bytes.prefix(Int(random.next() % 36) + 1))
                case 3: ByteString(uuid.bytes.prefix(Int(random.next() % 36)) + [UInt8(random.next() % 94) + 33])
                case 4: ByteString(uuid.bytes + [UInt8(random.next() % 94) + 33])
                default: ByteString("\(random.next() % 500)")
                }
            keys.insert(
                EntityKey(
                    library: libraries[Int(random.next() % 4)], type: types[Int(random.next() % 7)], id: id))
        }
        return keys.sorted()
    }

    @Test(arguments: UInt64(1)...5) func `entities come in key order, from any key on, in pages of any size`(
        seed: UInt64
    ) async throws {
        let keys = randomKeys(seed)
        var random = SeededGenerator(seed: seed &+ 100)
        let journal = try await SQLiteJournal.open(path: folder.file(), layout: .of(seed: seed))
        var cache = SmallCache()
        for key in keys.shuffled(using: &random) { cache.put(key, #"{"n":1}"#) }
        try await journal.commit(cache.take())
        try await journal.close()
        let reader = try SQLiteReader(path: folder.file())
        #expect(try walked(reader) == keys)
        for type in Set(keys.map(\.type)) {
            #expect(
                try walked(reader, library: "a", type: type) == keys.filter { $0.library == "a" && $0.type == type })
        }
        let others = randomKeys(seed &+ 1_000)
        for after in keys.shuffled(using: &random).prefix(60) + others.shuffled(using: &random).prefix(60) {
            let expected = keys.filter { after < $0 }
            #expect(try walked(reader, after: after) == expected, "after \(after)")
            #expect(try walked(reader, after: after, limit: 3) == Array(expected.prefix(3)))
            #expect(
                try walked(reader, library: after.library, type: after.type, after: after)
                    == expected.filter { $0.library == after.library && $0.type == after.type })
        }
        var paged: [EntityKey] = []
        while true {
            let page = try walked(reader, after: paged.last, limit: 7)
            if page.isEmpty { break }
            paged += page
        }
        #expect(paged == keys)
    }

    @Test func `the bound among UUIDs keeps all after a text, and at most one before it`() {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<20_000 {
            let uuid = UUIDValue(high: random.next(), low: random.next())
            var text = Array(uuid.text.prefix(Int(random.next() % 37)))
            if random.next() % 2 == 0 { text.append(UInt8(random.next() % 94) + 33) }
            let other =
                random.next() % 2 == 0 ? uuid : UUIDValue(high: uuid.high ^ (1 << (random.next() % 64)), low: uuid.low)
            let bound = UUIDLowerBound.bytes(behind: text)
            let isBehind = ByteString(text) < ByteString(other.text)
            let isAtOrAbove = !other.bytes.lexicographicallyPrecedes(bound)
            #expect(isAtOrAbove == isBehind || (isAtOrAbove && other.bytes == bound))
        }
    }

    @Test func `a read reports an entity as found, absent or deleted`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        let uuid = EntityKey(library: "lib", type: "file", id: "550E8400-e29b-41d4-a716-446655440000")
        cache.put(uuid, #"{"id":"550e8400-e29b-41d4-a716-446655440000","n":1}"#, sequence: 12)
        cache.put(EntityKey(library: "lib", type: "file", id: "gone"), "{}")
        try await journal.commit(cache.take())
        cache.delete(EntityKey(library: "lib", type: "file", id: "gone"), sequence: 13)
        try await journal.commit(cache.take())

        // The writer is open, so its log is read too.
        let reader = try SQLiteReader(path: folder.file())
        let expected = EntitySnapshot(
            key: uuid, payload: Array(#"{"id":"550e8400-e29b-41d4-a716-446655440000","n":1}"#.utf8),
            sequence: EventSequence(12), writtenAt: 1_700_000_000_000)
        #expect(try reader.entity(uuid) == .found(expected))
        #expect(try reader.entity(EntityKey(library: "lib", type: "file", id: "gone")) == .deleted)
        #expect(try reader.entity(EntityKey(library: "lib", type: "file", id: "none")) == .absent)
        #expect(try reader.entity(EntityKey(library: "other", type: "file", id: "gone")) == .absent)
        #expect(try reader.libraries().map(\.entityCount) == [1])
        #expect(reader.byteCounts().writeAheadLog > 0)
        cache.put(EntityKey(library: "lib", type: "file", id: "later"), "{}")
        try await journal.commit(cache.take())
        #expect(try reader.libraries().map(\.entityCount) == [2])
        try await journal.close()
        #expect(try reader.libraries().map(\.entityCount) == [2])
        #expect(try reader.verify().isSound)
    }

    @Test func `a reader does not change a file at rest, and never blocks a writer`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        cache.put(EntityKey(type: "file", id: "1"), "{}")
        try await journal.commit(cache.take())
        try await journal.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let reader = try SQLiteReader(path: folder.file())
        #expect(try reader.verify().isSound)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file())) == bytes)
        let writer = try await SQLiteJournal.open(path: folder.file())
        cache.put(EntityKey(type: "file", id: "2"), "{}")
        try await writer.commit(cache.take())
        #expect(try reader.libraries().map(\.entityCount) == [2])
        try await writer.close()
    }

    @Test func `opening a missing file reports that it was not found`() throws {
        do throws(StorageError) {
            _ = try SQLiteReader(path: folder.file())
            Issue.record("something was read")
        } catch {
            #expect(error.code == .notFound)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func `quarantine keeps the newest records under numbers that never come back`() async throws {
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        configuration.quarantineRecordCountMax = 5
        func record(_ line: Int64, _ reason: QuarantineReason = .notJSON) -> QuarantineRecord {
            QuarantineRecord(
                kind: line % 2 == 0 ? .line : .member, reason: reason, line: line, offset: line * 10,
                library: line % 3 == 0 ? nil : "lib", sequence: line % 3 == 0 ? nil : EventSequence(line),
                receivedAt: 7,
                bytes: Array("line \(line)".utf8), byteCount: 6 + Int(line))
        }
        var journal = try await SQLiteJournal.open(configuration)
        var flush = FlushBatch()
        flush.quarantine = (1...3).map { record($0) }
        try await journal.commit(flush)
        flush.quarantine = (4...6).map { record($0, .tooLong) }
        try await journal.commit(flush)
        let reader = try SQLiteReader(path: folder.file())
        func numbers(_ filter: QuarantineFilter = QuarantineFilter(), limit: Int = .max) throws -> [Int64] {
            var numbers: [Int64] = []
            try reader.quarantine(filter, limit: limit) {
                numbers.append($0.number ?? 0)
                return true
            }
            return numbers
        }
        #expect(try numbers() == [2, 3, 4, 5, 6])
        #expect(try numbers(QuarantineFilter(library: "lib")) == [2, 4, 5])
        #expect(try numbers(QuarantineFilter(reason: .tooLong)) == [4, 5, 6])
        #expect(try numbers(QuarantineFilter(kind: .member)) == [3, 5])
        #expect(try numbers(QuarantineFilter(after: 3), limit: 2) == [4, 5])
        var expected = record(5, .tooLong)
        expected.number = 5
        #expect(try reader.quarantineRecord(5) == expected)
        #expect(try reader.quarantineRecord(1) == nil)

        flush = FlushBatch()
        flush.quarantineRemoved = [2, 3, 4, 5, 6, 99]
        try await journal.commit(flush)
        try await journal.close()
        journal = try await SQLiteJournal.open(configuration)
        flush = FlushBatch()
        flush.quarantine = (10...16).map { record($0) }
        try await journal.commit(flush)
        #expect(try numbers() == [9, 10, 11, 12, 13])
        try await journal.close()
    }

    @Test func `verify finds contradictions`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        for number in 1...4 { cache.put(EntityKey(type: "file", id: ByteString("\(number)")), #"{"id":"\#(number)"}"#) }
        var flush = cache.take()
        flush.libraries[0].entityCount = 9
        flush.libraries[0].lost = [
            LostRange(first: EventSequence(3), last: EventSequence(5)),
            LostRange(first: EventSequence(6), last: EventSequence(20)),
        ]
        flush.tombstones = [
            FlushTombstone(
                key: StoredKey(library: 0, type: 0, id: .text("1")),
                tombstone: Tombstone(sequence: nil, generation: 0, deletedAt: 0))
        ]
        try await journal.commit(flush)
        try await journal.close()
        let report = try SQLiteReader(path: folder.file()).verify { !$0.contains(UInt8(ascii: "4")) }
        let key = EntityKey(type: "file", id: "4")
        #expect(
            Set(report.problems) == [
                .damaged(DamagedRow(key: key, row: 4, fault: .notJSON)),
                .entityCount(library: "", recorded: 9, stored: 4),
                .tombstoneOfLiving(EntityKey(type: "file", id: "1")),
                .library("", "lost ranges overlap at 6"),
                .library("", "the last lost range ends at 20, past the cursor"),
            ])
    }

    @Test func `the digest depends on everything except the order of writing`() async throws {
        func digest(_ name: String, _ entries: [(EntityKey, String)]) async throws -> EntityDigest {
            let journal = try await SQLiteJournal.open(path: folder.file(name))
            var cache = SmallCache()
            for (key, json) in entries { cache.put(key, json) }
            try await journal.commit(cache.take())
            try await journal.close()
            return try SQLiteReader(path: folder.file(name)).verify().digest
        }
        let one = (EntityKey(library: "l", type: "file", id: "1"), #"{"id":"1"}"#)
        let two = (EntityKey(library: "l", type: "tag", id: "2"), #"{"id":"2"}"#)
        let base = try await digest("a", [one, two])
        #expect(try await digest("b", [two, one]) == base)
        #expect(try await digest("c", [one]) != base)
        #expect(try await digest("d", [one, (two.0, #"{"id":"2","x":1}"#)]) != base)
        #expect(try await digest("e", [one, (EntityKey(library: "m", type: "tag", id: "2"), two.1)]) != base)
        #expect(base.description.count == 16)
    }
}
