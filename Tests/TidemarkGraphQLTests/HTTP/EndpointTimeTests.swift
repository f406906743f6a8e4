import TestTraits
import Testing
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTesting

@testable import TidemarkGraphQL

/// The times of an exchange with an endpoint: for connecting, for the head, for a whole answer, between parts.
@Suite(.pooled) struct EndpointTimeTests {
    private let transport = SteppedTransport()
    private let clock = ManualClock()

    private func upstream(timeout: Int64 = 1_000) throws -> GraphQLHTTPUpstream {
        GraphQLHTTPUpstream(
            try GraphQLEndpoint(url: "http://graph.example/", timeout: .milliseconds(timeout)).endpoint,
            transport: transport,
            clock: clock)
    }

    private func ask(
        _ upstream: GraphQLHTTPUpstream, _ kind: OperationKind = .query
    ) -> Task<GraphQLUpstreamResponse, any Error> {
        Task {
            try await upstream.ask(
                GraphQLUpstreamRequest(
                    fetch: 1, document: "{ a }", variables: "{}", kind: kind, pendingID: nil, library: ""))
        }
    }

    /// Waits until a step is waited for, with the clock running.
    private func waits(for count: Int) async {
        while transport.readCount < count || clock.sleeperCount == 0 { await Task.yield() }
    }

    private func expectLate(_ message: String, _ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            let error = error as? UpstreamError
            return error?.code == "timed_out" && error?.message.contains(message) == true
        }
    }

    private static let parts = "multipart/mixed;boundary=\"-\";deferSpec=20220824"
    private static let payloads = [
        "---\r\n\r\n{\"data\":{\"a\":1},\"hasNext\":true}\r\n---\r\n", "\r\n{}\r\n---\r\n", "\r\n{}\r\n---\r\n",
        "\r\n{\"hasNext\":false}\r\n-----\r\n",
    ]

    @Test(arguments: [OperationKind.query, .mutation, .subscription])
    func `a head that does not come ends the exchange`(kind: OperationKind) async throws {
        let asked = ask(try upstream(), kind)
        await waits(for: 1)
        clock.advance(milliseconds: 1_000)
        await expectLate("no answer began within 1000 ms") { _ = try await asked.value }
    }

    @Test func `a body that is not whole in time ends the exchange`() async throws {
        let asked = ask(try upstream())
        await waits(for: 1)
        transport.give(.head(type: "application/json"))
        await waits(for: 2)
        clock.advance(milliseconds: 999)
        transport.give(.chunk("{\"data\":"))
        await waits(for: 3)
        clock.advance(milliseconds: 1)
        await expectLate("not whole within 1000 ms") { _ = try await asked.value }
    }

    @Test func `parts may take any time in all, and each no longer than the limit`() async throws {
        let upstream = try upstream()
        let asked = ask(upstream)
        await waits(for: 1)
        transport.give(.head(type: Self.parts))
        guard case .parts(let parts, _) = try await asked.value else {
            Issue.record("the answer is not in parts")
            return
        }
        for (index, payload) in Self.payloads.enumerated() {
            let next = Task { try await parts.next() }
            await waits(for: index + 2)
            clock.advance(milliseconds: 999)
            transport.give(.chunk(payload))
            #expect(try await next.value != nil)
        }
        #expect(try await parts.next() == nil)
    }

    @Test func `a part that does not come in time ends the exchange`() async throws {
        let asked = ask(try upstream())
        await waits(for: 1)
        transport.give(.head(type: Self.parts))
        transport.give(.chunk(Self.payloads[0]))
        guard case .parts(let parts, _) = try await asked.value else {
            Issue.record("the answer is not in parts")
            return
        }
        #expect(try await parts.next() != nil)
        let late = Task { try await parts.next() }
        await waits(for: 3)
        clock.advance(milliseconds: 1_000)
        await expectLate("no part came within 1000 ms") { _ = try await late.value }
    }

    @Test(arguments: [(300, 300), (30_000, 10_000)] as [(Int64, Int64)])
    func `the transport has a time for connecting, and none for the whole of a stream`(
        timeout: Int64, connecting: Int64
    ) async throws {
        let asked = ask(try upstream(timeout: timeout))
        await waits(for: 1)
        asked.cancel()
        let exchange = try #require(transport.exchanges.first)
        #expect(exchange.timeout == .milliseconds(timeout) && exchange.connectTimeout == .milliseconds(connecting))
        #expect(try #require(exchange.streamTimeout) > .seconds(86_400))
        _ = await asked.result
    }
}
