import Foundation
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSQLite

/// A whole file, decoded as the other peers decode it.
extension FileRecord: Resource {
    static let resourceType = "file"
}

/// Measures one cache in all phases.
struct TidemarkMeasurement {
    /// The part of a file that an observer of a list needs. In the paced phase `size` is the number of the change.
    private struct Item: Resource {
        static let resourceType = "file"
        var id: String
        var size: Int64
    }

    /// The state that observers share with the code that waits for them.
    private final class Told: Sendable {
        /// The number of observers that have their first answer.
        let readyCount = Atomic(0)
        /// The number of updates that observers have received, each merged one included.
        let count = Atomic(0)
        /// The moment when the first paced change is due; 0 outside the paced phase.
        let start = Atomic(Int64(0))
        /// The nanoseconds between two paced changes.
        let interval = Atomic(Int64(0))
    }

    /// Holds the answer to a read from the cache alone. The answer exists when the call returns.
    private final class AnswerBox: Sendable {
        private let reply = Mutex<Result<QueryReply, CacheError>?>(nil)

        func put(_ result: Result<QueryReply, CacheError>) { reply.withLock { $0 = result } }

        func take() throws -> QueryAnswer {
            guard let result = reply.withLock({ $0 }) else { throw PeerError("a read gave no answer") }
            return try result.get().answer
        }
    }

    private static let databaseName = "tidemark.db"
    private static let method = "peers.list"
    /// The file with the name of the library, for the processes that answer from the database.
    private static let libraryName = "library.txt"

    private let workload: Workload
    private let scratch: URL
    private let configuration: CacheConfiguration
    private let library: String
    private let told = Told()

