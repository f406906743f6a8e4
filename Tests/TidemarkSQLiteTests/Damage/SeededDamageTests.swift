import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// A thousand damaged files: no file crashes the process or returns a byte that was not written, `verify` names the
/// damage, and pending layers are salvaged when they can be read.
///
/// `TIDEMARK_SCALE=seeds=10` multiplies the number of files; `TIDEMARK_SCALE=seed=12` runs a single seed of each kind.
@Suite(.pooled) struct SeededDamageTests {
    private static let rows = Task { try await DamageFixture(.rows) }
    private static let blocks = Task { try await DamageFixture(.blocks) }

    @Test func `at least a thousand damaged files are tried`() {
        #expect(DamageKind.allCases.reduce(0) { $0 + $1.count } >= 1_000)
    }

    @Test(arguments: DamageKind.allCases)
    func `a damaged file is refused, rebuilt, or its sound part is read`(kind: DamageKind) async throws {
        // The seeds take turns with the forms of entities.
        var fixtures: [DamageFixture] = []
        if kind.layouts.contains(.rows) { fixtures.append(try await Self.rows.value) }
        if kind.layouts.contains(.blocks) { fixtures.append(try await Self.blocks.value) }
        let factor = TestScale.seeds.number ?? 1
        var seeds = Array(0..<UInt64(kind.count * max(1, factor)))
        if let only = TestScale.seed.number { seeds = [UInt64(only)] }
        for seed in seeds {
            let fixture = fixtures[Int(seed / 2) % fixtures.count]
            let problems = try await SeededDamage(fixture, kind, seed: seed).problems()
            #expect(problems == [], "\(fixture.layout), \(kind), TIDEMARK_SCALE=seed=\(seed)")
        }
    }
}

/// One damaged file, and the checks on it.
private struct SeededDamage {
    private let fixture: DamageFixture
    private let kind: DamageKind
    private let folder: TemporaryFolder
    /// The disk, which avoids real syncs.
    private let disk: FaultDisk
    private let path: String

    init(_ fixture: DamageFixture, _ kind: DamageKind, seed: UInt64) throws {
        self.fixture = fixture
        self.kind = kind
        folder = try TemporaryFolder()
        disk = try FaultDisk(folder: folder.path)
        path = folder.file()
        var random = SeededGenerator(seed: seed, index: UInt64(DamageKind.allCases.firstIndex(of: kind) ?? 0))
        try kind.make(fixture, at: path, &random)
        // Every file that Tidemark made has its lock beside it.
        try DamageFixture.write([], to: path + "-lock")
    }

    func problems() async throws -> [String] {
        let before = try folder.names.map { ($0, try DamageFixture.contents(folder.file($0))) }
        var readable: [Int64] = []
        var problems = read(&readable)
        do {
            let journal = try await DamageFixture.open(path, fixture.layout)
            if kind.isRefused { problems.append("it was not refused") }
            if kind.isNeverReopened, await journal.openingReport == .reopened { problems.append("it is used") }
            problems += try await use(journal, readable)
        } catch let error as StorageError {
            if ![.notOurs, .newerFormat].contains(error.code) { problems.append("opening gives \(error)") }
            for (name, bytes) in before where try DamageFixture.contents(folder.file(name)) != bytes {
                problems.append("\(name) was refused and changed")
            }
        }
        return problems
    }

    // MARK: Reading

