import Foundation
import Logging
import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// A cache that is fed, asked and limited at random while it is recorded, and the content of its database at the end.
struct RecordedWalk {
    /// The content of a database, as a reader finds it.
    struct Contents: Equatable {
        var entities: [EntitySnapshot] = []
        var queries: [ReadQuery] = []
        var layers: [ReadLayer] = []
        var libraries: [ReadLibrary] = []
        var counts = EventCounts()
        var kinds: [ByteString: Int64] = [:]
        var quarantine: [QuarantineRecord] = []

        init(_ path: String) throws {
            let reader = try SQLiteReader(path: path)
            try reader.walk { step in
                if case .entity(let entity) = step { entities.append(entity) }
                return true
            }
            try reader.queries { step in
                if case .query(let query) = step { queries.append(query) }
                return true
            }
            layers = try reader.layers().compactMap { if case .layer(let layer) = $0 { layer } else { nil } }
            libraries = try reader.libraries()
            counts = try reader.counts()
            kinds = try reader.ignoredKinds()
            try reader.quarantine { record in
                quarantine.append(record)
                return true
            }
        }

        /// Removes the numbers of queries and edits: only their order is left.
        mutating func forgetNumbers() {
            for index in queries.indices { queries[index].number = 0 }
            for index in layers.indices { layers[index].number = 0 }
        }
    }

    let folder: TemporaryFolder
    let database: String
    let recording: String
    private var random: SeededGenerator
    /// A clock under which pauses of up to a minute cost nothing and move the time.
    ///
    /// Longer ones wait for the walk: a cache that asks for lost numbers every 10 minutes would ask without end, and
    /// its recording would grow with the time that the disk takes.
    private let clock = ManualClock(skipsUpTo: 60_000)
    private var layerCount = 0
    /// Whether each reading of the clock moves it, so that a step that reads it twice is found.
    private let ticks: Bool
    /// Whether local queries are allowed: only when all entities are in memory.
    private var evaluates = false

    init(seed: UInt64) throws {
        folder = try TemporaryFolder()
        database = folder.path("live.db")
        recording = folder.path("a.rec")
        random = SeededGenerator(seed: seed ^ 0x4EC0)
        ticks = seed.isMultiple(of: 2)
    }

