import Foundation
import Logging
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTesting

/// A data file with every kind of content, as bytes to be damaged, and everything that was written into it. The bytes
/// are the same each time, because clocks stand still.
struct DatabaseFixture: Sendable {
    /// One entity as it was written at some time.
    struct Version: Hashable, Sendable {
        var payload: [UInt8]
        var sequence: Int64?
    }

    /// The main file after closing.
    let closed: [UInt8]
    /// A main file, and its log that was not copied back.
    let live: (main: [UInt8], log: [UInt8])
    /// The main file after its log was copied back.
    let later: [UInt8]
    /// Every version of an entity that was ever committed.
    let versions: [EntityKey: Set<Version>]
    /// The form of entities.
    let layout: EntityLayout

    init(_ layout: EntityLayout) async throws {
        self.layout = layout
        let folder = try TemporaryFolder()
        let disk = try FaultDisk(folder: folder.path)
        defer { withExtendedLifetime(disk) {} }
        let path = folder.path("cache.db")
        var versions: [EntityKey: Set<Version>] = [:]
        var cache = try await DatabaseFixture.open(path, layout)
        try await DatabaseFixture.ingest(DatabaseFixture.firstLines, into: cache)
        try await DatabaseFixture.ask(cache)
        try await cache.flush()
        try await cache.close()
        closed = try folder.read("cache.db")
        try DatabaseFixture.collect(path, &versions)
        cache = try await DatabaseFixture.open(path, layout)
        for turn in 0..<2 {
            try await DatabaseFixture.ingest(DatabaseFixture.laterLines(turn), into: cache)
            try await cache.flush()
            try DatabaseFixture.collect(path, &versions)
        }
        live = (try folder.read("cache.db"), try folder.read("cache.db-wal"))
        try await cache.close()
        later = try folder.read("cache.db")
        self.versions = versions
    }

    /// Opens a cache over a file, on a clock that stands still.
    static func open(_ path: String, _ layout: EntityLayout) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.fieldIndexes = [FieldIndex(type: "file", path: "/size")].compactMap { $0 }
        return try await SyncCache.open(
            configuration: configuration, journal: try await journal(path, layout), clock: ManualClock(skipsUpTo: .max))
    }

    /// - Parameter layout: The form of entities in a file that is created.
    static func journal(_ path: String, _ layout: EntityLayout) async throws(StorageError) -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.layout = layout
        configuration.random = { 0x5EED }
        configuration.dictionarySampleCountMin = 12
        configuration.now = { 1_700_000_000_000 }
        return try await SQLiteJournal.open(configuration)
    }

    /// Feeds lines and returns as soon as nothing is held, so that later writes do not depend on the speed of the
    /// machine.
    private static func ingest(_ lines: [String], into cache: SyncCache) async throws {
        try await cache.ingest(Array(lines.joined(separator: "\n").utf8))
        while await cache.libraries().contains(where: { $0.phase == .gap }) { await Task.yield() }
    }

    // MARK: Content

    private static let firstLines: [String] =
        (0..<24).map { number in
            change(number, "first", sequence: number < 20 ? number / 2 + 1 : number)
        } + [
            "no json",
            #"{"library_id":"a","sequence":40,"event":{"ResourceDeleted":{"resource_type":"file","resource_id":"f2"}}}"#,
        ]

    private static func laterLines(_ turn: Int) -> [String] {
        (0..<6).map { change(turn * 3 + $0, "turn \(turn)", sequence: 50 + turn * 6 + $0) }
            + [change(90 + turn, "new", sequence: 70 + turn)]
    }

    private static func change(_ number: Int, _ text: String, sequence: Int) -> String {
        let id = number % 2 == 0 ? "f\(number)" : "00000000-0000-4000-8000-0000000000\(10 + number)"
        let resource =
            #"{"id":"\#(id)","name":"\#(text) of number \#(number)","path":"/a/folder/file-\#(number).txt","size":\#(number * 977)}"#
        return EventLine.change(
            resource, type: number % 5 == 0 ? "tag" : "file", library: number % 3 == 0 ? nil : "a",
            sequence: Int64(sequence))
    }

    private static func ask(_ cache: SyncCache) async throws {
        var result = QueryResult(resourceType: "file", resources: [Array(#"{"id":"f4","extra":1}"#.utf8)])
        result.membership = Array(
            #"{"resource_type":"file","where":{"path":"/size","gt":1000},"order":[{"path":"/size"}]}"#.utf8)
        result.tags = Array(#"["t"]"#.utf8)
        try await cache.store(result, for: QueryKey(library: "a", method: "files.list", input: Array(#"{"n":1}"#.utf8)))
        result.membership = nil
        try await cache.store(result, for: QueryKey(library: "a", method: "files.list", input: Array(#"{"n":2}"#.utf8)))
        for number in 1...2 {
            try await cache.update(
                OptimisticUpdate(
                    pendingID: ByteString("edit-\(number)"), library: "a",
                    operations: [
                        .patch(
                            type: "file", id: "f4", fields: Array(#"{"name":"edit \#(number)"}"#.utf8), unset: ["size"]),
                        .put(type: "file", resource: Array(#"{"id":"new-\#(number)","n":1.10}"#.utf8)),
                    ]))
        }
    }

    private static func collect(_ path: String, _ versions: inout [EntityKey: Set<Version>]) throws {
        var found: [(EntityKey, Version)] = []
        try SQLiteReader(path: path).walk { step in
            if case .entity(let entity) = step {
                found.append((entity.key, Version(payload: entity.payload, sequence: entity.sequence?.rawValue)))
            }
            return true
        }
        for (key, version) in found { versions[key, default: []].insert(version) }
    }
}
