import Logging
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTesting

/// The life of one database: opened, used by many tasks at once, compared, closed, and opened again.
///
/// At the end of each round the notifications of observers, applied, equal a read, the state is sound, and the file
/// verifies; at the end of the last round the entities equal those of the logs.
struct SoakSession {
    let seed: UInt64
    let size: SoakSize
    private let folder: TemporaryFolder
    private let libraries: [SoakLibrary]
    private let upstream: SoakUpstream
    private let queryUpstream: SoakQueryUpstream
    private let clock: any CacheClock
    private let configuration: CacheConfiguration

    init(seed: UInt64, size: SoakSize) throws {
        self.seed = seed
        self.size = size
        folder = try TemporaryFolder()
        libraries = (0..<SoakSize.libraryCount).map { SoakLibrary(seed: seed &* 10 &+ UInt64($0), size: size) }
        upstream = SoakUpstream(libraries, seed: seed)
        queryUpstream = SoakQueryUpstream(seed: seed)
        var random = SeededGenerator(seed: seed)
        // With a manual clock pauses take no time and timers fire at any moment; with the system's clock time is real.
        clock = random.chance(700) ? ManualClock(skipsUpTo: 60_000) : SystemClock()
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.flush.interval = .milliseconds(random.pick([1, 4, 20]))
        configuration.flush.startCount = random.pick([50, 1_000])
        configuration.reorderWindow = .milliseconds(5)
        configuration.limits.heldEventCountMax = random.pick([8, 64, 4_096])
        configuration.limits.tombstoneAgeMax = 100 * 365 * 24 * 3_600 * 1_000
        configuration.memoryByteCountMax = random.pick([0, 100_000, 100_000_000])
        if random.chance(400) {
            configuration.eviction.entityCountMax = Int64(size.entityCount)
            let vetoes = Mutex(SeededGenerator(seed: seed))
            configuration.eviction.willEvict = { _ in vetoes.withLock { !$0.chance(200) } }
        }
        if random.chance(300) { configuration.spareMemoryInterval = .milliseconds(1) }
        self.configuration = configuration
    }

    private var path: String { folder.path("cache.db") }

    /// Runs the session.
    ///
    /// - Returns: The problems, and the number of lines that were read.
    func run() async throws -> (problems: [String], lineCount: Int64) {
        var problems: [String] = []
        var pending: [PendingLayer] = []
        for round in 0..<size.roundCount {
            let isLast = round == size.roundCount - 1
            let cache = try await open()
            if await cache.pendingLayers() != pending { problems.append("the layers are not those that there were") }
            problems += try await self.round(round, cache)
            if isLast { problems += try await endLayers(cache) }
            pending = await cache.pendingLayers()
            await cache.checkInvariants()
            try await cache.close()
            problems += try SQLiteReader(path: path).verify().problems.map { "verify: \($0)" }
            if !problems.isEmpty { return (problems.map { "round \(round): \($0)" }, 0) }
        }
        let cache = try await open()
        for library in libraries {
            problems += try await library.problems(
                cache, mayLack: configuration.eviction.entityCountMax != nil)
        }
        let counts = await cache.counts()
        if !counts.isConserved() { problems.append("lines are not conserved: \(counts)") }
        try await closeAmidWork(cache, &problems)
        return (problems, counts.lines)
    }

    private func open() async throws -> SyncCache {
        var file = SQLiteJournal.Configuration(path: path)
        file.dictionarySampleCountMin = 200
        return try await SyncCache.open(
            configuration: configuration, journal: try await SQLiteJournal.open(file), upstream: upstream,
            queryUpstream: queryUpstream, clock: clock)
    }

    // MARK: A round

