import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

private struct Note: Resource, Equatable {
    static let resourceType = "note"
    var id: Int
    var open: Bool
    var rank: Int
}

/// Subscribing and the first answer are one step: whatever several tasks do at once, an observer's first answer with
/// all its notifications applied equals a read at the end.
///
/// The machine decides the order of tasks; a seed repeats the operations of each.
@Suite(.pooled(minutes: 600), .tags(.race)) struct SubscriptionRaceTests {
    /// The number of rounds, from `TIDEMARK_SCALE=races=1000`; 300 without it.
    private static let roundCount =
        TestScale.races.number ?? 300

    @Test func `no change is lost between a first answer and the notifications after it`() async throws {
        for round in 0..<SubscriptionRaceTests.roundCount {
            let problems = try await Race(seed: UInt64(round)).run()
            #expect(problems.isEmpty, "seed \(round): \(problems)")
            if !problems.isEmpty { return }
        }
    }
}

/// One cache, and tasks that change, read and observe it at once.
private struct Race {
    private static let entityCount = 6
    /// The queries: one in the server's order, one with a rule, and a local one with a rule and a limit.
    private static let rules: [(text: String?, isLocal: Bool)] = [
        (nil, false),
        (#"{"resource_type":"note","where":{"path":"/open","eq":true},"order":[{"path":"/rank"}]}"#, false),
        (#"{"resource_type":"note","order":[{"path":"/rank","direction":"desc"}],"limit":3}"#, true),
    ]

    let seed: UInt64

    func run() async throws -> [String] {
        var configuration = CacheConfiguration()
        configuration.flush.interval = .milliseconds(1)
        // Every entity that is not observed is evicted after each flush, and loaded from the journal again.
        configuration.memoryByteCountMax = 0
        let cache = try await SyncCache.open(configuration: configuration, journal: MemoryJournal())
        var random = SeededGenerator(seed: seed)
        for query in Race.rules.indices where random.chance(700) { try await put(query, into: cache, &random) }
        let sinks = (0..<2).map { _ in RaceSink(room: random.below(6)) }
        let iterated = try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<2 {
                group.addTask { try await change(cache, SeededGenerator(seed: seed, index: UInt64(task))) }
            }
            for (task, sink) in sinks.enumerated() {
                group.addTask { try await observe(cache, sink, SeededGenerator(seed: seed, index: UInt64(10 + task))) }
            }
            group.addTask { try await read(cache, SeededGenerator(seed: seed, index: 20)) }
            let iterating = Task { try await iterate(cache) }
            try await group.waitForAll()
            return iterating
        }
        // The last answer is marked as the last, so that iterating readers know when to compare.
        try await put(0, [Note(id: 99, open: true, rank: 99)], into: cache)
        for sink in sinks { await cache.deliverAll(to: sink) }
        var problems = sinks.flatMap(\.problems)
        problems += try await differences(cache, sinks)
        if let items = try await iterated.value, items != [Note(id: 99, open: true, rank: 99)] {
            problems.append("iterating ended with \(items)")
        }
        try await cache.close()
        return problems
    }

    // MARK: The tasks

    /// Feeds events, answers and invalidations.
    private func change(_ cache: SyncCache, _ random: SeededGenerator) async throws {
        var random = random
        for _ in 0..<8 {
            switch random.below(10) {
            case 0..<6: try await cache.ingest(event(&random))
            case 6, 7: try await put(random.below(Race.rules.count), into: cache, &random)
            case 8: _ = try await cache.invalidate(Invalidation())
            default: try await cache.flush()
            }
        }
    }

    /// Adds and cancels observers.
    private func observe(_ cache: SyncCache, _ sink: RaceSink, _ random: SeededGenerator) async throws {
        var random = random
        for _ in 0..<6 {
            switch random.below(8) {
            case 0..<4:
                try await observe(cache, random.below(Race.rules.count), sink)
            case 4:
                let entity = random.below(Race.entityCount)
                await cache.observe(Race.entityKey(entity), fields: nil, sink: sink) { result in
                    guard case .success(let (read, subscription)) = result else { return }
                    sink.begin(subscription, of: "entity \(entity)", .entity(read.entity))
                }
            case 5:
                guard let subscription = sink.subscriptions.first else { continue }
                try await cache.cancel(subscription)
                sink.end(subscription)
            default:
                sink.makeRoom(random.below(6))
                await cache.resume(sink)
            }
        }
    }

    private func observe(_ cache: SyncCache, _ query: Int, _ sink: RaceSink) async throws {
        var request = QueryRequest(try Race.key(query), policy: .cacheOnly)
        request.allowsStale = true
        await cache.read(request, observing: sink) { result in
            guard case .success(let reply) = result else { return }
            let first = RaceSink.Seen.list(reply.answer.entities, isStale: reply.answer.isStale)
            sink.begin(reply.subscription, of: "query \(query)", first)
        }
    }

    private func read(_ cache: SyncCache, _ random: SeededGenerator) async throws {
        var random = random
        for _ in 0..<6 {
            _ = try await cache.entity(Race.entityKey(random.below(Race.entityCount)))
            await cache.read(
                QueryRequest(try Race.key(random.below(Race.rules.count)), policy: .cacheOnly), observing: nil,
                reply: { _ in })
        }
    }

    /// Reads the list in the server's order as an asynchronous sequence, until its last answer.
    ///
    /// - Returns: nil when there was no first answer.
    private func iterate(_ cache: SyncCache) async throws -> [Note]? {
        let observation = try cache.observe(
            Note.self, method: "race", input: [0], policy: .cacheOnly, allowsStale: true)
        do {
            for try await update in observation where update.items.contains(where: { $0.id == 99 }) {
                return update.items
            }
        } catch let error as CacheError where error.code == .cacheMiss {
            return nil
        }
        return nil
    }

    // MARK: At the end

    private func differences(_ cache: SyncCache, _ sinks: [RaceSink]) async throws -> [String] {
        let end = RaceSink(room: 0)
        for query in Race.rules.indices { try await observe(cache, query, end) }
        var ends: [String: RaceSink.Seen] = [:]
        for (subject, seen) in end.seen { ends[subject] = seen }
        for entity in 0..<Race.entityCount {
            switch try await cache.entity(Race.entityKey(entity)) {
            case .found(let resource): ends["entity \(entity)"] = .entity(resource.bytes)
            case .missing: ends["entity \(entity)"] = .entity(nil)
            }
        }
        return sinks.flatMap(\.seen).compactMap { subject, seen in
            ends[subject] == seen ? nil : "\(subject): \(seen), not \(String(describing: ends[subject]))"
        }
    }

    // MARK: Events and queries

    private static func key(_ query: Int) throws -> QueryKey {
        try QueryKey(library: "", method: "race", input: Array("[\(query)]".utf8))
    }

    private static func entityKey(_ entity: Int) -> EntityKey {
        EntityKey(library: "", type: "note", id: ByteString("\(entity)"))
    }

    private func event(_ random: inout SeededGenerator) -> [UInt8] {
        let entity = random.below(Race.entityCount)
        if random.chance(150) {
            return Array(EventLine.delete("\(entity)", type: "note").utf8)
        }
        let note = Race.text(Note(id: entity, open: random.chance(600), rank: random.below(4)))
        return Array(EventLine.change(note, type: "note").utf8)
    }

    private static func text(_ note: Note) -> String {
        #"{"id":\#(note.id),"open":\#(note.open),"rank":\#(note.rank)}"#
    }

    private func put(_ query: Int, into cache: SyncCache, _ random: inout SeededGenerator) async throws {
        let notes = (0..<Race.entityCount).filter { _ in random.chance(500) }.map {
            Note(id: $0, open: random.chance(600), rank: random.below(4))
        }
        try await put(query, notes, into: cache)
    }

    private func put(_ query: Int, _ notes: [Note], into cache: SyncCache) async throws {
        var result = QueryResult(resourceType: "note", resources: notes.map { Array(Race.text($0).utf8) })
        result.membership = Race.rules[query].text.map { Array($0.utf8) }
        result.isLocal = Race.rules[query].isLocal
        try await cache.store(result, for: try Race.key(query))
    }
}
