import TestTraits
import Testing
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkGraphQL

/// The ages of embedded objects: every write of one renews its age, and no write renews what it did not set.
@Suite(.pooled) struct EmbeddedAgeTests {
    private let clock = ManualClock()
    private let cache: SyncCache

    init() async throws {
        cache = try await SyncCache.open(
            configuration: CacheConfiguration(), journal: MemoryJournal(), upstream: nil, queryUpstream: nil,
            clock: clock)
        await cache.attach { GraphQLEngine(rules: GraphQLRules(), upstream: nil) }
    }

    private static func parts(_ data: String) throws -> ResponseParts {
        try ResponseParts(Array(#"{"data":\#(data)}"#.utf8))
    }

    private func write(_ document: ByteString, _ data: String, asOf: EventSequence? = nil) async throws {
        try await cache.writeDocument(GraphQLRequest(document), try Self.parts(data), asOf: asOf)
    }

    /// The data of a document, or the field that is too old.
    private func read(_ document: ByteString) async throws -> String {
        var request = GraphQLReadRequest(GraphQLRequest(document))
        request.policy = .cacheOnly
        let (results, result) = AsyncStream.makeStream(of: Result<GraphQLReply, CacheError>.self)
        await cache.readDocument(request) {
            result.yield($0)
            result.finish()
        }
        for await read in results {
            switch read {
            case .success(let reply): return String(decoding: reply.result.data, as: UTF8.self)
            case .failure(let error): return error.reasons["cache"] ?? error.message
            }
        }
        return ""
    }

    private static let whole = #"{"p":{"a":1,"b":2,"in":{"x":3,"y":4}}}"#

    @Test(arguments: [whole, #"{"p":{"a":5,"b":2,"in":{"x":3,"y":4}}}"#])
    func `an embedded object is as old as its last write, an equal one too`(data: String) async throws {
        try await write("{ p { a b in { x y } } }", Self.whole)
        clock.advance(milliseconds: 1_200)
        try await write("{ p { a b in { x y } } }", data)
        for document: ByteString in [
            "{ p @cacheControl(maxAge: 1) { a b } }", "{ p { in @cacheControl(maxAge: 1) { x y } } }",
            "{ p { in { x @cacheControl(maxAge: 1) } } }",
        ] {
            #expect(try await read(document).hasPrefix("{"), "\(document)")
        }
        clock.advance(milliseconds: 1_000)
        #expect(try await read("{ p @cacheControl(maxAge: 1) { a b } }") == "expired")
    }

    @Test func `members that a write did not set keep their age`() async throws {
        try await write("{ p { a b in { x y } } }", Self.whole)
        clock.advance(milliseconds: 1_200)
        try await write("{ p { a in { x } } }", #"{"p":{"a":1,"in":{"x":3}}}"#)
        #expect(try await read("{ p @cacheControl(maxAge: 1) { a } }") == #"{"p":{"a":1}}"#)
        #expect(try await read("{ p { in { x @cacheControl(maxAge: 1) } } }") == #"{"p":{"in":{"x":3}}}"#)
        #expect(try await read("{ p { b @cacheControl(maxAge: 1) } }") == "expired")
        #expect(try await read("{ p { in { y @cacheControl(maxAge: 1) } } }") == "expired")
        #expect(try await read("{ p { b @cacheControl(maxAge: 2) } }") == #"{"p":{"b":2}}"#)
    }

    @Test func `an answer with a place, a fragment and a transaction renew it as well`() async throws {
        let document: ByteString = "{ c { __typename id p { a b } } }"
        let data = #"{"c":{"__typename":"C","id":"1","p":{"a":1,"b":2}}}"#
        let aged: ByteString = "{ c { p @cacheControl(maxAge: 1) { a } } }"
        try await write(document, data)
        clock.advance(milliseconds: 1_200)
        #expect(try await read(aged) == "expired")
        try await write(document, data, asOf: EventSequence(1))
        #expect(try await read(aged).hasPrefix("{"))
        clock.advance(milliseconds: 1_200)
        try await cache.writeFragment(
            "fragment F on C { p { a } }", of: EntityKey(library: "", type: "C", id: "1"),
            try Self.parts(#"{"p":{"a":1}}"#))
        #expect(try await read(aged).hasPrefix("{"))
        clock.advance(milliseconds: 1_200)
        try await cache.transact(
            [.merge(type: "C", id: "1", fields: Array(#"{"p":{"a":1}}"#.utf8))], library: "")
        #expect(try await read(aged).hasPrefix("{"))
        #expect(try await read("{ c { p { b @cacheControl(maxAge: 2) } } }") == "expired")
    }

    @Test func `a layer renews what it merges as long as it is there`() async throws {
        try await write(
            "{ c { __typename id p { a b } } }", #"{"c":{"__typename":"C","id":"1","p":{"a":1,"b":2}}}"#)
        clock.advance(milliseconds: 1_200)
        try await cache.update(
            OptimisticUpdate(
                pendingID: "e", library: "",
                operations: [.merge(type: "C", id: "1", fields: Array(#"{"p":{"a":9}}"#.utf8))]))
        #expect(try await read("{ c { p @cacheControl(maxAge: 1) { a } } }") == #"{"c":{"p":{"a":9}}}"#)
        #expect(try await read("{ c { p { b @cacheControl(maxAge: 1) } } }") == "expired")
        try await cache.rollBack("e")
        #expect(try await read("{ c { p @cacheControl(maxAge: 1) { a } } }") == "expired")
    }
}
