import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkGraphQL

/// Observers are told of single fields without a run of their document, and see what a run would have told.
@Suite(.pooled) struct WatchedFieldTests {
    private static let document: ByteString = """
        { all { __typename id n alias: n m at { x y } friend { id m } } top: hero { n m } count }
        """

    private static let null = Tree.scalar("null")
    private static let ids = ["1", "2", "3", "4"]

    private static func item(_ id: String, _ random: inout SeededGenerator) -> String {
        let fields = [
            "\"id\":\"\(id)\"", "\"n\":\(random.below(4))",
            "\"m\":\"\(String(repeating: "m", count: random.below(6)))\"",
            "\"at\":{\"x\":\(random.below(3)),\"y\":0}", "\"friend\":{\"__ref\":\"Item:\(random.pick(ids))\"}",
        ]
        return "{" + fields.joined(separator: ",") + "}"
    }

    private static func open(_ random: inout SeededGenerator) async throws -> SyncCache {
        let cache = try await SyncCache.open(journal: MemoryJournal())
        await cache.attach { GraphQLEngine(rules: GraphQLRules(), upstream: nil) }
        let items = ids.map { id in
            #"{"__typename":"Item","id":"\#(id)","n":1,"alias":1,"m":"","at":{"x":1,"y":0},"#
                + #""friend":{"__typename":"Item","id":"1","m":""}}"#
        }
        let data =
            #"{"all":[\#(items.joined(separator: ","))],"top":{"__typename":"Item","id":"2","n":1,"m":""},"count":3}"#
        try await cache.writeDocument(GraphQLRequest(document), try ResponseParts(Array(#"{"data":\#(data)}"#.utf8)))
        return cache
    }

    private static func read(
        _ cache: SyncCache, observing mailbox: ObserverMailbox? = nil
    ) async -> Result<GraphQLReply, CacheError>? {
        var request = GraphQLReadRequest(GraphQLRequest(document))
        request.policy = .cacheOnly
        let (results, result) = AsyncStream.makeStream(of: Result<GraphQLReply, CacheError>.self)
        await cache.readDocument(request, observing: mailbox) {
            result.yield($0)
            result.finish()
        }
        for await read in results { return read }
        return nil
    }

    private static func step(_ cache: SyncCache, _ sequence: inout Int, _ random: inout SeededGenerator) async throws {
        let id = random.pick(ids)
        switch random.below(12) {
        case 0:
            try await cache.transact([.delete(type: "Item", id: ByteString(id))], library: "")
        case 1, 2:
            sequence += 1
            try await cache.ingest(
                Array(
                    #"{"sequence":\#(sequence),"event":{"ResourceChanged":{"resource_type":"Item","resource":\#(item(id, &random))}}}"#
                        .utf8) + [0x0A])
        case 3:
            try await cache.update(
                OptimisticUpdate(
                    pendingID: "p", library: "",
                    operations: [
                        .patch(
                            type: "Item", id: ByteString(id), fields: Array(#"{"n":\#(random.below(9))}"#.utf8),
                            unset: [])
                    ]))
            try await cache.transact([.put(type: "Item", resource: Array(item("3", &random).utf8))], library: "")
            try await cache.rollBack("p")
        case 4:
            try await cache.transact([.put(type: "Item", resource: Array(item(id, &random).utf8))], library: "")
        default:
            let fields = random.chance(500) ? #"{"n":\#(random.below(40))}"# : #"{"m":"\#(random.below(2_000))"}"#
            try await cache.transact(
                [
                    .patch(type: "Item", id: ByteString(id), fields: Array(fields.utf8), unset: []),
                    .patch(type: "Item", id: "2", fields: Array(#"{"other":\#(random.below(9))}"#.utf8), unset: []),
                ], library: "")
        }
    }

    @Test(arguments: TestScale.seeds(12))
    func `folding what an observer is told gives what a read gives`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let cache = try await Self.open(&random)
        let mailbox = ObserverMailbox()
        let first = try #require(await Self.read(cache, observing: mailbox)).get().result
        var shown = try Tree(parsing: first.data)
        var last: [String: Tree]?
        var sequence = 0
        var toldCount = 0
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 150) {
            do {
                try await Self.step(cache, &sequence, &random)
            } catch let error as CacheError where error.code == .invalidParams {
                // A patch of an entity that is deleted changes nothing.
            }
            var isTold = false
            while case .item(.notification(.document(let told))) = mailbox.take() {
                let params = try JSONValue(parsing: told.params)
                shown = try PatchFold.apply(PatchFold.operations(of: params["patch"]), to: shown)
                toldCount += 1
                isTold = true
                if case .object(let members) = Tree(params) { last = members }
            }
            if case .roomAgain = mailbox.take() { await cache.resume(mailbox) }
            switch try #require(await Self.read(cache)) {
            case .failure: #expect(last?["miss"] != Self.null, "\(walk)")
            case .success(let reply):
                #expect(shown == (try Tree(parsing: reply.result.data)), "\(walk)")
                guard let last else { continue }
                #expect(last["miss"] == Self.null && last["stale"] == .scalar("\(reply.result.isStale)"))
                let asOf = reply.result.asOf.map { "\($0.rawValue)" } ?? "null"
                if isTold { #expect(last["as_of"] == .scalar(asOf)) }
            }
        }
        #expect(toldCount > 0)
        try await cache.close()
    }

    @Test func `watchers of other entities cost a change nothing`() async throws {
        let alone = try await Self.counts(ownCount: 1_000, otherCount: 0)
        let beside = try await Self.counts(ownCount: 1_000, otherCount: 99_000)
        #expect(alone == beside)
        #expect(alone.looks == 1_000 && alone.runs == 0)
    }

    /// The work of one change of an entity that some watchers see, while others see other entities.
    private static func counts(ownCount: Int, otherCount: Int) async throws -> WatchCounts {
        let cache = try await SyncCache.open(journal: MemoryJournal())
        await cache.attach { GraphQLEngine(rules: GraphQLRules(), upstream: nil) }
        let request = GraphQLRequest("{ hero { __typename id n } }")
        try await cache.writeDocument(
            request, try ResponseParts(Array(#"{"data":{"hero":{"__typename":"Item","id":"0","n":1}}}"#.utf8)))
        let sink = CountingSink()
        try await cache.withWing(GraphQLEngine.self) { engine, cache in
            try engine.watchDirectly(request, count: ownCount, others: otherCount, sink: sink, in: cache)
        }
        try await cache.transact(
            [.patch(type: "Item", id: "0", fields: Array(#"{"n":2}"#.utf8), unset: [])], library: "")
        #expect(sink.count == ownCount)
        let counts = await cache.withWing(GraphQLEngine.self) { engine, _ in engine.watchCounts }
        try await cache.close()
        return counts
    }
}

/// Counts what observers are told.
private final class CountingSink: ObserverSink, @unchecked Sendable {
    // Only the cache's actor and, after it, the test use it: never both at once.
    private(set) var count = 0

    func offer(_ notification: CacheNotification) -> Bool {
        count += 1
        return true
    }

    func deliver(_ notification: CacheNotification) { count += 1 }
}

/// The work of an engine since it was made.
struct WatchCounts: Hashable {
    var looks: Int
    var runs: Int
}

extension GraphQLEngine {
    var watchCounts: WatchCounts { WatchCounts(looks: lookCount, runs: runCount) }

    /// Makes watchers of one read document, and others that each watch an entity of their own.
    fileprivate func watchDirectly(
        _ request: GraphQLRequest, count: Int, others: Int, sink: any ObserverSink,
        in cache: isolated SyncCache
    ) throws {
        let plan = try plan(request)
        let read = readEntities(
            plan, library: "", asked: [], freshness: GraphQLFreshness(now: cache.now),
            options: .init(notesPlaces: true), in: cache)
        guard case .read(let reading) = read.outcome else { preconditionFailure("what was written is not there") }
        for number in 0..<count + others {
            let watcher = DocumentWatcher(
                cache.newSubscription(), GraphQLReadRequest(request), plan, sink: sink, shown: GraphQLSnapshot(reading))
            let isOwn = number < count
            let key = GraphQLKey(type: "Item", id: ByteString("other \(number)"))
            add(watcher, isOwn ? reading.visits : [EntityVisit(key: key, collection: 0)], in: cache)
            if isOwn { watcher.shown.replace(GraphQLSnapshot(reading), places: reading.places, handles: watcher.keys) }
        }
    }
}

extension PatchFold {
    /// Reads the operations of a notification.
    static func operations(of patch: JSONValue?) throws -> [PatchOperation] {
        guard case .array(let operations)? = patch else { throw Broken() }
        return try operations.map { operation in
            let path = try self.path(operation["path"])
            guard case .string(let name)? = operation["op"] else { throw Broken() }
            switch name {
            case "add": return PatchOperation(.add(operation["value"]?.bytes ?? []), at: path)
            case "replace": return PatchOperation(.replace(operation["value"]?.bytes ?? []), at: path)
            case "remove": return PatchOperation(.remove, at: path)
            case "move": return PatchOperation(.move(from: try self.path(operation["from"])), at: path)
            default: throw Broken()
            }
        }
    }

    /// Reads a pointer in which no name is a number.
    private static func path(_ pointer: JSONValue?) throws -> ResponsePath {
        guard case .string(let text)? = pointer else { throw Broken() }
        return text.split(separator: "/").map { part in
            Int(part).map { .index($0) } ?? .name(ByteString(String(part)))
        }
    }
}