    private func round(_ number: Int, _ cache: SyncCache) async throws -> [String] {
        for library in libraries { try await cache.store(Self.list, for: Self.listKey(library)) }
        let tasks = SoakTasks(
            cache, libraries, round: number, seed: seed &* 100 &+ UInt64(number), stepCount: size.stepCount, path: path)
        let iterating = Task { try await iterate(cache) }
        await tasks.run()
        // A list that lost an element is a miss; the last answers restore all lists. The first one marks the end for
        // observers.
        var random = SeededGenerator(seed: seed, index: UInt64(number))
        for query in SoakNote.queries.indices.dropFirst() {
            try await cache.store(SoakNote.result(of: query, &random), for: SoakNote.key(query))
        }
        try await cache.store(SoakNote.result(of: 0, [SoakNote.last]), for: SoakNote.key(0))
        for sink in tasks.sinks { await cache.deliverAll(to: sink) }
        var problems = tasks.problems
        problems += try await differences(cache, tasks)
        for sink in tasks.sinks { await cache.detach(sink) }
        if let items = try await iterating.value, items != [SoakNote.last] {
            problems.append("iterating ended with \(items)")
        }
        return problems
    }

    private func iterate(_ cache: SyncCache) async throws -> [SoakNote]? {
        let observation = try cache.observe(
            SoakNote.self, method: "notes", input: [0], policy: .cacheOnly, allowsStale: true, library: SoakNote.library
        )
        do {
            for try await update in observation where update.items.contains(where: { $0.id == SoakNote.last.id }) {
                return update.items
            }
        } catch let error as CacheError where error.code == .cacheMiss {
            return nil
        }
        return nil
    }

    /// Returns the differences between the states of observers and the results of reads.
    private func differences(_ cache: SyncCache, _ tasks: SoakTasks) async throws -> [String] {
        let end = RaceSink(room: 0)
        for query in SoakNote.queries.indices { await tasks.observe(SoakNote.key(query), "notes \(query)", end) }
        for library in libraries { await tasks.observe(Self.listKey(library), "list of \(library.name)", end) }
        var ends: [String: RaceSink.Seen] = [:]
        for (subject, seen) in end.seen { ends[subject] = seen }
        let notes = (0..<SoakNote.count).map(SoakNote.entityKey)
        let watched = Set(tasks.sinks.flatMap(\.seen).map(\.subject))
        for key in notes + libraries.flatMap(\.keys) where watched.contains("\(key.library) \(key.text)") {
            ends["\(key.library) \(key.text)"] = .entity(try await cache.read(key, fields: nil).entity)
        }
        await cache.detach(end)
        return tasks.sinks.flatMap(\.seen).compactMap { subject, seen in
            ends[subject] == seen ? nil : "\(subject): \(seen), not \(String(describing: ends[subject]))"
        }
    }

    /// A local query of the first entities of a library by name.
    private static var list: QueryResult {
        var result = QueryResult(resourceType: "file", resources: [])
        result.membership = Array(#"{"resource_type":"file","order":[{"path":"/name"}],"limit":20}"#.utf8)
        result.isLocal = true
        return result
    }

    static func listKey(_ library: SoakLibrary) -> QueryKey {
        QueryKey(library: library.name, method: "files", canonicalInput: "{}")
    }

    // MARK: The end

    private func endLayers(_ cache: SyncCache) async throws -> [String] {
        for layer in await cache.pendingLayers() {
            do throws(CacheError) {
                try await cache.rollBack(layer.pendingID)
            } catch {
                // The layer was rolled back with one that it depended on.
                guard error.code == .unknownPending else { throw error }
            }
        }
        let rest = await cache.pendingLayers()
        return rest.isEmpty ? [] : ["layers that cannot be rolled back: \(rest)"]
    }

    /// Closes the cache while tasks use it: each of them is served or refused, and the file is sound.
    private func closeAmidWork(_ cache: SyncCache, _ problems: inout [String]) async throws {
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<4 as Range<UInt64> {
                group.addTask {
                    var random = SeededGenerator(seed: seed, index: 500 + index)
                    do {
                        for _ in 0..<40 {
                            try await cache.ingest(SoakNote.random(&random).line)
                            _ = try await cache.entity(random.pick(random.pick(libraries).keys))
                            if random.chance(200) { try await cache.flush() }
                        }
                    } catch {
                        // The cache was closed.
                    }
                }
            }
            group.addTask {
                for _ in 0..<Int(seed % 97) { await Task.yield() }
                do { try await cache.close() } catch {}
            }
        }
        let report = try SQLiteReader(path: path).verify()
        problems += report.problems.map { "verify, after closing amid work: \($0)" }
        try await open().close()
    }
}

extension SoakNote {
    /// The note that no task writes before the end.
    static let last = SoakNote(id: 99, open: true, rank: 99)
}
