import Foundation
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTesting

/// Data files that are damaged, forged, or not data files (``DatabaseDamage``): read, verified, opened for writing,
/// used.
///
/// No file ends the process. Content read from a damaged file was written into it; a refused file is unchanged, byte
/// for byte; a file that a writer opens can be written, closed and read afterwards.
enum DatabaseTarget {
    static let target = FuzzTarget("database", byteCountMax: 512, .later { try await check($0, fixture.value) })
    /// The same with entities in blocks.
    static let blocksTarget = FuzzTarget(
        "database-blocks", byteCountMax: 512, .later { try await check($0, blocksFixture.value) })

    private static let fixture = Task { try await DatabaseFixture(.rows) }
    private static let blocksFixture = Task { try await DatabaseFixture(.blocks) }

    private static func check(_ bytes: [UInt8], _ fixture: DatabaseFixture) async throws {
        let damage = DatabaseDamage(bytes, fixture)
        let folder = try TemporaryFolder()
        // The fault disk avoids real syncs.
        let disk = try FaultDisk(folder: folder.path)
        defer { withExtendedLifetime(disk) {} }
        try damage.write(to: folder)
        // Every file that Tidemark made has its lock beside it.
        try folder.write([], to: "cache.db-lock")
        try read(folder.path("cache.db"), damage, fixture)
        let before = try contents(of: folder)
        do throws(StorageError) {
            let journal = try await DatabaseFixture.journal(folder.path("cache.db"), fixture.layout)
            try await use(journal, damage, fixture)
        } catch {
            try require([.notOurs, .newerFormat].contains(error.code), "opening gives \(error)")
            // SQLite's shared memory and an empty log may appear beside a file that is read.
            for (name, bytes) in before where !name.hasSuffix("-shm") {
                try require(try folder.read(name) == bytes, "\(name) was refused, and changed")
            }
            return
        }
        try await run(folder.path("cache.db"), fixture)
        _ = try readable { () throws(StorageError) in _ = try SQLiteReader(path: folder.path("cache.db")).verify() }
    }

    private static func contents(of folder: TemporaryFolder) throws -> [(String, [UInt8])] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).map { ($0, try folder.read($0)) }
    }

    // MARK: Reading

    /// Whether a read succeeds; damage and refusals are not findings.
    private static func readable(_ look: () throws(StorageError) -> Void) throws -> Bool {
        do throws(StorageError) {
            try look()
            return true
        } catch {
            try require(
                [.damaged, .notOurs, .newerFormat, .notFound].contains(error.code), "reading gives \(error)")
            return false
        }
    }

    private static func read(_ path: String, _ damage: DatabaseDamage, _ fixture: DatabaseFixture) throws {
        var problems: [String] = []
        var opened: SQLiteReader?
        _ = try readable { () throws(StorageError) in opened = try SQLiteReader(path: path) }
        guard let reader = opened else { return }
        for showsLayers in [false, true] {
            _ = try readable { () throws(StorageError) in
                try reader.walk(showsLayers: showsLayers) { step in
                    guard case .entity(let entity) = step, !damage.isForged, !showsLayers else { return true }
                    let version = DatabaseFixture.Version(payload: entity.payload, sequence: entity.sequence?.rawValue)
                    if fixture.versions[entity.key]?.contains(version) != true {
                        problems.append("\(entity.key) is served as it never was: \(entity.payload.text)")
                    }
                    return true
                }
            }
        }
        _ = try readable { () throws(StorageError) in _ = try reader.layers() }
        _ = try readable { () throws(StorageError) in try reader.queries { _ in true } }
        _ = try readable { () throws(StorageError) in _ = try reader.libraries() }
        _ = try readable { () throws(StorageError) in _ = try reader.counts() }
        _ = try readable { () throws(StorageError) in _ = try reader.ignoredKinds() }
        _ = try readable { () throws(StorageError) in _ = try reader.verify() }
        try require(problems.isEmpty, problems.joined(separator: "\n"))
    }

    // MARK: Writing

    private static func use(_ journal: SQLiteJournal, _ damage: DatabaseDamage, _ fixture: DatabaseFixture)
        async throws(StorageError)
    {
        var problems: [String] = []
        do throws(StorageError) {
            let state = try await journal.recover()
            let keys = names(fixture, state)
            for entity in try await journal.load(Array(keys.keys)).entities where !damage.isForged {
                let version = DatabaseFixture.Version(payload: entity.payload, sequence: entity.sequence?.rawValue)
                guard let key = keys[entity.key], fixture.versions[key]?.contains(version) != true else { continue }
                problems.append("\(key) is loaded as it never was: \(entity.payload.text)")
            }
            try await journal.commit(flush)
        } catch {
            guard error.code == .damaged else { throw error }
            // A running cache does the same when it finds damage.
            _ = try await journal.rebuild(reason: "a fuzzer")
            try await journal.commit(flush)
        }
        do throws(StorageError) {
            try await journal.close()
        } catch {
            guard error.code == .damaged else { throw error }
        }
        if let problem = problems.first { throw StorageError(.closed, problem, advice: "this is a finding") }
    }

    private static var flush: FlushBatch {
        var flush = FlushBatch()
        flush.ignoredKinds = ["a kind": 1]
        return flush
    }

    private static func names(_ fixture: DatabaseFixture, _ state: RecoveredState) -> [StoredKey: EntityKey] {
        var names: [StoredKey: EntityKey] = [:]
        for key in fixture.versions.keys {
            guard let library = state.libraries.firstIndex(where: { $0.name == key.library }),
                let type = state.types.firstIndex(of: key.type)
            else { continue }
            names[StoredKey(library: LibraryIndex(library), type: TypeIndex(type), id: StoredID(key.id))] = key
        }
        return names
    }

    /// Runs a cache over the file: it merges into existing entities, evaluates lists, and deletes.
    private static func run(_ path: String, _ fixture: DatabaseFixture) async throws {
        let cache: SyncCache
        do {
            cache = try await DatabaseFixture.open(path, fixture.layout)
        } catch let error as StorageError {
            return try require([.notOurs, .newerFormat].contains(error.code), "opening a cache gives \(error)")
        }
        var lines: [String] = []
        for key in fixture.versions.keys.sorted() {
            lines.append(
                EventLine.change(
                    #"{"id":"\#(key.id)","size":5}"#, type: "\(key.type)", metadata: "{}", library: "\(key.library)"))
        }
        do {
            _ = try await cache.entity(EntityKey(library: "a", type: "file", id: "f4"))
            for input in [#"{"n":1}"#, #"{"n":2}"#] {
                let key = try QueryKey(library: "a", method: "files.list", input: Array(input.utf8))
                await cache.read(QueryRequest(key, policy: .cacheOnly), observing: nil) { _ in }
            }
            try await cache.ingest(Array(lines.joined(separator: "\n").utf8))
            try await cache.flush()
        } catch let error as StorageError {
            try require(error.code == .damaged, "a cache gives \(error)")
        }
        do throws(StorageError) {
            try await cache.close()
        } catch {
            try require(error.code == .damaged, "closing a cache gives \(error)")
        }
    }
}
