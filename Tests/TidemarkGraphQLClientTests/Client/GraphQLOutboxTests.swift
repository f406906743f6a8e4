import Testing
import Tidemark
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkTesting

@testable import TidemarkGraphQLClient

/// Mutations that the outbox sends until the server has answered.
@Suite struct GraphQLOutboxTests {
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

    @Test func `an answer settles the edit, and is given to the caller`() async throws {
        let (client, upstream) = try await filled([Self.done])
        let result = try await client.perform(mutation: Self.rename, optimistic: try hoped(), sending: GraphSending())
        #expect(result.data?["rename"]?["name"]?.string == "done")
        #expect(await client.cache.pendingLayers().isEmpty)
        #expect(upstream.requests.count == 1)
    }

    @Test func `a lost answer is told, and the same mutation is sent until there is one`() async throws {
        let (client, upstream) = try await filled([Self.lost, Self.lost, Self.done])
        await #expect {
            _ = try await client.perform(mutation: Self.rename, optimistic: try hoped(), sending: GraphSending())
        } throws: { error in
            (error as? CacheError)?.code == .upstreamFailed && "\(error)".contains("sent again")
        }
        try await wait(for: "done", client)
        #expect(upstream.requests.count == 3)
        #expect(Set(upstream.requests.map(\.pendingID)).count == 1)
        #expect(await client.cache.pendingLayers().isEmpty)
    }

    @Test func `errors without data roll the edit back, unless it is to stay`() async throws {
        let refused = ScriptedUpstream.Answer.whole(#"{"data":null,"errors":[{"message":"no"}]}"#)
        let (client, _) = try await filled([refused, refused])
        let result = try await client.perform(mutation: Self.rename, optimistic: try hoped(), sending: GraphSending())
        #expect(result.errors.count == 1)
        try await wait(for: "before", client)
        #expect(await client.cache.pendingLayers().isEmpty)
        var sending = GraphSending()
        sending.discardsOnFailure = false
        _ = try await client.perform(mutation: Self.rename, optimistic: try hoped(), sending: sending)
        #expect(try await client.read(Self.hero)["hero"]?["name"]?.string == "hoped")
        #expect(await client.cache.pendingLayers().count == 1)
    }

    @Test func `without a wish the server is asked once`() async throws {
        let (client, upstream) = try await filled([Self.lost, Self.done])
        await #expect(throws: CacheError.self) {
            _ = try await client.perform(mutation: Self.rename, optimistic: try hoped())
        }
        #expect(await client.cache.pendingLayers().count == 1 && upstream.requests.count == 1)
        await #expect(throws: CacheError.self) {
            _ = try await client.perform(mutation: Self.rename, sending: GraphSending())
        }
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
