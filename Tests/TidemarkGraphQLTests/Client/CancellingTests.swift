import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkGraphQL

extension SyncCache {
    fileprivate var waiterCount: Int {
        get async {
            await withWing(GraphQLEngine.self) { engine, _ in
                engine.fetches.values.reduce(0) { $0 + $1.waiters.count }
            }
        }
    }
}

/// Reads that are given up: their requests end, and servers see that their connections are closed.
@Suite(.pooled) struct CancellingTests {
    private static let document: GraphQLDocument = "{ hero { id ... @defer { name } } }"
    private static let part =
        "---\r\n\r\n{\"data\":{\"hero\":{\"__typename\":\"C\",\"id\":\"1\"}},\"hasNext\":true}\r\n---\r\n"

    private static func head(_ type: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: 100000\r\n\r\n"
    }

    private func client(_ url: String) async throws -> GraphQLClient {
        let cache = try await SyncCache.open(configuration: CacheConfiguration(), journal: MemoryJournal())
        return try await GraphQLClient(cache, endpoint: try GraphQLEndpoint(url: url, timeout: .seconds(300)))
    }

    private func stalling(_ text: String) async throws -> (GraphQLClient, ScriptedServer) {
        let server = try ScriptedServer(scripts: [ScriptedServer.Script(bytes: Array(text.utf8), end: .stall)])
        return (try await client("http://127.0.0.1:\(server.port)/graphql"), server)
    }

    private static let beginnings = [
        "", head("application/json") + "{\"data\":", head("multipart/mixed;boundary=\"-\";deferSpec=20220824") + part,
    ]

    @Test(arguments: beginnings) func `cancelling a fetch ends its request and closes its connection`(
        beginning: String
    ) async throws {
        let (client, server) = try await stalling(beginning)
        let task = Task { try await client.fetch(query: Self.document) }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        while server.endedCount == 0 { await Task.yield() }
        #expect(await client.cache.waiterCount == 0)
    }

    @Test(arguments: beginnings) func `the end of a watcher's task ends the request that it waits for`(
        beginning: String
    ) async throws {
        let (client, server) = try await stalling(beginning)
        let task = Task { for try await _ in client.watch(query: Self.document) {} }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        try await task.value
        while server.endedCount == 0 { await Task.yield() }
    }

    @Test func `the end of a subscriber's task closes its connection`() async throws {
        let (client, server) = try await stalling(
            Self.head("multipart/mixed;boundary=\"-\";subscriptionSpec=1.0") + "---\r\n\r\n{}\r\n---\r\n")
        let task = Task { for try await _ in client.subscribe("subscription { event { id } }") {} }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        try await task.value
        while server.endedCount == 0 { await Task.yield() }
    }

    @Test func `a fetch that another reader waits for goes on`() async throws {
        let server = try AnswerServer([
            AnswerServer.parts(
                [
                    #"{"data":{"hero":{"__typename":"C","id":"1"}},"hasNext":true}"#,
                    #"{"incremental":[{"path":["hero"],"data":{"name":"Luke"}}],"hasNext":false}"#,
                ], specification: "deferSpec=20220824")
        ])
        defer { server.stop() }
        let client = try await client(server.url)
        let first = Task { try await client.fetch(query: Self.document) }
        let second = Task { try await client.fetch(query: Self.document) }
        while await client.cache.waiterCount < 2 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        #expect(await client.cache.waiterCount == 1)
        server.release()
        #expect(try await second.value.data?.text == #"{"hero":{"id":"1","name":"Luke"}}"#)
        #expect(server.requests.count == 1)
    }

    @Test func `a fetch that is cancelled before it begins asks nobody`() async throws {
        let server = try AnswerServer([])
        defer { server.stop() }
        let client = try await client(server.url)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await client.fetch(query: Self.document)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(server.requests.isEmpty)
    }

    /// The built command: the observer ends, the session goes on.
    @Test(.tags(.process)) func `a session closes the connection when its last observer ends`() async throws {
        let server = try ScriptedServer(scripts: [
            ScriptedServer.Script(bytes: Array(Self.beginnings[2].utf8), end: .stall)
        ])
        let folder = try TemporaryFolder()
        let live = try LiveCommand([
            "run", "--db", folder.path("cache.db"), "--fetch-timeout", "300", "--graphql-endpoint",
            "http://127.0.0.1:\(server.port)/graphql",
        ])
        live.write(
            Array(
                (#"{"jsonrpc":"2.0","id":1,"method":"graphql.observe","params":{"document":"\#(Self.document.document)"}}"#
                    + "\n").utf8))
        while case .line(let line) = live.next(seconds: 240) {
            if String(decoding: line, as: UTF8.self).contains(#""subscription":1"#) { break }
        }
        #expect(server.endedCount == 0)
        live.write(
            Array((#"{"jsonrpc":"2.0","id":2,"method":"observe.cancel","params":{"subscription":1}}"# + "\n").utf8))
        while server.endedCount == 0 { await Task.yield() }
        #expect(live.finish(seconds: 60).status == 0)
    }
}
