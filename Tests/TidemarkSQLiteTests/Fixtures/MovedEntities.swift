import Synchronization
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Flushes of a small cache, and the entities after each of them, for files whose entities become blocks.
struct MovedEntities {
    private(set) var flushes: [FlushBatch] = []
    /// The payloads after so many flushes.
    private(set) var states: [[EntityKey: String]] = [[:]]

    static let index = FieldIndex("file./n")

    init(seed: UInt64, flushCount: Int = 5, changeCount: Int = 50) {
        var random = SeededGenerator(seed: seed)
        var cache = SmallCache()
        var state: [EntityKey: String] = [:]
        for number in 0..<flushCount {
            var changed: Set<EntityKey> = []
            for _ in 0..<changeCount {
                let key = MovedEntities.key(random.below(changeCount * 2))
                guard changed.insert(key).inserted else { continue }
                if state[key] != nil, random.chance(150) {
                    cache.evict(key)
                    state[key] = nil
                } else {
                    let json = #"{"id":"\#(key.id)","n":\#(random.below(9)),"turn":\#(number)}"#
                    cache.put(key, json, sequence: Int64(number))
                    state[key] = json
                }
            }
            flushes.append(cache.take())
            states.append(state)
        }
    }

    private static func key(_ number: Int) -> EntityKey {
        var random = SeededGenerator(seed: UInt64(number))
        let id: ByteString =
            random.chance(600)
            ? StoredID.uuid(UUIDValue(high: random.next(), low: random.next())).text : ByteString("f\(number)")
        return EntityKey(
            library: random.chance(800) ? "a" : "b", type: random.chance(700) ? "file" : "tag", id: id)
    }

    /// Opens a file whose entities become blocks from a number of them on; nil: never.
    static func open(
        _ path: String, from countMin: Int64?, onDamagedRow: @escaping @Sendable (DamagedRow) -> Void = { _ in }
    ) async throws(StorageError) -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.blockEntityCountMin = countMin
        configuration.movedCountPerStep = 20
        configuration.dictionarySampleCountMin = 40
        configuration.onDamagedRow = onDamagedRow
        return try await SQLiteJournal.open(configuration)
    }

    /// Writes all flushes into a file of rows, with an index.
    func write(to path: String) async throws {
        let journal = try await MovedEntities.open(path, from: nil)
        for flush in flushes { try await journal.commit(flush) }
        if let index = MovedEntities.index {
            try await journal.changeIndexes(FieldIndexChanges(added: [index]), progress: nil)
        }
        try await journal.close()
    }

    /// Writes the file that a process leaves which ends after two steps of a move.
    func writeHalfMoved(to path: String, in folder: TemporaryFolder) async throws {
        let whole = folder.file("whole.db")
        try await write(to: whole)
        var configuration = SQLiteJournal.Configuration(path: whole)
        configuration.blockEntityCountMin = 1
        configuration.movedCountPerStep = 20
        let copied = Copied()
        configuration.onMove = { count, total in
            #expect(count <= total)
            guard count == 40 else { return }
            copied.isMade.withLock { $0 = true }
            for suffix in ["", "-wal"] {
                do {
                    try DamageFixture.write(DamageFixture.contents(whole + suffix), to: path + suffix)
                } catch {
                    Issue.record(error)
                }
            }
        }
        try await SQLiteJournal.open(configuration).close()
        #expect(copied.isMade.withLock { $0 })
    }

    private final class Copied: Sendable {
        let isMade = Mutex(false)
    }

    /// Reads the payloads of a file; a damaged entity has the text `damaged`.
    static func read(_ path: String) throws -> [EntityKey: String] {
        var found: [EntityKey: String] = [:]
        try SQLiteReader(path: path).walk { step in
            switch step {
            case .entity(let entity): found[entity.key] = ByteString(entity.payload).description
            case .damaged(let row): if let key = row.key { found[key] = "damaged" }
            }
            return true
        }
        return found
    }

    /// Reads the form of a file.
    static func layout(_ path: String) throws -> EntityLayout {
        let connection = try ReadConnection(path: path, isImmutable: false)
        return try withExtendedLifetime(connection) { try EntityLayout(connection.handle) }
    }
}
