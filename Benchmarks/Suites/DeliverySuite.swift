import Synchronization
import Tidemark
import TidemarkGraphQL
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// The cost of responses that a server delivers in parts, from the bytes of their bodies to the cache.
enum DeliverySuite {
    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        try await parts(isSmoke ? 20 : 1_000, runs: runs, into: &report)
        try await subscription(isSmoke ? 2_000 : 1_000_000, into: &report)
    }

    /// Creates a client over a cache that stores nothing on the disk.
    private static func client(_ transport: any HTTPTransport) async throws -> GraphQLClient {
        let cache = try await SyncCache.open(
            configuration: CacheConfiguration(), journal: ForgetfulJournal(), clock: FixedClock(time: 1_700_000_000_000)
        )
        return try await GraphQLClient(
            cache, endpoint: try GraphQLEndpoint(url: "http://graph.example/", timeout: .seconds(600)),
            transport: transport)
    }

    // MARK: An answer in parts

    private static let fieldCount = 10
    private static let document: ByteString = {
        let fields = (0..<fieldCount).map { "f\($0)" }.joined(separator: " ")
        return ByteString("{ all { __typename id ... @defer { \(fields) } } }")
    }()

    /// Returns the fields of one object, about 10 KB.
    private static func fields(_ index: Int, _ version: Int) -> String {
        (0..<fieldCount).map { field in
            #""f\#(field)":"\#(index) \#(field) \#(version) \#(String(repeating: "abcdefghi ", count: 98))""#
        }.joined(separator: ",")
    }

    /// Returns a response in one body.
    private static func wholeBody(_ count: Int, _ version: Int) -> [UInt8] {
        let objects = (0..<count).map { #"{"__typename":"Item","id":"\#($0)",\#(fields($0, version))}"# }
        return Array(#"{"data":{"all":[\#(objects.joined(separator: ","))]}}"#.utf8)
    }

    /// Returns the same response in parts: first all ids, then the fields of each object in a part of their own.
    private static func partsBody(_ count: Int, _ version: Int) -> [UInt8] {
        let objects = (0..<count).map { #"{"__typename":"Item","id":"\#($0)"}"# }.joined(separator: ",")
        var payloads = [#"{"data":{"all":[\#(objects)]},"hasNext":true}"#]
        payloads += (0..<count).map { index in
            #"{"incremental":[{"path":["all",\#(index)],"data":{\#(fields(index, version))}}],"#
                + #""hasNext":\#(index < count - 1)}"#
        }
        let head = "\r\n---\r\nContent-Type: application/json\r\n\r\n"
        return Array((payloads.map { head + $0 }.joined() + "\r\n-----\r\n").utf8)
    }

    /// Measures a response in parts; the reference is the same response in one body. Both are read, put together,
    /// stored and passed to the reader.
    private static func parts(_ count: Int, runs: Int, into report: inout Report) async throws {
        let transport = MemoryTransport()
        let client = try await client(transport)
        // The values differ from those of the run before, because equal values would not be stored.
        let whole = [wholeBody(count, 0), wholeBody(count, 1)]
        let inParts = [partsBody(count, 2), partsBody(count, 3)]
        var turn = 0
        report.add(
            try await Measurement.compare(
                "an answer in \(count) parts", unit: "part", count: count, runs: runs, goal: 2,
                referenceName: "the same in one body",
                reference: {
                    transport.answer(whole[turn % 2], type: "application/json")
                    return try await fetchedByteCount(client)
                },
                subject: {
                    turn += 1
                    transport.answer(inParts[turn % 2], type: "multipart/mixed;boundary=\"-\";deferSpec=20220824")
                    return try await fetchedByteCount(client)
                }))
        try await client.cache.close()
    }

    /// Fetches the document from the server, and returns the size of its data in bytes.
    private static func fetchedByteCount(_ client: GraphQLClient) async throws -> UInt64 {
        var request = GraphQLReadRequest(GraphQLRequest(document))
        request.policy = .networkOnly
        let (results, result) = AsyncStream.makeStream(of: Result<GraphQLReply, CacheError>.self)
        await client.cache.readDocument(request) {
            result.yield($0)
            result.finish()
        }
        var byteCount = 0
        for await read in results { byteCount += try read.get().result.data.count }
        return UInt64(byteCount)
    }

    // MARK: A subscription

    /// The goal for the peak memory of a subscription, in KiB. It is four bytes for each of a million payloads, so that
    /// memory that grows with the number of payloads exceeds it.
    private static let memoryGoal = 4_096.0

    /// Measures the time per payload of a subscription, and the peak memory over all payloads.
    private static func subscription(_ count: Int, into report: inout Report) async throws {
        var received = 0
        let clock = ContinuousClock()
        let start = clock.now
        let byteCount = try await PeakByteCount.of { received = try await receive(count) }
        let perPayload = (clock.now - start).inSeconds * 1e6 / Double(count)
        precondition(received == count, "\(received) payloads came, not \(count)")
        report.add(
            name: "a payload of a subscription", value: perPayload, unit: "µs", goal: nil, hash: UInt64(received))
        guard let byteCount else { return }
        report.add(
            name: "memory over \(count) payloads", value: Double(byteCount) / 1_024, unit: "KiB", goal: memoryGoal,
            hash: UInt64(received))
    }

    /// Receives the payloads of a subscription, each with new values of one of a hundred objects.
    ///
    /// - Returns: The number of payloads with data.
    private static func receive(_ count: Int) async throws -> Int {
        let transport = MemoryTransport()
        transport.subscription(of: count)
        let client = try await client(transport)
        var received = 0
        for try await result in client.subscribe("subscription { changed { __typename id n } }") {
            received += result.data == nil ? 0 : 1
        }
        try await client.cache.close()
        return received
    }
}

/// A server in memory that sends its bodies in chunks of at most 64 KiB.
private final class MemoryTransport: HTTPTransport {
    private enum Source {
        case bytes([UInt8])
        /// A subscription, by the number of its next payload and the number of all payloads.
        case payloads(next: Int, count: Int)
    }

    private let state = Mutex((source: Source.bytes([]), type: "", offset: 0))

    /// Sets the body and the content type of the next response.
    func answer(_ body: [UInt8], type: String) { state.withLock { $0 = (.bytes(body), type, 0) } }

    /// Makes the next response a subscription with `count` payloads.
    func subscription(of count: Int) {
        state.withLock {
            $0 = (.payloads(next: 0, count: count), "multipart/mixed;boundary=\"-\";subscriptionSpec=1.0", 0)
        }
    }

    func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
        let type = state.withLock { $0.type }
        return HTTPExchangeResponse(
            head: ResponseHead(
                status: 200, reason: "", fields: HeaderFields([.init("Content-Type", ByteString(type))])),
            body: HTTPBody(next: { () throws(ExchangeError) in self.next() }, cancel: {}))
    }

    private static let chunkByteCount = 64 * 1_024
    private static let payloadsInChunk = 500

    /// Returns the next chunk of the body; nil at its end.
    private func next() -> [UInt8]? {
        state.withLock { state in
            switch state.source {
            case .bytes(let body):
                guard state.offset < body.count else { return nil }
                let end = min(body.count, state.offset + MemoryTransport.chunkByteCount)
                defer { state.offset = end }
                return Array(body[state.offset..<end])
            case .payloads(let first, let count):
                guard first < count else { return nil }
                let end = min(count, first + MemoryTransport.payloadsInChunk)
                state.source = .payloads(next: end, count: count)
                var text = first == 0 ? "---" : ""
                for number in first..<end {
                    text += "\r\n\r\n"
                    text +=
                        #"{"payload":{"data":{"changed":{"__typename":"Item","id":"\#(number % 100)","n":\#(number)}}}}"#
                    text += "\r\n---"
                }
                return Array((end == count ? text + "--\r\n" : text).utf8)
            }
        }
    }
}
