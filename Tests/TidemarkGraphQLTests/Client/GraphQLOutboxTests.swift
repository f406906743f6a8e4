import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

@testable import TidemarkGraphQL

/// Mutations that the outbox sends until the server has answered.
@Suite(.pooled) struct GraphQLOutboxTests {
    private static let rename: GraphQLDocument = "mutation { rename { __typename id name } }"
    private static let hero: GraphQLDocument = "{ hero { name } }"

    private static let lost = ScriptedUpstream.Answer.failure(UpstreamError("lost", code: "connection_lost"))
    private static let done = ScriptedUpstream.Answer.whole(
        #"{"data":{"rename":{"__typename":"C","id":"1","name":"done"}}}"#)

    private func filled(
        _ answers: [ScriptedUpstream.Answer]
    ) async throws -> (client: GraphQLClient, upstream: ScriptedUpstream) {
        let made = try await GraphQLClient.scripted(answers, clock: ManualClock(skipsUpTo: 1_000_000))
        try await made.client.write(
            try JSONValue(parsing: #"{"hero":{"__typename":"C","id":"1","name":"before"}}"#.utf8),
            for: "{ hero { __typename id name } }" as GraphQLDocument)
        return made
    }

    private func hoped() throws -> JSONValue {
        try JSONValue(parsing: #"{"rename":{"__typename":"C","id":"1","name":"hoped"}}"#.utf8)
    }

    /// Waits for a name in the cache.
    private func wait(for name: String, _ client: GraphQLClient) async throws {
        for try await result in client.watch(query: Self.hero, cachePolicy: .cacheOnly)
        where result.data?["hero"]?["name"]?.string == name && !result.isPending {
            return
        }
    }

    @Test func `an answer settles the edit`() async throws {
        let (client, upstream) = try await filled([Self.done])
        let pendingID = try await client.enqueue(mutation: Self.rename, optimistic: try hoped())
        try await wait(for: "done", client)
        #expect(await client.cache.pendingLayers().isEmpty)
        #expect(upstream.requests.map(\.pendingID) == [ByteString(pendingID)])
    }

    @Test func `the same mutation is sent until there is an answer`() async throws {
        let (client, upstream) = try await filled([Self.lost, Self.lost, Self.done])
        try await client.enqueue(mutation: Self.rename, optimistic: try hoped())
        try await wait(for: "done", client)
        #expect(upstream.requests.count == 3)
        #expect(Set(upstream.requests.map(\.pendingID)).count == 1)
        #expect(await client.cache.pendingLayers().isEmpty)
    }

    @Test func `after errors without data the edit stays, unless it is to be rolled back`() async throws {
        let refused = ScriptedUpstream.Answer.whole(#"{"data":null,"errors":[{"message":"no"}]}"#)
        let (client, _) = try await filled([refused, refused])
        var sending = GraphQLSending()
        sending.discardsOnFailure = true
        try await client.enqueue(mutation: Self.rename, optimistic: try hoped(), sending: sending)
        try await wait(for: "before", client)
        #expect(await client.cache.pendingLayers().isEmpty)
        try await client.enqueue(mutation: Self.rename, optimistic: try hoped())
        while await client.cache.outboxStatuses().first?.state != .failed { await Task.yield() }
        #expect(try await client.read(Self.hero)["hero"]?["name"]?.string == "hoped")
        #expect(await client.cache.pendingLayers().count == 1)
    }

    @Test func `a mutation that is performed at once is asked for once`() async throws {
        let (client, upstream) = try await filled([Self.lost, Self.done])
        await #expect(throws: CacheError.self) {
            _ = try await client.perform(mutation: Self.rename, optimistic: try hoped())
        }
        #expect(await client.cache.pendingLayers().count == 1 && upstream.requests.count == 1)
    }

    @Test func `the ids that the server gives take the place of temporary ones`() async throws {
        let add: GraphQLDocument = "mutation { add { __typename id name } }"
        let made = ScriptedUpstream.Answer.whole(#"{"data":{"add":{"__typename":"C","id":"17","name":"new"}}}"#)
        let (client, upstream) = try await filled([Self.lost, made, Self.done])
        try await client.enqueue(
            mutation: add,
            optimistic: try JSONValue(parsing: #"{"add":{"__typename":"C","id":"t","name":"new"}}"#.utf8))
        var sending = GraphQLSending()
        sending.temporaryIDs = ["/id"]
        let rename = GraphQLDocument(
            "mutation($id: ID!) { rename(id: $id) { __typename id name } }", variables: ["id": "t"])
        try await client.enqueue(mutation: rename, optimistic: try hoped(), sending: sending)
        try await wait(for: "done", client)
        #expect(upstream.requests.last?.variables == #"{"id":"17"}"#)
        #expect(try await client.cache.entity(EntityKey(type: "C", id: "17")) != .missing(.absent))
    }

    @Test func `other requests go to the program's own server`() async throws {
        final class Other: MutationUpstream {
            func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
                OptimisticCommit(pendingID: mutation.pendingID, library: mutation.library, confirmed: [])
            }
        }
        var options = GraphQLClient.Options()
        options.mutations = Other()
        let client = try await GraphQLClient.scripted(options: options).client
        try await client.cache.optimistically(sending: MutationRequest(method: "x", input: .null)) { changes in
            try changes.put(type: "C", try JSONValue(parsing: #"{"id":"1","name":"x"}"#.utf8))
        }
        while await !client.cache.outboxStatuses().isEmpty { await Task.yield() }
        #expect(await client.cache.pendingLayers().isEmpty)
    }
}
