import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkGraphQLTypes
import TidemarkTesting

@testable import TidemarkGraphQL

private struct HeroName: GraphQLOperation {
    struct Data: Codable, Hashable, Sendable {
        struct Hero: Codable, Hashable, Sendable { var name: String }
        var hero: Hero
    }
    var document: String { "{ hero { name } }" }
}

@Suite(.pooled) struct GraphQLClientTests {
    private static let hero: GraphQLDocument = "{ hero { id name friends { id name } } }"
    private static let answer =
        #"{"hero":{"__typename":"C","id":"1","name":"Luke","friends":[{"__typename":"C","id":"2","name":"Han"},{"__typename":"C","id":"3","name":"Leia"}]}}"#

    private func filled() async throws -> GraphQLClient {
        let client = try await GraphQLClient.scripted([.whole(#"{"data":\#(Self.answer)}"#)]).client
        _ = try await client.fetch(query: Self.hero)
        return client
    }

    @Test func `a document is fetched once, and then read from the cache`() async throws {
        let (client, upstream) = try await GraphQLClient.scripted([.whole(#"{"data":\#(Self.answer)}"#)])
        let first = try await client.fetch(query: Self.hero, cachePolicy: .returnCacheDataElseFetch)
        let second = try await client.fetch(query: HeroName(), cachePolicy: .returnCacheDataDontFetch)
        #expect(first.source == .server && second.source == .cache)
        #expect(first.data?["hero"]?["friends"]?[1]?["name"]?.string == "Leia")
        #expect(second.data == HeroName.Data(hero: .init(name: "Luke")))
        #expect(upstream.requests.count == 1)
        #expect(try await client.read(HeroName()).hero.name == "Luke")
    }

    @Test func `both spellings of a policy are one`() {
        #expect(FetchPolicy.returnCacheDataElseFetch == .cacheFirst)
        #expect(FetchPolicy.returnCacheDataAndFetch == .cacheAndNetwork)
        #expect(FetchPolicy.returnCacheDataDontFetch == .cacheOnly)
        #expect(FetchPolicy.fetchIgnoringCacheData == .networkOnly)
        #expect(FetchPolicy.fetchIgnoringCacheCompletely == .networkOnlyNoStore)
    }

    @Test func `errors have the codes of the page`() async throws {
        let (client, _) = try await GraphQLClient.scripted()
        await #expect { _ = try await client.read(HeroName()) } throws: { ($0 as? CacheError)?.code == .cacheMiss }
        await #expect { _ = try await client.fetch(query: HeroName()) } throws: {
            ($0 as? CacheError)?.code == .upstreamFailed
        }
        await #expect { _ = try await client.fetch(query: "{ hero {") } throws: {
            ($0 as? CacheError)?.code == .invalidDocument
        }
        await #expect { _ = try await GraphQLClient(client.cache, endpoint: nil) } throws: {
            ($0 as? CacheError)?.code == .invalidParams
        }
    }

    // MARK: Watching

    @Test func `a watcher sees writes, events and the end of its task`() async throws {
        let client = try await filled()
        var results = client.watch(query: HeroName(), cachePolicy: .cacheOnly).makeAsyncIterator()
        #expect(try await results.next()?.data?.hero.name == "Luke")
        try await client.write(HeroName.Data(hero: .init(name: "x")), for: HeroName())
        // Without a typename and a key the hero is another, embedded one.
        #expect(try await results.next()?.data?.hero.name == "x")
        let task = Task { () -> Int in
            var count = 0
            for try await _ in client.watch(query: HeroName()) { count += 1 }
            return count
        }
        task.cancel()
        #expect(try await task.value <= 1)
    }

    @Test func `a watcher is told of each part`() async throws {
        let (client, _) = try await GraphQLClient.scripted([
            .parts([
                #"{"data":{"hero":{"__typename":"C","id":"1"}},"hasNext":true}"#,
                #"{"incremental":[{"path":["hero"],"data":{"name":"Luke"}}],"hasNext":false}"#,
            ])
        ])
        let document: GraphQLDocument = "{ hero { id ... @defer { name } } }"
        var results = client.watch(query: document).makeAsyncIterator()
        let first = try #require(try await results.next())
        #expect(first.isPartial && first.deferred.map(\.state) == [.pending])
        #expect(first.data?.text == #"{"hero":{"id":"1"}}"#)
        let second = try #require(try await results.next())
        #expect(!second.isPartial && second.deferred.map(\.state) == [.fulfilled])
        #expect(second.data?.text == #"{"hero":{"id":"1","name":"Luke"}}"#)
    }

    @Test func `a delivery that dies is told as a miss`() async throws {
        let (client, _) = try await GraphQLClient.scripted([
            .parts([#"{"data":{"hero":{"__typename":"C","id":"1"}},"hasNext":true}"#, nil])
        ])
        var results = client.watch(query: "{ hero { id ... @defer { name } } }").makeAsyncIterator()
        #expect(try await results.next()?.miss == nil)
        let second = try #require(try await results.next())
        #expect(second.miss?.error == "the connection broke" && second.deferred.map(\.state) == [.failed])
    }

    // MARK: Mutations and subscriptions

    @Test func `a mutation is shown before its answer, and taken back by an error`() async throws {
        let (client, _) = try await GraphQLClient.scripted([
            .whole(#"{"data":\#(Self.answer)}"#),
            .whole(#"{"data":{"rename":{"__typename":"C","id":"1","name":"R2"}}}"#),
            .whole(#"{"data":null,"errors":[{"message":"no"}]}"#),
        ])
        _ = try await client.fetch(query: Self.hero)
        let rename: GraphQLDocument = "mutation { rename { __typename id name } }"
        let hoped = try JSONValue(parsing: #"{"rename":{"__typename":"C","id":"1","name":"hoped"}}"#.utf8)
        let done = try await client.perform(mutation: rename, optimistic: hoped)
        #expect(done.data?["rename"]?["name"]?.string == "R2")
        #expect(try await client.read(HeroName()).hero.name == "R2")
        let refused = try await client.perform(mutation: rename, optimistic: hoped)
        #expect(refused.data == nil && refused.errors.map { $0["message"]?.string } == ["no"])
        #expect(try await client.read(HeroName()).hero.name == "R2")
    }

    @Test func `a subscription gives its payloads, and comes back after its connection was lost`() async throws {
        func payload(_ name: String) -> String {
            #"{"payload":{"data":{"event":{"__typename":"C","id":"1","name":"\#(name)"}}}}"#
        }
        let (client, upstream) = try await GraphQLClient.scripted([
            .stream([payload("a"), "{}", payload("a"), nil]), .failure(UpstreamError("busy", code: "unavailable")),
            .stream([payload("b")]),
        ])
        var names: [String?] = []
        do {
            for try await result in client.subscribe("subscription { event { __typename id name } }") {
                names.append(result.data?["event"]?["name"]?.string)
            }
        } catch let error as CacheError {
            #expect(error.code == .upstreamFailed)
        }
        #expect(names == ["a", "a", "b"])
        #expect(upstream.requests.count == 3)
    }

    @Test(arguments: [0, 5])
    func `a subscription that does not come back ends with its error`(attempts: Int) async throws {
        var options = GraphQLClient.Options()
        options.reconnecting.attemptCountMax = attempts
        let lost = ScriptedUpstream.Answer.failure(UpstreamError("away", code: "connection_lost"))
        let (client, upstream) = try await GraphQLClient.scripted(
            [.stream([nil])] + Array(repeating: lost, count: 9), options: options)
        await #expect(throws: CacheError.self) {
            for try await _ in client.subscribe("subscription { event { id } }") {}
        }
        #expect(upstream.requests.count == 1 + attempts)
    }

    // MARK: Removing and keys

    @Test func `objects and fields are removed, and everything is cleared`() async throws {
        let client = try await filled()
        try await client.remove(field: "name", of: "C:2")
        await #expect(throws: CacheError.self) { _ = try await client.read(Self.hero) }
        try await client.remove(object: "C:1")
        await #expect(throws: CacheError.self) { _ = try await client.read(HeroName()) }
        await #expect(throws: CacheError.self) { try await client.remove(object: "nothing") }
        try await client.clear()
        #expect(await client.cache.entityCount() == 0)
    }

    @Test func `a program gives keys of its own`() async throws {
        var options = GraphQLClient.Options()
        options.cacheKey = { typename, object in
            typename == "C" ? object["code"]?.string.map { "code-" + $0 } : nil
        }
        let (client, _) = try await GraphQLClient.scripted(options: options)
        let document: GraphQLDocument = "{ hero { __typename code name } }"
        try await client.write(
            try JSONValue(parsing: #"{"hero":{"__typename":"C","code":"7","name":"x"}}"#.utf8), for: document)
        try await client.remove(object: "C:code-7")
        await #expect(throws: CacheError.self) { _ = try await client.read(document) }
    }

    @Test func `a program adds a form of answers in parts`() throws {
        struct Reversed: DeliveryParser {
            mutating func read(_ payload: JSONValue) throws(DeliveryError) -> DeliveryStep {
                var step = DeliveryStep()
                step.items = [DeliveryStep.Item(path: [], data: payload["d"] ?? .null)]
                step.hasNext = payload["more"]?.bool ?? false
                return step
            }
        }
        let own = DeliveryFormat(parameter: "mySpec", value: "7") { Reversed() }
        let registry = DeliveryRegistry.standard.adding(own)
        #expect(registry.acceptAnswers.hasPrefix("multipart/mixed;mySpec=7, multipart/mixed;deferSpec=20220824"))
        let type = try #require(MediaType(#"multipart/mixed; boundary="-"; myspec=7"#))
        let format = try #require(registry.format(of: type))
        var answer = IncrementalResponse(format)
        try answer.apply(try JSONValue(parsing: #"{"d":{"a":1},"more":true}"#.utf8))
        try answer.apply(try JSONValue(parsing: #"{"d":{"b":2}}"#.utf8))
        #expect(answer.data.text == #"{"a":1,"b":2}"# && !answer.hasNext)
        #expect(DeliveryRegistry.standard.format(of: type) == nil)
        #expect(registry.adding(own).formats.count == registry.formats.count)
    }
}
