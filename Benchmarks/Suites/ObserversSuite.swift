import Synchronization
import Tidemark
import TidemarkModel
import TidemarkTesting

/// The latency from passing a line to the cache until a task that observes a list has the change, in one process.
enum ObserversSuite {
    private struct Item: Resource {
        static let resourceType = "file"
        var id: String
        /// The moment at which the line was about to be applied.
        var sent: Int64
    }

    /// An item with its version, for a reader that tracks which events it has received.
    private struct VersionedItem: Resource {
        static let resourceType = "file"
        var id: String
        /// The number of the event that wrote the item; 0 before the first event.
        var version: Int
    }

    /// The newest version that a reader has received.
    private final class Progress: Sendable {
        let version = Atomic(0)
    }

    /// The number of observers that have their first answer.
    private final class Ready: Sendable {
        let count = Atomic(0)
    }

    private static let elementCount = 100
    private static let eventsPerSecond = 10_000

    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let eventCount = isSmoke ? 2_000 : 50_000
        let listCount = isSmoke ? 100 : 1_000
        if report.isWanted("bare AsyncStream") {
            try await handOver(taskCount: listCount, eventCount: eventCount, into: &report)
        }
        for (name, lists, observers) in [
            ("\(listCount) lists", listCount, 1), ("\(listCount / 10) lists, 10 each", listCount / 10, 10),
        ] where report.isWanted(name) {
            try await latency(
                name, listCount: lists, observersPerList: observers, eventCount: eventCount,
                goal: observers == 1 ? 50 : nil, into: &report)
        }
        let goal = 1 / 0.9
        let entityCount = isSmoke ? 1_000 : 10_000
        for (name, listedCount, goal, hasReader) in [
            ("observer that never reads, a tenth", entityCount / 10, goal, false),
            ("observer that never reads, all", entityCount, nil, false),
            ("one that never reads beside one that does", entityCount, goal, true),
        ] where report.isWanted(name) {
            report.add(
                try await stalled(
                    name, entityCount: entityCount, listedCount: listedCount, eventCount: isSmoke ? 2_000 : 100_000,
                    runs: runs, goal: goal, hasReader: hasReader))
        }
    }

    // MARK: The machine's own price

    /// Measures how fast one task wakes another one through a stream of the standard library. No observer can be
    /// faster.
    private static func handOver(taskCount: Int, eventCount: Int, into report: inout Report) async throws {
        var random = SeededGenerator(seed: 20_260_103)
        let targets = (0..<eventCount).map { _ in random.below(taskCount) }
        let streams = (0..<taskCount).map { _ in AsyncStream.makeStream(of: Int64.self) }
        let latencies = await withTaskGroup(of: [Int64].self) { group in
            for (stream, _) in streams {
                group.addTask {
                    var latencies: [Int64] = []
                    for await sent in stream { latencies.append(Moment.now() - sent) }
                    return latencies
                }
            }
            let pacer = Pacer(count: eventCount, perSecond: eventsPerSecond)
            for target in targets {
                await pacer.next()
                streams[target].continuation.yield(Moment.now())
            }
            for (_, continuation) in streams { continuation.finish() }
            return await group.reduce(into: Latencies()) { $0.append($1) }
        }
        latencies.report("bare AsyncStream", hash: UInt64(latencies.count), into: &report)
    }

    // MARK: Latency

    /// Measures the latency of observers, each of which observes one list.
    private static func latency(
        _ name: String, listCount: Int, observersPerList: Int, eventCount: Int, goal: Double?,
        into report: inout Report
    ) async throws {
        let cache = try await SyncCache.open(journal: ForgetfulJournal())
        for list in 0..<listCount {
            try await put(list, of: cache, indexes: list * elementCount..<(list + 1) * elementCount)
        }
        var random = SeededGenerator(seed: 20_260_104)
        var expected = [Int](repeating: 0, count: listCount)
        let lines = (0..<eventCount).map { event in
            let index = random.below(listCount * elementCount)
            expected[index / elementCount] += 1
            var line: [UInt8] = []
            Sample.appendChange(of: index, version: event + 1, sequence: event + 1, to: &line)
            return line
        }
        let ready = Ready()
        let toldCount = expected
        var hash: UInt64 = 0
        var missed = 0
        let latencies = try await withThrowingTaskGroup(of: (told: [Int64], missed: Int).self) { group in
            for list in 0..<listCount {
                for _ in 0..<observersPerList {
                    group.addTask { try await observe(list, of: cache, toldCount: toldCount[list], ready) }
                }
            }
            while ready.count.load(ordering: .acquiring) < listCount * observersPerList { await Task.yield() }
            let pacer = Pacer(count: eventCount, perSecond: eventsPerSecond)
            for line in lines {
                var line = line
                let place = Sample.places(in: line)[0]
                await pacer.next()
                Sample.stamp(&line, at: place, with: Moment.now())
                try await cache.ingest(line)
            }
            var latencies = Latencies()
            for try await (told, missedCount) in group {
                latencies.append(told)
                missed += missedCount
                hash &+= UInt64(told.count + missedCount)
            }
            return latencies
        }
        precondition(hash == UInt64(eventCount * observersPerList), "\(hash) notifications came, not all")
        latencies.report(name, goal: goal, hash: hash, into: &report)
        report.add(name: "\(name), merged", value: Double(missed), unit: "updates", goal: nil, hash: hash)
        try await cache.close()
    }

    /// Stores a list with the first version of its entities.
    private static func put(_ list: Int, of cache: SyncCache, indexes: Range<Int>) async throws {
        let result = QueryResult(
            resourceType: ByteString(Item.resourceType), resources: indexes.map { Sample.resource($0, version: 0) })
        let key = try QueryKey(library: "", method: "sample.list", input: Array("{\"n\":\(list)}".utf8))
        try await cache.store(result, for: key)
    }

    /// Observes one list until all updates have arrived, merged or not.
    ///
    /// - Returns: The latency of each update in nanoseconds, and the number of updates that were merged into later
    ///   ones.
    private static func observe(
        _ list: Int, of cache: SyncCache, toldCount: Int, _ ready: Ready
    ) async throws -> (told: [Int64], missed: Int) {
        var latencies: [Int64] = []
        var missed = 0
        var isFirst = true
        for try await update in try cache.observe(Item.self, method: "sample.list", input: ["n": list]) {
            let now = Moment.now()
            if isFirst {
                isFirst = false
                ready.count.add(1, ordering: .releasing)
            } else {
                guard case .update(let item, _)? = update.changes.last else { preconditionFailure("\(update.changes)") }
                latencies.append(now - item.sent)
                missed += update.missed
            }
            if latencies.count + missed == toldCount { break }
        }
        return (latencies, missed)
    }

    // MARK: Throughput

    /// Measures the same events with an observer that does not read, and without one.
    ///
    /// - Parameter hasReader: Whether both caches also have an observer that reads. The figure is then the cost of the
    ///   observer that does not read for the one that does.
    private static func stalled(
        _ name: String, entityCount: Int, listedCount: Int, eventCount: Int, runs: Int, goal: Double?,
        hasReader: Bool = false
    ) async throws -> Measurement {
        let decoder = try SampleDecoder()
        var seconds: [Double] = []
        var referenceSeconds: [Double] = []
        let (reference, subject) = (
            try await SyncCache.open(journal: ForgetfulJournal()), try await SyncCache.open(journal: ForgetfulJournal())
        )
        for cache in [reference, subject] {
            try await put(0, of: cache, indexes: 0..<listedCount)
            try await put(1, of: cache, indexes: listedCount..<entityCount)
        }
        var iterator = try subject.observe(Item.self, method: "sample.list", input: ["n": 0]).makeAsyncIterator()
        _ = try await iterator.next()
        let progress =
            hasReader ? [ObjectIdentifier(reference): Progress(), ObjectIdentifier(subject): Progress()] : [:]
        let readers = [reference, subject].compactMap { cache in
            progress[ObjectIdentifier(cache)].map { progress in Task { try await read(cache, progress) } }
        }
        defer { for reader in readers { reader.cancel() } }
        var sequence = 0
        for run in 0...runs {
            var lines: [UInt8] = []
            for event in 0..<eventCount {
                sequence += 1
                Sample.appendChange(of: event &* 7_919 % entityCount, version: sequence, sequence: sequence, to: &lines)
            }
            let batches = try decoder.batches(of: lines)
            let clock = ContinuousClock()
            // The order alternates, and neither cache is timed while the other one still notifies or writes.
            for cache in run.isMultiple(of: 2) ? [reference, subject] : [subject, reference] {
                let start = clock.now
                for batch in batches { try await cache.ingest(batch) }
                let time = (clock.now - start).inSeconds
                while let progress = progress[ObjectIdentifier(cache)],
                    progress.version.load(ordering: .acquiring) < sequence
                {
                    await Task.yield()
                }
                try await cache.flush()
                guard run > 0 else { continue }
                if cache === reference { referenceSeconds.append(time) } else { seconds.append(time) }
            }
        }
        let hash = UInt64(await subject.counts().applied)
        withExtendedLifetime(iterator) {}
        try await reference.close()
        try await subject.close()
        return Measurement(
            name: name, unit: "event", count: eventCount, seconds: seconds,
            referenceName: hasReader ? "one that reads" : "no observer",
            referenceSeconds: referenceSeconds, goal: goal, hash: hash)
    }

    /// Observes a list until the task is cancelled, and notes each version that arrives.
    private static func read(_ cache: SyncCache, _ progress: Progress) async throws {
        for try await update in try cache.observe(VersionedItem.self, method: "sample.list", input: ["n": 0]) {
            var version = progress.version.load(ordering: .relaxed)
            // The first update has no changes, and its items can have any version.
            for item in update.changes.isEmpty ? update.items : [] { version = max(version, item.version) }
            for case .update(let item, _) in update.changes { version = max(version, item.version) }
            progress.version.store(version, ordering: .releasing)
        }
    }
}
