import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// Concurrent tasks on one open cache. Each task draws from a seed of its own; the machine decides their order. The
/// problems that a task finds are added to ``problems``.
final class SoakTasks: Sendable {
    let cache: SyncCache
    let libraries: [SoakLibrary]
    let round: Int
    let seed: UInt64
    let stepCount: Int
    let path: String
    let sinks: [RaceSink]
    private let found = Mutex<[String]>([])

    init(
        _ cache: SyncCache, _ libraries: [SoakLibrary], round: Int, seed: UInt64, stepCount: Int, path: String
    ) {
        self.cache = cache
        self.libraries = libraries
        self.round = round
        self.seed = seed
        self.stepCount = stepCount
        self.path = path
        var random = SeededGenerator(seed: seed, index: 1_000)
        sinks = (0..<3).map { _ in RaceSink(room: random.below(8)) }
    }

    var problems: [String] { found.withLock { $0 } + sinks.flatMap(\.problems) }

    /// Runs all tasks to their ends.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            func begin(_ index: UInt64, _ body: @escaping @Sendable (inout SeededGenerator) async throws -> Void) {
                let random = SeededGenerator(seed: seed, index: index)
                group.addTask { [self] in
                    var random = random
                    do { try await body(&random) } catch { tell("task \(index): \(error)") }
                }
            }
            for (index, library) in libraries.enumerated() {
                begin(UInt64(index)) { [self] random in try await feed(library, &random) }
            }
            for (index, sink) in sinks.enumerated() {
                begin(UInt64(10 + index)) { [self] random in try await observe(sink, &random) }
            }
            for index in 20..<22 as Range<UInt64> { begin(index) { [self] random in try await write(&random) } }
            begin(30) { [self] random in try await edit(&random) }
            begin(40) { [self] random in try await read(&random) }
            begin(50) { [self] random in try await maintain(&random) }
            begin(60) { [self] random in try await lookBeside(&random) }
        }
    }

    private func tell(_ problem: String) { found.withLock { $0.append(problem) } }

    /// Ignores the errors of a call that other tasks may have made pointless; other errors are thrown.
    private func unlessPointless(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as CacheError {
            switch error.code {
            case .cacheMiss, .conflict, .invalidParams, .unknownPending, .unknownSubscription, .upstreamFailed,
                .offline, .timedOut, .connectionLost, .tlsFailed, .truncated, .redirectFailed:
                return
            case .invalidDocument, .notFound, .duplicatePending, .limitExceeded, .storageFailed: throw error
            }
        }
    }

    // MARK: Changes

    /// Feeds this round's part of a library's stream, in chunks cut anywhere.
    private func feed(_ library: SoakLibrary, _ random: inout SeededGenerator) async throws {
        let input = ChunkInput(library.parts[round], seed: random.next(), chunkByteCountMax: 20_000)
        let stream = try await IngestStream(of: input, into: cache, chunkByteCount: 4_096)
        while try await stream.next() { await Task.yield() }
        try await stream.finish()
    }

    /// Writes notes by events, answers and transactions, and feeds lines that are not events.
    private func write(_ random: inout SeededGenerator) async throws {
        for _ in 0..<stepCount {
            let note = SoakNote.random(&random)
            switch random.below(12) {
            case 0..<4: try await cache.ingest(note.line)
            case 4:
                try await cache.ingest(
                    Array(
                        (#"{"library_id":"notes","event":{"ResourceDeleted":{"resource_type":"note","resource_id":"#
                            + "\(note.id)}}}\n").utf8))
            case 5: try await cache.ingest(Array("{\"no\": event\n\u{FFFD}\n\n".utf8) + note.line)
            case 6, 7:
                let query = random.below(SoakNote.queries.count)
                try await cache.store(SoakNote.result(of: query, &random), for: SoakNote.key(query))
            case 8, 9:
                let id = ByteString("\(note.id)")
                let operations: [TransactionOperation] = [
                    .put(type: "note", resource: SoakNote.random(&random).bytes),
                    .patch(type: "note", id: id, fields: Array(#"{"rank":9}"#.utf8), unset: []),
                    .delete(type: "note", id: ByteString("\(random.below(SoakNote.count))")),
                ]
                try await unlessPointless { try await cache.transact(operations, library: "notes") }
            case 10:
                var invalidation = Invalidation(library: "notes")
                if random.chance(500) { invalidation.resourceType = "note" }
                _ = try await cache.invalidate(invalidation)
            default:
                // All lists are removed before the notes; otherwise observers would see lists that no read returns.
                var removal = Removal(library: "notes")
                removal.resourceType = "note"
                removal.ids = [ByteString("\(SoakNote.count + 1)")]
                _ = try await cache.remove(removal)
            }
        }
    }

    /// Adds layers over entities of logs, which all end again, and over notes.
    private func edit(_ random: inout SeededGenerator) async throws {
        var pending = await cache.pendingLayers().map(\.pendingID)
        for step in 0..<stepCount / 2 {
            if pending.count > 12 || !pending.isEmpty && random.chance(400) {
                let id = pending.remove(at: random.below(pending.count))
                let isOfNotes = id.bytes.first == UInt8(ascii: "n")
                try await unlessPointless {
                    guard isOfNotes, random.chance(600) else { return try await cache.rollBack(id) }
                    let confirmed = random.chance(500) ? [SoakNote.random(&random).bytes] : nil
                    try await cache.commit(OptimisticCommit(pendingID: id, confirmed: confirmed, resourceType: "note"))
                }
                continue
            }
            let isOfNotes = random.chance(300)
            let id = ByteString("\(isOfNotes ? "n" : "e")\(round)-\(step)")
            let key =
                isOfNotes ? SoakNote.entityKey(random.below(SoakNote.count)) : random.pick(random.pick(libraries).keys)
            let operation: TransactionOperation
            switch random.below(4) {
            case 0: operation = .delete(type: key.type, id: key.id)
            case 1: operation = .removeField(type: key.type, id: key.id, field: "name")
            default:
                operation = .patch(
                    type: key.type, id: key.id, fields: Array(#"{"name":"\#(step)","rank":\#(step % 7)}"#.utf8),
                    unset: [])
            }
            let parent = pending.last { $0.bytes.first == id.bytes.first }
            let update = OptimisticUpdate(
                pendingID: id, library: key.library, operations: [operation],
                dependsOn: random.chance(200) ? parent.map { [$0] } ?? [] : [])
            try await unlessPointless {
                try await cache.update(update)
                pending.append(id)
            }
        }
    }

    // MARK: Readers

    /// Adds and cancels observers, some of them slow.
    private func observe(_ sink: RaceSink, _ random: inout SeededGenerator) async throws {
        for _ in 0..<stepCount / 3 {
            let subscriptions = sink.subscriptions
            switch random.below(8) {
            case 0,
                1 where subscriptions.count < 30:
                let place = random.below(SoakNote.queries.count - 1 + libraries.count)
                if place < SoakNote.queries.count - 1 {
                    await observe(SoakNote.key(place), "notes \(place)", sink)
                } else {
                    let library = libraries[place - SoakNote.queries.count + 1]
                    await observe(SoakSession.listKey(library), "list of \(library.name)", sink)
                }
            case 2,
                3 where subscriptions.count < 30:
                let key =
                    random.chance(300)
                    ? SoakNote.entityKey(random.below(SoakNote.count)) : random.pick(random.pick(libraries).keys)
                await cache.observe(key, fields: nil, sink: sink) { result in
                    guard case .success(let (read, subscription)) = result else { return }
                    sink.begin(subscription, of: "\(key.library) \(key.text)", .entity(read.entity))
                }
            case 4, 5:
                guard !subscriptions.isEmpty else { continue }
                let subscription = random.pick(subscriptions)
                try await cache.cancel(subscription)
                // Notifications may come until here, and none after.
                sink.end(subscription)
            default:
                sink.makeRoom(random.below(20))
                await cache.resume(sink)
            }
        }
    }

    func observe(_ key: QueryKey, _ subject: String, _ sink: RaceSink) async {
        var request = QueryRequest(key, policy: .cacheOnly)
        request.allowsStale = true
        await cache.read(request, observing: sink) { result in
            guard case .success(let reply) = result else { return }
            sink.begin(
                reply.subscription, of: subject,
                .list(reply.answer.entities, isStale: reply.answer.isStale))
        }
    }

    /// Reads entities and lists with every policy, and asks about them.
    private func read(_ random: inout SeededGenerator) async throws {
        // A policy that fetches beside its answer might answer after the end of the test.
        let policies = FetchPolicy.allCases.filter { $0 != .cacheAndNetwork && $0 != .staleWhileRevalidate }
        for _ in 0..<stepCount {
            let key = random.pick(random.pick(libraries).keys)
            switch random.below(6) {
            case 0, 1: _ = try await cache.entity(key)
            case 2: _ = try await cache.read(key, fields: ["name"])
            case 3: _ = try await cache.list(type: key.type, library: key.library, after: key, countMax: 50)
            case 4: _ = try await cache.explain(key)
            default:
                let request = QueryRequest(
                    SoakNote.key(random.below(SoakNote.queries.count)), policy: random.pick(policies))
                let result = await withCheckedContinuation { continuation in
                    Task { await cache.read(request, observing: nil) { continuation.resume(returning: $0) } }
                }
                try await unlessPointless { _ = try result.get() }
            }
        }
    }

    // MARK: Maintenance

    private func maintain(_ random: inout SeededGenerator) async throws {
        for _ in 0..<stepCount / 6 {
            switch random.below(5) {
            case 0, 1: try await cache.flush()
            case 2: await cache.releaseSpareMemory()
            case 3: _ = await cache.statistics()
            default: _ = await cache.counts()
            }
            for _ in 0..<random.below(200) { await Task.yield() }
        }
    }

    /// Reads the file as a second process would.
    private func lookBeside(_ random: inout SeededGenerator) async throws {
        for _ in 0..<max(2, stepCount / 60) {
            let report = try SQLiteReader(path: path).verify()
            if !report.isSound { tell("verify, beside the writer: \(report.problems)") }
            for _ in 0..<random.below(500) { await Task.yield() }
        }
    }
}
