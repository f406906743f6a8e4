import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// A journal whose entities are in blocks: damage that is mended when the file is opened or walked over, and space that
/// dead entities leave.
@Suite(.pooled) struct BlockJournalTests {
    private let folder: TemporaryFolder
    private let damaged = Damaged()

    /// The rows that were reported as damaged.
    private final class Damaged: Sendable {
        let rows = Mutex<[DamagedRow]>([])
    }

    init() throws { folder = try TemporaryFolder() }

    private func key(_ number: Int) -> EntityKey {
        EntityKey(library: number % 4 == 0 ? "b" : "a", type: "file", id: ByteString("f\(number)"))
    }

    private func open() async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        configuration.layout = .blocks
        configuration.opensInBackground = false
        configuration.onDamagedRow = { [damaged] row in damaged.rows.withLock { $0.append(row) } }
        return try await SQLiteJournal.open(configuration)
    }

    /// Writes entities in several flushes: every third is updated, every fifth removed.
    private func written(_ count: Int) async throws -> SmallCache {
        let journal = try await open()
        var cache = SmallCache()
        for number in 0..<count { cache.put(key(number), #"{"id":"f\#(number)","n":\#(number)}"#) }
        try await journal.commit(cache.take())
        for number in 0..<count where number % 3 == 0 { cache.put(key(number), #"{"id":"f\#(number)","n":-1}"#) }
        try await journal.commit(cache.take())
        for number in 0..<count where number % 5 == 0 { cache.evict(key(number)) }
        try await journal.commit(cache.take())
        try await journal.close()
        return cache
    }

    private func walked() throws -> [String] {
        var steps: [String] = []
        try SQLiteReader(path: folder.file()).walk { step in
            switch step {
            case .entity(let entity): steps.append(entity.key.id.description)
            case .damaged(let row): steps.append(row.kind.rawValue)
            }
            return true
        }
        return steps
    }

    private func verified() throws -> [String] {
        try SQLiteReader(path: folder.file()).verify().problems.map(\.description)
    }

    /// The directory of the block with the most entities: the first byte of an entry's check.
    private func flipDirectory() throws {
        let connection = try BlockConnection(path: folder.file())
        let table = try BlockTable(connection.handle)
        var largest: (number: Int64, bytes: [UInt8]) = (0, [])
        try table.forEachBlock { number, _ in
            guard let bytes = try table.body(number: number), bytes.count > largest.bytes.count else { return }
            largest = (number, bytes)
        }
        let head = try largest.bytes.withUnsafeBytes { try BlockHead($0) }
        // Several bits, so that no single one can be found and put right.
        for offset in [head.byteCount + 2, head.byteCount + 3, head.data.lowerBound - 2] {
            largest.bytes.flip(bit: 5, at: offset)
        }
        let hex = largest.bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
        try connection.execute("UPDATE blocks SET body = x'\(hex)' WHERE number = \(largest.number)")
    }

    @Test func `a damaged segment is mended by opening, and the libraries are stale then`() async throws {
        _ = try await written(500)
        let before = try walked()
        folder.sqlite(["UPDATE segments SET body = zeroblob(40) WHERE segment = (SELECT min(segment) FROM segments)"])
        #expect(try verified() == ["damaged segment, row 0: checksum_mismatch"])
        #expect(try walked() == before)
        let journal = try await open()
        #expect(await journal.openingReport == .reopened)
        #expect(damaged.rows.withLock { $0.map(\.kind) } == [.segment])
        let libraries = try await journal.recover().libraries
        #expect(libraries.map(\.isStale) == [true, true])
        #expect(libraries.reduce(0) { $0 + $1.entityCount } >= 400)
        try await journal.close()
        #expect(try verified() == [])
        let again = try await open()
        #expect(damaged.rows.withLock { $0.count } == 1)
        try await again.close()
        #expect(Set(before).isSubset(of: try walked()))
    }

    @Test func `a segment that seems to know later blocks than it does is damaged`() async throws {
        _ = try await written(500)
        folder.sqlite(["UPDATE segments SET through = through + 1 WHERE segment = (SELECT min(segment) FROM segments)"])
        #expect(try verified() == ["damaged segment, row 0: checksum_mismatch"])
    }

    @Test func `a damaged row of changes is reported, and its blocks are read in place of it`() async throws {
        _ = try await written(500)
        func found() throws -> [EntityKey: String] {
            var found: [EntityKey: String] = [:]
            for number in stride(from: 0, to: 500, by: 7) {
                // Each key with a reader of its own, which begins with the table.
                let answer = try SQLiteReader(path: folder.file()).entity(key(number))
                guard case .found(let entity) = answer else { continue }
                found[key(number)] = ByteString(entity.payload).description
            }
            return found
        }
        let before = try found()
        #expect(before.count == 57)
        let number = "(SELECT max(number) FROM changes)"
        folder.sqlite(["UPDATE changes SET body = zeroblob(length(body)) WHERE number = \(number)"])
        let connection = try BlockConnection(path: folder.file())
        let row = try #require(try PreparedStatement.number(connection.handle, "SELECT max(number) FROM changes"))
        withExtendedLifetime(connection) {}
        #expect(try verified() == ["damaged change, row \(row): checksum_mismatch"])
        #expect(try found() == before)
        folder.sqlite(["DELETE FROM changes"])
        #expect(try verified() == [])
        #expect(try found() == before)
    }

    @Test func `a damaged directory is reported by readers, and mended by opening`() async throws {
        _ = try await written(500)
        let before = try walked()
        try flipDirectory()
        let steps = try walked()
        #expect(steps.last == "block")
        // Removed entities may be there again, and those of the block are named as damaged.
        let others = steps.filter { $0 != "entity" && $0 != "block" && !before.contains($0) }
        #expect(others.allSatisfy { (Int($0.dropFirst()) ?? 1) % 5 == 0 })
        #expect(try verified().contains { $0.hasPrefix("damaged block, row ") })
        let journal = try await open()
        #expect(await journal.openingReport == .reopened)
        #expect(damaged.rows.withLock { $0.map(\.kind) } == [.block])
        #expect(try await journal.recover().libraries.map(\.isStale) == [true, true])
        // Late events of what is lost are held off.
        try await journal.close()
        #expect(try verified() == [])
        #expect(try walked().count > 300)
        try await open().close()
        #expect(damaged.rows.withLock { $0.count } == 1)
    }

    @Test func `an entity that a damaged block may have in a newer version is damaged, not old`() async throws {
        _ = try await written(500)
        try flipDirectory()
        let reader = try SQLiteReader(path: folder.file())
        var kinds: Set<String> = []
        for number in 0..<500 {
            switch try reader.entity(key(number)) {
            case .found(let entity):
                let wanted = number % 3 == 0 ? -1 : number
                #expect(entity.payload == Array(#"{"id":"f\#(number)","n":\#(wanted)}"#.utf8), "\(number)")
                kinds.insert("found")
            case .damaged: kinds.insert("damaged")
            case .absent, .deleted, .evicted: #expect(number % 5 == 0, "\(number)")
            }
        }
        #expect(kinds.contains("damaged"))
    }

    @Test func `a damaged run of keys is made again by a walk, and nothing is lost`() async throws {
        _ = try await written(500)
        let before = try walked()
        folder.sqlite(["UPDATE key_runs SET body = zeroblob(40) WHERE place = (SELECT min(place) FROM key_runs)"])
        #expect(throws: StorageError.self) { try walked() }
        #expect(try verified() == ["damaged key_run, row 0: checksum_mismatch"])
        let journal = try await open()
        let page = try await journal.page(library: 0, type: 0, after: nil, countMax: 1_000)
        let counts = try await journal.entityCounts()
        #expect(counts.reduce(0) { $0 + $1.count } == 400)
        #expect(counts.first { $0.library == 0 }?.count == Int64(page.entities.count))
        #expect(damaged.rows.withLock { $0.map(\.kind) } == [.keyRun])
        #expect(try await journal.recover().libraries.allSatisfy { !$0.isStale })
        try await journal.close()
        #expect(try walked() == before)
        #expect(try verified() == [])
    }

    @Test func `verify finds keys that are in no block, in no run, and blocks that share an ordinal`() async throws {
        _ = try await written(500)
        folder.sqlite(["INSERT INTO entities VALUES (5, 1, 0, 0, x'00')"])
        #expect(try verified() == ["the table entities has rows, and a file of this format has none there"])
        folder.sqlite(["DELETE FROM entities"])
        folder.sqlite(["DELETE FROM key_runs"])
        #expect(try verified() == ["400 entities are missing among the keys in order"])
        folder.sqlite(["INSERT INTO blocks SELECT max(number) + 1, body FROM blocks"])
        #expect(try verified().contains { $0.hasPrefix("damaged block, row ") })
        let connection = try BlockConnection(path: folder.file())
        let table = try BlockTable(connection.handle)
        var last: (number: Int64, bytes: [UInt8]) = (0, [])
        try table.forEachBlock { number, _ in last = (number, try table.body(number: number) ?? []) }
        // The same block under its own number: only the ordinal is there twice.
        let head = try last.bytes.withUnsafeBytes { try BlockHead($0) }
        let check = last.bytes.withUnsafeBytes {
            BlockDirectory.check($0, dataOffset: head.data.lowerBound, number: last.number)
        }
        for byte in 0..<4 { last.bytes[byte] = UInt8(truncatingIfNeeded: check >> UInt32(8 * byte)) }
        let hex = last.bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
        try connection.execute("UPDATE blocks SET body = x'\(hex)' WHERE number = \(last.number)")
        #expect(try verified().contains("block \(last.number) has the ordinal of another one"))
    }

    @Test func `the use of the disk tells what is still to be merged, and nothing after it was merged`() async throws {
        let journal = try await open()
        var cache = SmallCache()
        for turn in 0..<4 {
            for number in 0..<2_000 { cache.put(key(number), #"{"id":"f\#(number)","turn":\#(turn)}"#) }
            // One flush each: a flush merges four entities for each that it writes, but none that it has just replaced.
            try await journal.commit(cache.take())
        }
        #expect(await journal.diskUse().mergeDebtByteCount > 0)
        try await journal.shrink()
        #expect(await journal.diskUse().mergeDebtByteCount == 0)
        try await journal.close()
    }

    @Test func `dead entities are merged at rest, and the pages are given back`() async throws {
        let journal = try await open()
        var cache = SmallCache()
        var random = SeededGenerator(seed: 3)
        func put(_ numbers: Range<Int>) {
            for number in numbers {
                let noise = (0..<40).map { _ in String(random.next(), radix: 16) }.joined()
                cache.put(key(number), #"{"id":"f\#(number)","noise":"\#(noise)"}"#)
            }
        }
        put(0..<8_000)
        try await journal.commit(cache.take())
        let full = try await journal.size().usedByteCount
        for number in 0..<6_000 { cache.evict(key(number)) }
        try await journal.commit(cache.take())
        // The used bytes leave out those that merging gives back soon.
        #expect(try await journal.size().usedByteCount < full * 2 / 3)
        while try await journal.releaseFreeSpace(isLast: true) {}
        try await journal.shrink()
        let size = try await journal.size()
        #expect(size.usedByteCount < full / 2)
        #expect(size.fileByteCount < full * 2 / 3)
        #expect(try await journal.entityCounts().reduce(0) { $0 + $1.count } == 2_000)
        try await journal.close()
        #expect(try verified() == [])
    }

    @Test func `a reader sees what another connection commits, and keeps what it read as long as nobody does`()
        async throws
    {
        let journal = try await open()
        var cache = SmallCache()
        for number in 0..<50 { cache.put(key(number), #"{"id":"f\#(number)","n":0}"#) }
        try await journal.commit(cache.take())
        let reader = try SQLiteReader(path: folder.file())
        for turn in 1...5 {
            cache.put(key(turn), #"{"id":"f\#(turn)","n":\#(turn)}"#)
            cache.evict(key(turn + 10))
            try await journal.commit(cache.take())
            for _ in 0..<2 {
                guard case .found(let entity) = try reader.entity(key(turn)) else {
                    Issue.record("\(turn) is not there")
                    return
                }
                #expect(entity.payload == Array(#"{"id":"f\#(turn)","n":\#(turn)}"#.utf8))
                guard case .absent = try reader.entity(key(turn + 10)) else {
                    Issue.record("\(turn + 10) is still there")
                    return
                }
            }
        }
        try await journal.close()
    }
}