    /// Reads the file in several ways, each by itself: damage may stop one and not another.
    private func read(_ readable: inout [Int64]) -> [String] {
        var problems: [String] = []
        do throws(StorageError) {
            let reader = try SQLiteReader(path: path)
            if kind.isNeverReopened { problems.append("a reader takes it") }
            var isWhole = true
            func look(_ body: () throws(StorageError) -> Void) throws(StorageError) {
                do throws(StorageError) {
                    try body()
                } catch {
                    guard error.code == .damaged else { throw error }
                    isWhole = false
                }
            }
            var found = DamageFixture.Contents()
            try look { () throws(StorageError) in
                try reader.walk { step in
                    guard case .entity(let entity) = step else { return true }
                    let version = DamageFixture.Version(
                        payload: entity.payload, sequence: entity.sequence?.rawValue)
                    found.entities[entity.key] = version
                    if fixture.versions[entity.key]?.contains(version) != true {
                        problems.append("\(entity.key) is served as it never was")
                    }
                    return true
                }
            }
            try look { () throws(StorageError) in
                for case .layer(let layer) in try reader.layers() {
                    found.layers.append(layer)
                    if fixture.layersByNumber[layer.number]?.layer.operations != layer.layer.operations {
                        problems.append("layer \(layer.number) is not what was laid")
                    }
                }
                readable = found.layers.map(\.number)
            }
            try look { () throws(StorageError) in
                try reader.queries { step in
                    guard case .query(let query) = step else { return true }
                    found.queries.append(query)
                    if !fixture.states.contains(where: { $0.queries.contains(query) }) {
                        problems.append("query \(query.number) is not what was stored")
                    }
                    return true
                }
            }
            try look { () throws(StorageError) in
                for library in try reader.libraries() {
                    let cursor = library.status.cursor
                    found.cursors[library.status.library] = cursor
                    if !fixture.states.contains(where: { $0.cursors[library.status.library] == cursor }) {
                        problems.append("library \(library.status.library) is at \(cursor.debugDescription)")
                    }
                }
            }
            let report = try reader.verify()
            if report.isSound, !kind.mixesTimes, !isWhole || !fixture.states.contains(found) {
                let what =
                    "\(found.entities.count) entities, \(found.layers.count) layers, \(found.queries.count) queries"
                problems.append("something is missing, and verify has nothing to say: \(what), \(found.cursors)")
            }
        } catch {
            if ![.damaged, .notOurs, .newerFormat, .notFound].contains(error.code) {
                problems.append("reading gives \(error)")
            }
        }
        return problems
    }

    // MARK: Writing

    private func use(_ journal: SQLiteJournal, _ readable: [Int64]) async throws -> [String] {
        var problems: [String] = []
        let state = try await journal.recover()
        let isRebuilt = if case .rebuilt = await journal.openingReport { true } else { false }
        let layers = state.layers.map(\.number)
        if !Set(readable).isSubset(of: layers) {
            problems.append("of layers \(readable) only \(layers) were kept; rebuilt: \(isRebuilt)")
        }
        for layer in state.layers where fixture.layersByNumber[layer.number]?.layer.pendingID != layer.pendingID {
            problems.append("layer \(layer.number) became \(layer.pendingID)")
        }
        do throws(StorageError) {
            problems += try await loadAll(journal, state)
            try await journal.commit(flush)
        } catch {
            if error.code != .damaged { problems.append("using it gives \(error)") }
            // A running cache does the same when it finds damage.
            _ = try await journal.rebuild(reason: "a test")
            try await journal.commit(flush)
        }
        let isNew = if case .rebuilt = await journal.openingReport { true } else { false }
        do throws(StorageError) {
            try await journal.close()
        } catch {
            if isNew || error.code != .damaged { problems.append("closing gives \(error)") }
        }
        if isNew {
            problems += try SQLiteReader(path: path).verify().problems.map { "after all, verify: \($0)" }
        }
        return problems
    }

    private var flush: FlushBatch {
        var flush = FlushBatch()
        flush.ignoredKinds = ["a kind": 1]
        return flush
    }

    private func loadAll(_ journal: SQLiteJournal, _ state: RecoveredState) async throws(StorageError) -> [String] {
        var names: [StoredKey: EntityKey] = [:]
        for key in fixture.versions.keys {
            guard let library = state.libraries.firstIndex(where: { $0.name == key.library }),
                let type = state.types.firstIndex(of: key.type)
            else { continue }
            names[StoredKey(library: LibraryIndex(library), type: TypeIndex(type), id: StoredID(key.id))] = key
        }
        var problems: [String] = []
        for entity in try await journal.load(Array(names.keys)).entities {
            let version = DamageFixture.Version(payload: entity.payload, sequence: entity.sequence?.rawValue)
            if let key = names[entity.key], fixture.versions[key]?.contains(version) == true { continue }
            problems.append("\(entity.key) is loaded as it never was")
        }
        return problems
    }
}
