import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkGraphQL

/// Answers in parts over HTTP, for a program in Swift: the table of Protocol/graphql.md about storing parts.
@Suite(.pooled) struct DeliveryTests {
    private static let document: GraphQLDocument = "{ hero { id ... @defer { name age } } }"
    private static let named: GraphQLDocument = "{ hero { __typename id name } }"
    private static let early = #"{"hero":{"id":"1"}}"#
    private static let whole = #"{"hero":{"id":"1","name":"Luke","age":19}}"#
    private static let payloads = [
        #"{"data":{"hero":{"__typename":"C","id":"1"}},"hasNext":true}"#,
        #"{"incremental":[{"path":["hero"],"data":{"name":"Luke","age":19}}],"hasNext":true}"#,
        #"{"hasNext":false}"#,
    ]

    private func client(_ server: AnswerServer, _ write: GraphQLWrite) async throws -> GraphQLClient {
        let cache = try await SyncCache.open(configuration: CacheConfiguration(), journal: MemoryJournal())
        var options = GraphQLClient.Options()
        options.write = write
        return try await GraphQLClient(
            cache, endpoint: try GraphQLEndpoint(url: server.url, timeout: .seconds(300)), options: options)
    }

    private func server(_ payloads: [String] = payloads) throws -> AnswerServer {
        try AnswerServer([AnswerServer.parts(payloads, specification: "deferSpec=20220824")])
    }

    /// Reads a document from the cache alone; nil for a miss.
    private func cached(_ client: GraphQLClient, _ document: GraphQLDocument) async throws -> String? {
        do {
            return try await client.fetch(query: document, cachePolicy: .cacheOnly).data?.text
        } catch let error as CacheError where error.code == .cacheMiss {
            return nil
        }
    }

    @Test(arguments: [GraphQLWrite.complete, .incremental])
    func `an answer in parts is stored when it is whole, or part by part`(write: GraphQLWrite) async throws {
        let server = try server()
        defer { server.stop() }
        let client = try await client(server, write)
        var results = client.watch(query: Self.document).makeAsyncIterator()
        #expect(try await results.next()?.data?.text == Self.early)
        #expect(try await cached(client, "{ hero { id } }") == (write == .complete ? nil : Self.early))
        server.release()
        let second = try #require(try await results.next())
        #expect(second.data?.text == Self.whole && second.isPartial)
        #expect(try await cached(client, "{ hero { id name age } }") == (write == .complete ? nil : Self.whole))
        server.release()
        #expect(try await results.next()?.isPartial == false)
        #expect(try await cached(client, "{ hero { id name age } }") == Self.whole)
    }

    @Test(arguments: [GraphQLWrite.complete, .incremental], [true, false])
    func `a write of the program between two parts stays`(write: GraphQLWrite, isDocument: Bool) async throws {
        let server = try server()
        defer { server.stop() }
        let client = try await client(server, write)
        var results = client.watch(query: Self.document).makeAsyncIterator()
        #expect(try await results.next()?.data?.text == Self.early)
        if isDocument {
            try await client.write(
                try JSONValue(parsing: #"{"hero":{"__typename":"C","id":"1","name":"mine"}}"#.utf8),
                for: Self.named)
        } else {
            try await client.cache.transact(
                [.put(type: "C", resource: Array(#"{"id":"1","name":"mine"}"#.utf8))], library: "")
        }
        server.release()
        server.release()
        var last: GraphQLResult<JSONValue>?
        while last?.isPartial != false { last = try await results.next() }
        // The fields that the program did not write are the server's. An answer that is shown before it is stored may
        // have told another name until then.
        let own = #"{"hero":{"id":"1","name":"mine","age":19}}"#
        #expect(try await cached(client, "{ hero { id name age } }") == own)
        if last?.data?.text != own { last = try await results.next() }
        #expect(last?.data?.text == own)
    }

    @Test(arguments: [GraphQLWrite.complete, .incremental])
    func `an event between two parts wins for its entity`(write: GraphQLWrite) async throws {
        let server = try server()
        defer { server.stop() }
        let client = try await client(server, write)
        var results = client.watch(query: Self.document).makeAsyncIterator()
        #expect(try await results.next()?.data?.text == Self.early)
        try await client.cache.ingest(
            Array((EventLine.change(#"{"id":"1","name":"event","age":9}"#, type: "C", sequence: 1) + "\n").utf8))
        server.release()
        server.release()
        let own = #"{"hero":{"id":"1","name":"event","age":9}}"#
        var last: GraphQLResult<JSONValue>?
        while last?.isPartial != false || last?.data?.text != own { last = try await results.next() }
        #expect(try await cached(client, "{ hero { id name age } }") == own)
    }

    @Test(arguments: [GraphQLWrite.complete, .incremental])
    func `a delivery that dies leaves nothing, or what came`(write: GraphQLWrite) async throws {
        let server = try server([Self.payloads[0], "{\"incremental\":["])
        defer { server.stop() }
        let client = try await client(server, write)
        var results = client.watch(query: Self.document).makeAsyncIterator()
        #expect(try await results.next()?.data?.text == Self.early)
        server.release()
        let second = try #require(try await results.next())
        #expect(second.data?.text == Self.early && second.miss?.error != nil)
        #expect(second.deferred.map(\.state) == [.failed])
        #expect(try await cached(client, "{ hero { id } }") == (write == .complete ? nil : Self.early))
    }

    @Test(arguments: [GraphQLWrite.complete, .incremental])
    func `a second watcher gets what has come, and then the rest`(write: GraphQLWrite) async throws {
        let server = try server()
        defer { server.stop() }
        let client = try await client(server, write)
        var first = client.watch(query: Self.document).makeAsyncIterator()
        #expect(try await first.next()?.data?.text == Self.early)
        var second = client.watch(query: Self.document, cachePolicy: .networkOnly).makeAsyncIterator()
        #expect(try await second.next()?.data?.text == Self.early)
        server.release()
        server.release()
        var last: GraphQLResult<JSONValue>?
        while last?.isPartial != false { last = try await first.next() }
        #expect(last?.data?.text == Self.whole)
        last = nil
        while last?.isPartial != false { last = try await second.next() }
        #expect(last?.data?.text == Self.whole)
        #expect(server.requests.count == 1)
    }

    @Test func `errors beside a payload end a subscription`() async throws {
        let payload = #"{"payload":{"data":{"event":{"__typename":"C","id":"1"}},"errors":[{"message":"part"}]}}"#
        let (client, _) = try await GraphQLClient.scripted([
            .stream([payload, #"{"payload":null,"errors":[{"message":"over"}]}"#, payload])
        ])
        var count = 0
        await #expect {
            for try await result in client.subscribe("subscription { event { __typename id } }") {
                count += 1
                #expect(result.errors.map { $0["message"]?.string } == ["part"])
            }
        } throws: { ($0 as? CacheError)?.message.contains("over") == true }
        #expect(count == 1)
    }
}