    /// Answers every query at once.
    private struct Answering: QueryUpstream {
        func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
            if query.method == "none" { throw UpstreamError("there is none") }
            var result = QueryResult(
                resourceType: "file",
                resources: [Array(#"{"id":"f1","n":1,"kind":2}"#.utf8), Array(#"{"id":"q","n":1.10}"#.utf8)])
            result.membership = Array(#"{"resource_type":"file","where":{"path":"/n","exists":true}}"#.utf8)
            return result
        }
    }

    /// Feeds a cache and records it.
    ///
    /// - Parameter limit: The maximum size of the recording in bytes.
    mutating func run(seed: UInt64, limit: Int64 = 64 << 20, lineCount: Int = 240) async throws {
        var options = GeneratedStreamOptions()
        options.lineCount = lineCount
        options.hasEpochs = random.chance(300)
        var generator = StreamGenerator(seed: seed, options: options)
        if random.chance(500) {
            // Earlier events are not in the recording; only their result is.
            try await session(generator.generate(), isRecorded: false, limit: limit)
        }
        try await session(generator.generate(), isRecorded: true, limit: limit)
    }

    private mutating func session(_ stream: GeneratedStream, isRecorded: Bool, limit: Int64) async throws {
        let log = try folder.write(stream.log, to: "log-\(isRecorded)")
        var configuration = CacheConfiguration()
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        configuration.apply(.spacedrive)
        if random.chance(300) { configuration.eviction.entityCountMax = 12 }
        if random.chance(300) { configuration.memoryByteCountMax = 0 }
        if random.chance(200) { configuration.eviction.keptFields = ["file": ["name"]] }
        if random.chance(200) { configuration.limits.queryCountMax = 2 }
        if random.chance(200) { configuration.limits.heldEventCountMax = 4 }
        evaluates =
            isRecorded && configuration.memoryByteCountMax > 0 && !FileManager.default.fileExists(atPath: database)
        let upstream = random.chance(500) ? FileUpstream(path: log) : nil
        let journal = try await SQLiteJournal.open(path: database)
        let writer = isRecorded ? try await writer(configuration, journal, hasUpstream: upstream != nil, limit) : nil
        let cache = try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: upstream, queryUpstream: Answering(),
            clock: ticks ? TickingClock(clock) : clock, recorder: writer)
        let (input, _) = await cache.openInput(hasUnread: { false })
        var rest = stream.stream[...]
        while !rest.isEmpty {
            // The chunks are whole lines, several at a time.
            var end = rest.startIndex
            for _ in 0..<(1 + random.below(8)) {
                end = rest[end...].firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
                if end == rest.endIndex { break }
            }
            try await cache.ingest(Array(rest[..<end]))
            rest = rest[end...]
            if random.chance(300) { clock.advance(milliseconds: Int64(random.below(120))) }
            if random.chance(30) { clock.advance(milliseconds: 700_000) }
            if random.chance(500) { await ask(cache) }
            if random.chance(100) { try await cache.flush() }
        }
        try await cache.endOfInput()
        await cache.closeInput(input)
        try await cache.flush()
        try await cache.enforceLimits()
        try await cache.close()
        await writer?.finish("the walk ended")
    }

    private func writer(
        _ configuration: CacheConfiguration, _ journal: SQLiteJournal, hasUpstream: Bool, _ limit: Int64
    ) async throws -> RecordingWriter {
        var base: [UInt8] = []
        let copy = folder.path("copy.db")
        if await journal.openingReport == .reopened, try await journal.copy(to: copy, byteCountMax: .max) {
            base = [UInt8](try Data(contentsOf: URL(fileURLWithPath: copy)))
        }
        let setup = RecordingSetup(
            configuration, command: "run", openedAt: clock.now(), base: base.isEmpty ? .empty : .included,
            hasUpstream: hasUpstream)
        let shortener = RecordingShortener(policy: CachePolicy()) { path throws(StorageError) in
            try await SQLiteJournal.open(path: path)
        }
        return try RecordingWriter(recording, setup: setup, base: base, limit: limit, shortener: shortener) { _ in }
    }

    // MARK: Requests

    /// Sends one request; a refusal is as good as an answer.
    private mutating func ask(_ cache: SyncCache) async {
        let library: ByteString = random.chance(700) ? "gamma" : ""
        let id = ByteString("f\(random.below(5))")
        do {
            switch random.below(9) {
            case 0: try await cache.transact(operations(id), library: library)
            case 1:
                var expecting = TransactionExpectations()
                expecting.sequences = [0: random.chance(500) ? nil : EventSequence(3)]
                try await cache.transact(operations(id), library: library, expecting: expecting)
            case 2:
                var result = QueryResult(resourceType: "file", resources: [Array(#"{"id":"\#(id)","kind":1}"#.utf8)])
                result.membership = Array(#"{"resource_type":"file","order":[{"path":"/n","direction":"asc"}]}"#.utf8)
                result.isLocal = evaluates && random.chance(500)
                let key = try QueryKey(library: library, method: "list", input: Array("\(random.below(3))".utf8))
                try await cache.store(result, for: key)
            case 3:
                let method: ByteString = random.chance(200) ? "none" : "asked"
                let key = try QueryKey(library: library, method: method, input: Array("\(random.below(3))".utf8))
                await cache.read(QueryRequest(key, policy: .networkOnly), observing: nil, reply: { _ in })
            case 4:
                var invalidation = Invalidation(library: library)
                if random.chance(500) { invalidation.resourceType = "file" }
                _ = try await cache.invalidate(invalidation)
            case 5:
                layerCount += 1
                try await cache.begin(
                    OptimisticUpdate(
                        pendingID: ByteString("p\(layerCount)"), library: library, operations: operations(id)))
            case 6:
                let pendingID = ByteString("p\(1 + random.below(layerCount + 1))")
                if random.chance(300) {
                    try await cache.beginRollBack(pendingID)
                } else {
                    try await cache.begin(
                        OptimisticCommit(
                            pendingID: pendingID,
                            confirmed: random.chance(500) ? [Array(#"{"id":"\#(id)","kind":3}"#.utf8)] : nil,
                            resourceType: "file", sequence: EventSequence(Int64(random.below(800)))))
                }
            case 7:
                var removal = Removal(library: library)
                removal.resourceType = "file"
                removal.matching = ByteString("f\(random.below(5))")
                _ = try await cache.remove(removal)
            default: if random.chance(100) { try await cache.clear(library: random.chance(500) ? library : nil) }
            }
        } catch {
            // The recording has the error.
        }
    }

    private mutating func operations(_ id: ByteString) -> [TransactionOperation] {
        switch random.below(4) {
        case 0: [.put(type: "file", resource: Array(#"{"id":"\#(id)","n":\#(random.below(9)),"name":"x"}"#.utf8))]
        case 1: [.patch(type: "file", id: id, fields: Array(#"{"n":\#(random.below(9))}"#.utf8), unset: ["name"])]
        case 2: [.delete(type: "file", id: id)]
        default:
            [
                .put(type: "tag", resource: Array(#"{"id":"\#(id)","of":"\#(id)"}"#.utf8)),
                .removeField(type: "tag", id: id, field: "of"),
            ]
        }
    }
}
