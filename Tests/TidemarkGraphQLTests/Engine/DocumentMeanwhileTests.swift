import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkGraphQL

/// No answer to a document undoes what was known when it was asked for, nor what happened since (law L12).
///
/// - Source: Protocol/queries.md, while an answer is on its way.
@Suite(.pooled) struct DocumentMeanwhileTests {
    private static let document: ByteString = "{ h { __typename id name age } }"
    private static let mutation: ByteString = "mutation { set { __typename id name } }"

    private static func data(_ name: String, age: Int = 1) -> String {
        #"{"data":{"h":{"__typename":"C","id":"1","name":"\#(name)","age":\#(age)}}}"#
    }

    private static func shown(_ name: String, age: Int = 1) -> String {
        #"{"h":{"__typename":"C","id":"1","name":"\#(name)","age":\#(age)}}"#
    }

    private struct World {
        let cache: SyncCache
        let upstream = HeldGraphUpstream()

        init() async throws {
            cache = try await SyncCache.open(journal: MemoryJournal())
            let upstream = upstream
            await cache.attach { GraphQLEngine(rules: GraphQLRules(), upstream: upstream) }
        }

        /// Begins a read; its reply may come later.
        func begin(_ policy: FetchPolicy = .networkOnly, observing sink: ObserverMailbox? = nil) async -> GraphQLReplies
        {
            var request = GraphQLReadRequest(GraphQLRequest(DocumentMeanwhileTests.document))
            request.policy = policy
            let replies = GraphQLReplies()
            await cache.readDocument(request, observing: sink) { replies.take($0) }
            return replies
        }

        func read(allowsStale: Bool = true) async throws -> (data: String, isStale: Bool)? {
            var request = GraphQLReadRequest(GraphQLRequest(DocumentMeanwhileTests.document))
            request.policy = .cacheOnly
            request.allowsStale = allowsStale
            let replies = GraphQLReplies()
            await cache.readDocument(request, observing: nil) { replies.take($0) }
            guard case .success(let reply)? = await replies.first() else { return nil }
            return (String(decoding: reply.result.data, as: UTF8.self), reply.result.isStale)
        }

        func mutate(_ optimistic: String? = nil) async throws {
            let mutation = GraphQLMutation(
                GraphQLRequest(DocumentMeanwhileTests.mutation), pendingID: "m",
                optimistic: try optimistic.map { try ResponseParts(Array($0.utf8)) })
            try await cache.withWing(GraphQLEngine.self) { engine, cache in
                let hasLayer = try await engine.begin(mutation, in: cache)
                _ = try await engine.finish(mutation, hasLayer: hasLayer, in: cache)
            }
        }