    init(_ workload: Workload, in scratch: URL, _ configuration: CacheConfiguration) throws {
        self.workload = workload
        self.scratch = scratch
        self.configuration = configuration
        let line = String(decoding: try workload.lines("touch", countMax: 1)[0], as: UTF8.self)
        guard let name = line.firstMatch(of: /"library_id":"([^"]+)"/) else { throw PeerError("no library: \(line)") }
        library = String(name.1)
    }

    /// Runs all phases. `name` is the peer's name on the command line.
    func run(as name: String) async throws -> Figures {
        var figures = Figures()
        let folder = scratch.appending(path: "cache")
        let cache = try await SyncCache.open(
            path: folder.appending(path: TidemarkMeasurement.databaseName).path, configuration: configuration)
        figures.loadPerSecond =
            workload.count("load") / (try await Machine.seconds { try await ingest(["load"], into: cache) })
        for number in workload.lists.indices { try await storeList(number, in: cache) }
        try await cache.flush()

        let latencies = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for number in workload.lists.indices { group.addTask { try await observe(number, of: cache) } }
            while told.readyCount.load(ordering: .acquiring) < workload.lists.count { await Task.yield() }
            try await measureUpdates(of: cache, into: &figures)
            try await measurePaced(of: cache, into: &figures)
            try await measureLists(of: cache, into: &figures)
            try await measureEdits(of: cache, into: &figures)
            group.cancelAll()
            return try await group.reduce(into: [Int64]()) { $0 += $1 }
        }
        figures.setLatencies(latencies, rate: figures.latencyRate ?? 0)
        let count = await cache.entityCount()
        guard count == workload.expected.entities else { throw PeerError("there are \(count) entities") }
        try await cache.close()
        figures.diskBytes = try Machine.byteCount(of: folder)

        try library.write(
            to: scratch.appending(path: TidemarkMeasurement.libraryName), atomically: true, encoding: .utf8)
        figures.coldStartMs = try Machine.answerTime(name, scratch: scratch, ["--answer", try listedID()])
        figures.firstAnswerMs = try Machine.answerTime(name, scratch: scratch, ["--answer-list"])
        return figures
    }

    // MARK: Phases

    private func measureUpdates(of cache: SyncCache, into figures: inout Figures) async throws {
        let seconds = try await Machine.seconds {
            try await ingest(["update", "delete"], into: cache)
            await waitUntilTold(workload.expected.notifications)
        }
        figures.updatePerSecond = workload.count("update", "delete") / seconds
        figures.observers = workload.lists.count
        figures.notifications = told.count.load(ordering: .acquiring)
        figures.memoryBytes = try Machine.peakByteCount()
    }

    private func measurePaced(of cache: SyncCache, into figures: inout Figures) async throws {
        let rate = Figures.rate(updatePerSecond: figures.updatePerSecond ?? 0)
        figures.latencyRate = rate
        let interval = Int64(1e9 / rate)
        let lines = try workload.lines("paced").map { [UInt8]($0) }
        let start = Machine.now() + 10_000_000
        told.interval.store(interval, ordering: .releasing)
        told.start.store(start, ordering: .releasing)
        for (number, line) in lines.enumerated() {
            let due = start + Int64(number) * interval
            while Machine.now() < due { await Task.yield() }
            try await cache.ingest(line)
        }
        await waitUntilTold(workload.expected.notifications + (workload.expected.pairs["paced"] ?? 0))
        told.start.store(0, ordering: .releasing)
    }

    private func measureLists(of cache: SyncCache, into figures: inout Figures) async throws {
        var (changed, again, decoded): ([Double], [Double], [Double]) = ([], [], [])
        for (number, line) in try workload.lines("touch").enumerated() {
            try await cache.ingest([UInt8](line))
            let request = QueryRequest(try key(number), policy: .cacheOnly)
            var counts: [Int] = []
            changed.append(
                try await Machine.seconds {
                    counts.append(try await TidemarkMeasurement.read(request, of: cache).entities.count)
                } * 1e3)
            again.append(
                try await Machine.seconds {
                    counts.append(try await TidemarkMeasurement.read(request, of: cache).entities.count)
                } * 1e3)
            decoded.append(
                try await Machine.seconds {
                    let list = try await cache.query(
                        FileRecord.self, method: TidemarkMeasurement.method, input: ["n": number], policy: .cacheOnly,
                        library: library)
                    counts.append(list.items.count)
                } * 1e3)
            guard counts[0] > 0, Set(counts).count == 1 else { throw PeerError("list \(number) has \(counts) files") }
        }
        (figures.listMs, figures.listUnchangedMs, figures.listDecodedMs) = (
            changed.median, again.median, decoded.median
        )
    }

    private func measureEdits(of cache: SyncCache, into figures: inout Figures) async throws {
        let id = ByteString(try listedID())
        let patch = TransactionOperation.patch(
            type: "file", id: id, fields: Array(#"{"name":"edited"}"#.utf8), unset: [])
        var (seen, durable): ([Double], [Double]) = ([], [])
        for number in 0..<100 {
            let update = OptimisticUpdate(
                pendingID: ByteString("edit-\(number)"), library: ByteString(library), operations: [patch])
            seen.append(
                try await Machine.seconds {
                    try await cache.begin(update)
                    try await cache.beginRollBack(update.pendingID)
                } * 1e6)
            try await cache.flush()
            durable.append(
                try await Machine.seconds {
                    try await cache.update(update)
                    try await cache.rollBack(update.pendingID)
                } * 1e6)
        }
        (figures.optimisticUs, figures.optimisticDurableUs) = (seen.median, durable.median)
    }

    // MARK: Lines

    /// Ingests the lines of files. Everything is durable when this returns.
    private func ingest(_ names: [String], into cache: SyncCache) async throws {
        for name in names {
            let file = open(workload.path(name), O_RDONLY)
            guard file >= 0 else { throw PeerError("cannot read \(workload.path(name))") }
            defer { close(file) }
            let stream = try await IngestStream(of: try DescriptorInput(file), into: cache)
            while try await stream.next() {}
            try await stream.finish()
        }
    }

    // MARK: Lists

    /// Stores a list, as if a server had answered with the current contents of its files.
    private func storeList(_ number: Int, in cache: SyncCache) async throws {
        var resources: [[UInt8]] = []
        for id in workload.lists[number] {
            let key = EntityKey(library: ByteString(library), type: "file", id: ByteString(id))
            guard case .found(let found) = try await cache.entity(key) else { throw PeerError("\(id) is not there") }
            resources.append(found.bytes)
        }
        try await cache.store(QueryResult(resourceType: "file", resources: resources), for: try key(number))
    }

    private func key(_ number: Int) throws -> QueryKey { try TidemarkMeasurement.key(number, library: library) }

    private static func key(_ number: Int, library: String) throws -> QueryKey {
        try QueryKey(
            library: ByteString(library), method: ByteString(method), input: Array("{\"n\":\(number)}".utf8))
    }

    /// Returns the id of a file that is in a list and was not deleted.
    private func listedID() throws -> String {
        let line = try workload.lines("touch", countMax: 1)[0]
        guard let file = try JSONDecoder().decode(Envelope<Item>.self, from: line).event.changed?.resource else {
            throw PeerError("no file: \(line)")
        }
        return file.id
    }

    /// Reads a list from the cache alone.
    private static func read(_ request: QueryRequest, of cache: SyncCache) async throws -> QueryAnswer {
        let box = AnswerBox()
        await cache.read(request, observing: nil, reply: { box.put($0) })
        return try box.take()
    }

    // MARK: Observers

    /// Observes a list until the task is cancelled.
    ///
    /// - Returns: The latency of each change in the paced phase, in nanoseconds.
    private func observe(_ number: Int, of cache: SyncCache) async throws -> [Int64] {
        var latencies: [Int64] = []
        var isFirst = true
        let updates = try cache.observe(
            Item.self, method: TidemarkMeasurement.method, input: ["n": number], library: library)
        for try await update in updates {
            if isFirst {
                isFirst = false
                told.readyCount.add(1, ordering: .releasing)
                continue
            }
            let start = told.start.load(ordering: .acquiring)
            if start > 0 {
                let now = Machine.now()
                let interval = told.interval.load(ordering: .acquiring)
                for case .update(let item, _) in update.changes {
                    latencies.append(now - start - item.size * interval)
                }
            }
            told.count.add(1 + update.missed, ordering: .releasing)
        }
        return latencies
    }

    /// Waits until observers have received this number of updates.
    private func waitUntilTold(_ count: Int) async {
        while told.count.load(ordering: .acquiring) < count { await Task.yield() }
    }

    // MARK: From the disk

    static func answer(_ id: String, in scratch: URL) async throws -> String? {
        let (cache, library) = try await reopened(scratch)
        let key = EntityKey(library: ByteString(library), type: "file", id: ByteString(id))
        guard case .found(let found) = try await cache.entity(key) else { return nil }
        return String(decoding: found.bytes, as: UTF8.self)
    }

    static func answerList(in scratch: URL) async throws -> String? {
        let (cache, library) = try await reopened(scratch)
        let answer = try await read(QueryRequest(try key(0, library: library), policy: .cacheOnly), of: cache)
        return answer.entities.isEmpty ? nil : "\(answer.entities.count)"
    }

    /// Opens the cache that a measurement left, and returns it with the name of its library.
    private static func reopened(_ scratch: URL) async throws -> (SyncCache, library: String) {
        let library = try String(contentsOf: scratch.appending(path: libraryName), encoding: .utf8)
        let cache = try await SyncCache.open(path: scratch.appending(path: "cache").appending(path: databaseName).path)
        return (cache, library)
    }
}
