import TestTraits
import Testing
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark
@testable import TidemarkGraphQL
@testable import TidemarkStore

/// Reads from entities where they lie in memory.
@Suite(.pooled) struct LentEntityTests {
    private static let ids = ["1", "2", "aaaaaaaa-0000-4000-8000-00000000000b", "with \\\"quotes\\\""]
    private static let documents: [ByteString] = [
        "{ all { __typename id n m at { x y } friend { __typename id m } } }",
        "{ all { id n tags friend { id friend { n } } } top: hero { m } }",
        "{ hero { m other } }",
    ]
    private static let schema = """
        type Query { all: [Item!]! hero: Item }
        type Item @cacheControl(maxAge: 60) {
          id: ID! n: Int m: String @cacheControl(maxAge: 5) at: Point friend: Item tags: [String] other: Int
        }
        type Point { x: Int y: Int }
        """

    private static func rules(_ schema: String?) throws -> GraphQLRules {
        guard let schema else { return GraphQLRules() }
        let parsed = try GraphQLSchema.read(Array(schema.utf8))
        return GraphQLRules(
            schema: parsed, identity: parsed.identity, policy: try CachePolicy.read(Array(schema.utf8)))
    }

    private static func open(_ rules: GraphQLRules, clock: ManualClock) async throws -> SyncCache {
        let cache = try await SyncCache.open(journal: MemoryJournal(), clock: clock)
        await cache.attach { GraphQLEngine(rules: rules, upstream: nil) }
        let items = ids.map { id in
            #"{"__typename":"Item","id":"\#(id)","n":1,"m":"","at":{"x":1,"y":0},"#
                + #""friend":{"__typename":"Item","id":"1","m":""}}"#
        }
        let all = #"{"data":{"all":[\#(items.joined(separator: ","))]}}"#
        try await cache.writeDocument(GraphQLRequest(documents[0]), try ResponseParts(Array(all.utf8)))
        let rest =
            all.replacing(#""m":"","at":{"x":1,"y":0},"#, with: #""tags":["a",null],"#)
            .replacing(#""id":"1","m":""}}"#, with: #""id":"1","friend":{"__typename":"Item","id":"2","n":1}}}"#)
            .dropLast(2) + #","top":{"__typename":"Item","id":"2","m":""}}}"#
        try await cache.writeDocument(GraphQLRequest(documents[1]), try ResponseParts(Array(rest.utf8)))
        let hero = #"{"data":{"hero":{"__typename":"Item","id":"1","m":"hero","other":null}}}"#
        try await cache.writeDocument(GraphQLRequest(documents[2]), try ResponseParts(Array(hero.utf8)))
        return cache
    }

    /// The changes so far.
    private struct Steps {
        var sequence = 0
        /// The entity that the last step deleted.
        var deleted: String?
        var hasLayer = false
    }

    /// Changes one entity by one of the ways in which entities change.
    private static func step(
        _ cache: SyncCache, _ steps: inout Steps, _ random: inout SeededGenerator
    ) async throws {
        if let id = steps.deleted {
            steps.deleted = nil
            let resource = Array(#"{"id":"\#(id)","n":0,"m":"put","tags":[],"at":null}"#.utf8)
            return _ = try await cache.transact([.put(type: "Item", resource: resource)], library: "")
        }
        let id = random.pick(ids)
        let key = ByteString(id.replacing("\\", with: ""))
        let fields = Array(#"{"n":\#(random.below(40)),"other":\#(random.below(3))}"#.utf8)
        switch random.below(7) {
        case 0:
            try await cache.transact([.delete(type: "Item", id: key)], library: "")
            steps.deleted = id
        case 1, 2:
            steps.sequence += 1
            let resource =
                #"{"id":"\#(id)","\u006d":"event","n":1,"n":\#(steps.sequence),"at":{"y":2,"x":1},"friend":"2"}"#
            try await cache.ingest(
                Array(
                    #"{"sequence":\#(steps.sequence),"event":{"ResourceChanged":{"resource_type":"Item","resource":\#(resource)}}}"#
                        .utf8) + [0x0A])
        case 3:
            if steps.hasLayer {
                try await cache.rollBack("p")
            } else {
                let patch = TransactionOperation.patch(type: "Item", id: key, fields: fields, unset: [])
                try await cache.update(OptimisticUpdate(pendingID: "p", library: "", operations: [patch]))
            }
            steps.hasLayer.toggle()
        case 4:
            let hero = #"{"data":{"hero":{"__typename":"Item","id":"\#(id)","m":"new","other":\#(random.below(9))}}}"#
            try await cache.writeDocument(GraphQLRequest(documents[2]), try ResponseParts(Array(hero.utf8)))
        default:
            try await cache.transact([.patch(type: "Item", id: key, fields: fields, unset: [])], library: "")
        }
    }

    @Test(arguments: [(nil, 1), (nil, 2), (nil, 3), (schema, 4), (schema, 5), (schema, 6)] as [(String?, UInt64)])
    func `a read of lent entities gives what a read that looks each up gives`(_ schema: String?, _ seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let clock = ManualClock(now: 1_000_000)
        let cache = try await LentEntityTests.open(try LentEntityTests.rules(schema), clock: clock)
        var steps = Steps()
        var lentCount = 0
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 120) {
            try await LentEntityTests.step(cache, &steps, &random)
            clock.advance(milliseconds: Int64(random.below(4_000)))
            for document in LentEntityTests.documents {
                for completeness in [GraphQLCompleteness.whole, .partial] {
                    let reads = try await cache.withWing(GraphQLEngine.self) { engine, cache in
                        try engine.reads(GraphQLRequest(document), completeness, in: cache)
                    }
                    #expect(reads.lent == reads.lookedUp, "\(walk)")
                    #expect(reads.unnoted.map(\.data) == reads.lookedUp.map(\.data), "\(walk)")
                    #expect(reads.unnoted.map(\.asOf) == reads.lookedUp.map(\.asOf), "\(walk)")
                    #expect(reads.unnoted.map(\.keys.count) == reads.lookedUp.map(\.keys.count), "\(walk)")
                    lentCount += reads.lentCount
                }
            }
        }
        #expect(lentCount > 500 && steps.sequence > 0)
        try await cache.close()
    }

    @Test func `a read counts as a use of the entities that it was lent`() async throws {
        let cache = try await LentEntityTests.open(GraphQLRules(), clock: ManualClock(now: 0))
        for (document, last) in [("{ all { id } }", "with \"quotes\""), ("{ hero { m } }", "1")] {
            var request = GraphQLReadRequest(GraphQLRequest(ByteString(document)))
            request.policy = .cacheOnly
            await cache.readDocument(request) { result in
                if case .failure(let error) = result { Issue.record("\(error)") }
            }
            #expect(await cache.idMostRecent.description == last)
        }
        try await cache.close()
    }
}

/// A source that lends nothing.
private struct LookingSource: EntitySource, ~Escapable {
    private let source: CacheSource

    @_lifetime(copy source)
    init(_ source: CacheSource) { self.source = source }

    func look(_ key: GraphQLKey) -> SourceLook { source.look(key) }
    func staleSince(_ root: RootName) -> Int64? { source.staleSince(root) }
    func list(_ root: RootName) -> [GraphQLKey]? { source.list(root) }
}

/// All that a read says, as values that can be compared.
private struct ReadSummary: Hashable, Sendable {
    var data = ""
    var lists: [EntityList] = []
    var keys: [GraphQLKey] = []
    var deferred: [DeferredState] = []
    var asOf: EventSequence?
    var expiresAt: Int64?
    var flags: [Bool] = []
    var lentCount = 0

    init(_ reading: GraphQLReading) {
        data = String(decoding: reading.data, as: UTF8.self)
        lists = reading.lists
        keys = reading.visits.map(\.key)
        keys += reading.lentSlots.map { _ in GraphQLKey(type: "lent", id: "") }
        deferred = reading.deferred
        asOf = reading.asOf
        expiresAt = reading.expiresAt
        flags = [reading.isStale, reading.isPending, reading.isPartial]
        lentCount = reading.lentSlots.count
    }
}

private struct ComparedReads: Sendable {
    var lent: Result<ReadSummary, DocumentMiss>
    var lookedUp: Result<ReadSummary, DocumentMiss>
    /// The same where entities are not noted.
    var unnoted: Result<ReadSummary, DocumentMiss>

    var lentCount: Int { if case .success(let summary) = unnoted { summary.lentCount } else { 0 } }
}

extension GraphQLReadOutcome {
    fileprivate var summary: Result<ReadSummary, DocumentMiss> {
        switch self {
        case .read(let reading): .success(ReadSummary(reading))
        case .missed(let miss, _): .failure(miss)
        case .unloaded(let keys): preconditionFailure("everything is in memory, and \(keys) were to be loaded")
        }
    }
}

extension SyncCache {
    /// The id of the entity that was used last.
    fileprivate var idMostRecent: ByteString {
        state.entities.key(of: state.entities.mostRecent).id.text
    }
}

extension GraphQLEngine {
    fileprivate func reads(
        _ request: GraphQLRequest, _ completeness: GraphQLCompleteness, in cache: isolated SyncCache
    ) throws(CacheError) -> ComparedReads {
        let plan = try plan(request)
        let now = cache.now
        return cache.withReading(of: "") { reading in
            let source = CacheSource(reading)
            func read(
                _ source: some EntitySource & ~Escapable, notesEntities: Bool
            ) -> Result<ReadSummary, DocumentMiss> {
                DocumentReader.read(
                    plan, from: source, freshness: GraphQLFreshness(now: now, maxStale: 2_000),
                    completeness: completeness, options: .init(notesEntities: notesEntities)
                ).summary
            }
            return ComparedReads(
                lent: read(source, notesEntities: true),
                lookedUp: read(LookingSource(source), notesEntities: true),
                unnoted: read(source, notesEntities: false))
        }
    }
}