        /// Reads the entity, with every field of it that is stored.
        func entity() async throws -> String? {
            let read = try await cache.read(EntityRequest(EntityKey(library: "", type: "C", id: "1")))
            return read.entity.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test func `a document that was invalidated while its answer was on its way is stored stale`() async throws {
        let world = try await World()
        let first = await world.begin()
        await world.upstream.waitForQuestions(1)
        _ = try await world.cache.invalidate(Invalidation(library: ""))
        let second = await world.begin()
        await world.upstream.waitForQuestions(2)
        await world.upstream.answerOldest(Self.data("old"))
        _ = await first.first()
        #expect(try await world.read(allowsStale: false) == nil)
        #expect(try await world.read()?.data == Self.shown("old"))
        await world.upstream.answerOldest(Self.data("new"))
        _ = await second.first()
        let read = try #require(try await world.read(allowsStale: false))
        #expect(read.data == Self.shown("new") && !read.isStale)
    }

    @Test func `an older answer that comes last does not replace the newer one`() async throws {
        let world = try await World()
        let first = await world.begin()
        await world.upstream.waitForQuestions(1)
        _ = try await world.cache.invalidate(Invalidation(library: ""))
        let second = await world.begin()
        await world.upstream.waitForQuestions(2)
        await world.upstream.answerNewest(Self.data("new"))
        _ = await second.first()
        await world.upstream.answerOldest(Self.data("old"))
        _ = await first.first()
        #expect(try await world.read(allowsStale: false)?.data == Self.shown("new"))
    }

    @Test func `an older answer that comes last stays behind the newer one though the log began anew`() async throws {
        let world = try await World()
        let other = EventLine.change(#"{"id":"2"}"#)
        try await world.cache.ingest(Array(#"{"sequence":1,"epoch":"e0","event":\#(other)}\#n"#.utf8))
        let first = await world.begin()
        await world.upstream.waitForQuestions(1)
        _ = try await world.cache.invalidate(Invalidation(library: ""))
        let second = await world.begin()
        await world.upstream.waitForQuestions(2)
        try await world.cache.ingest(Array(#"{"sequence":7,"epoch":"e1","event":\#(other)}\#n"#.utf8))
        await world.upstream.answerNewest(Self.data("new"))
        _ = await second.first()
        await world.upstream.answerOldest(Self.data("old", age: 5))
        _ = await first.first()
        #expect(try await world.read()?.data == Self.shown("new"))
    }

    @Test func `nothing of an answer is stored that was asked for before a clear`() async throws {
        let world = try await World()
        let reader = await world.begin()
        await world.upstream.waitForQuestions(1)
        try await world.cache.clear(library: nil)
        await world.upstream.answerOldest(Self.data("old"))
        guard case .success(let reply)? = await reader.first() else { return #expect(Bool(false), "no reply") }
        #expect(String(decoding: reply.result.data, as: UTF8.self) == Self.shown("old"))
        #expect(try await world.read() == nil)
        #expect(await world.cache.entityCount() == 0)
    }

    @Test func `a mutation that is answered after a clear, and after the cache was closed, has not ended`()
        async throws
    {
        let world = try await World()
        let mutating = Task {
            try await world.mutate(#"{"data":{"set":{"__typename":"C","id":"1","name":"hoped"}}}"#)
        }
        await world.upstream.waitForQuestions(1)
        try await world.cache.clear(library: nil)
        try await world.cache.close()
        await world.upstream.answerOldest(#"{"data":{"set":{"__typename":"C","id":"1","name":"new"}}}"#)
        await #expect(throws: CacheError.self) { try await mutating.value }
        #expect(await world.cache.isPendingLayer("m"))
    }

    @Test(arguments: [false, true]) func `the answer to a mutation stays`(isOptimistic: Bool) async throws {
        let world = try await World()
        let reader = await world.begin()
        await world.upstream.waitForQuestions(1)
        let hoped = #"{"data":{"set":{"__typename":"C","id":"1","name":"hoped"}}}"#
        let mutating = Task { try await world.mutate(isOptimistic ? hoped : nil) }
        await world.upstream.waitForQuestions(2)
        await world.upstream.answerNewest(#"{"data":{"set":{"__typename":"C","id":"1","name":"new"}}}"#)
        try await mutating.value
        let next = await world.begin()
        await world.upstream.waitForQuestions(3)
        await world.upstream.answerOldest(Self.data("old", age: 5))
        _ = await reader.first()
        #expect(try await world.read()?.data == Self.shown("new", age: 5))
        await world.upstream.answerOldest(Self.data("newer", age: 6))
        _ = await next.first()
        #expect(try await world.read()?.data == Self.shown("newer", age: 6))
    }

    @Test func `a mutation wins over a later answer with a higher place, and the log then tells which was newer`()
        async throws
    {
        let world = try await World()
        try await world.cache.ingest(Array(#"{"event":{"Heartbeat":{"last_sequence":0}}}\#n"#.utf8))
        let mutating = Task { try await world.mutate() }
        await world.upstream.waitForQuestions(1)
        var list = QueryResult(
            resourceType: "C", resources: [Array(#"{"id":"1","name":"another's","age":7}"#.utf8)])
        list.asOf = EventSequence(2)
        try await world.cache.store(list, for: try QueryKey(library: "", method: "list", input: Array("{}".utf8)))
        await world.upstream.answerOldest(#"{"data":{"set":{"__typename":"C","id":"1","name":"own"}}}"#)
        try await mutating.value
        #expect(try await world.entity()?.hasPrefix(#"{"id":"1","name":"own","age":7"#) == true)
        for (sequence, name, shown) in [(1, "own", "own"), (2, "another's", "another's")] {
            let event = EventLine.change(
                #"{"id":"1","name":"\#(name)","age":7}"#, type: "C", sequence: Int64(sequence))
            try await world.cache.ingest(Array((event + "\n").utf8))
            #expect(try await world.entity()?.hasPrefix(#"{"id":"1","name":"\#(shown)","age":7"#) == true)
        }
    }

    @Test func `of two mutations the one that was sent later stays`() async throws {
        let world = try await World()
        let first = Task { try await world.mutate() }
        await world.upstream.waitForQuestions(1)
        let second = Task { try await world.mutate() }
        await world.upstream.waitForQuestions(2)
        let reader = await world.begin()
        await world.upstream.waitForQuestions(3)
        await world.upstream.answerNewest(Self.data("old", age: 5))
        _ = await reader.first()
        await world.upstream.answerNewest(#"{"data":{"set":{"__typename":"C","id":"1","name":"second"}}}"#)
        try await second.value
        await world.upstream.answerOldest(#"{"data":{"set":{"__typename":"C","id":"1","name":"first"}}}"#)
        try await first.value
        #expect(try await world.read()?.data == Self.shown("second", age: 5))
    }

    @Test func `a program's write stays, and the other fields are those of the answer`() async throws {
        let world = try await World()
        let reader = await world.begin()
        await world.upstream.waitForQuestions(1)
        try await world.cache.writeFragment(
            "fragment F on C { name }", of: EntityKey(library: "", type: "C", id: "1"),
            try ResponseParts(Array(#"{"data":{"name":"new"}}"#.utf8)))
        await world.upstream.answerOldest(Self.data("old", age: 5))
        _ = await reader.first()
        #expect(try await world.read()?.data == Self.shown("new", age: 5))
    }

    @Test func `a written document stays`() async throws {
        let world = try await World()
        let reader = await world.begin()
        await world.upstream.waitForQuestions(1)
        try await world.cache.writeDocument(
            GraphQLRequest(Self.document), try ResponseParts(Array(Self.data("new", age: 2).utf8)))
        await world.upstream.answerOldest(Self.data("old", age: 5))
        _ = await reader.first()
        #expect(try await world.read(allowsStale: false)?.data == Self.shown("new", age: 2))
    }
}
