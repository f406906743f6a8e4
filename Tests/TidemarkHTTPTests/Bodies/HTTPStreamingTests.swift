import HTTPTypes
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// A transport whose bodies come in chunks, and that counts what was taken of them.
final class ChunkedServer: HTTPTransport {
    struct Answer: Sendable {
        var status = 200
        var fields: [(String, String)] = []
        var chunks: [[UInt8]] = []
        /// The failure after the chunks; nil: the body is whole.
        var failure: ExchangeCode?
    }

    private struct State {
        var answer = Answer()
        var askedCount = 0
        var takenCount = 0
        var cancelCount = 0
    }

    private let state = Mutex(State())

    var askedCount: Int { state.withLock { $0.askedCount } }
    /// The chunks that were taken, of all answers.
    var takenCount: Int { state.withLock { $0.takenCount } }
    var cancelCount: Int { state.withLock { $0.cancelCount } }

    func answers(_ answer: Answer) { state.withLock { $0.answer = answer } }

    func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
        let answer = state.withLock { state in
            state.askedCount += 1
            return state.answer
        }
        var fields = HeaderFields(answer.fields.map { .init(ByteString($0.0), ByteString($0.1)) })
        if let tag = fields.first("etag"), exchange.fields.first("if-none-match") == tag {
            return HTTPExchangeResponse(head: ResponseHead(status: 304, fields: fields), body: HTTPBody([]))
        }
        if answer.failure == nil {
            fields.append("Content-Length", "\(answer.chunks.reduce(0) { $0 + $1.count })")
        }
        let place = Mutex(0)
        return HTTPExchangeResponse(
            head: ResponseHead(status: answer.status, fields: fields),
            body: HTTPBody(
                next: { [self] () throws(ExchangeError) in
                    let index = place.withLock { place in
                        defer { place += 1 }
                        return place
                    }
                    if index < answer.chunks.count {
                        state.withLock { $0.takenCount += 1 }
                        return answer.chunks[index]
                    }
                    if let failure = answer.failure { throw ExchangeError(failure, "as the test says") }
                    return nil
                }, cancel: { [self] in state.withLock { $0.cancelCount += 1 } }))
    }
}

@Suite(.pooled) struct HTTPStreamingTests {
    private static let request = HTTPRequest(method: .get, scheme: "http", authority: "a.test", path: "/x")

    /// Bytes that do not compress, in chunks of odd sizes.
    private static func chunks(_ count: Int, of byteCount: Int, seed: UInt64 = 1) -> [[UInt8]] {
        var random = SeededGenerator(seed: seed)
        let block = (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return (0..<count).map { number in
            var chunk = block
            chunk[0] = UInt8(truncatingIfNeeded: number)
            return chunk
        }
    }

    /// A client over a data file and the transport.
    private struct World {
        let fixture: HTTPFixture
        let server = ChunkedServer()
        let client: CachingHTTPClient
        let answers: HTTPResponseCache

        init(bodyByteCountMax: Int = 64 << 20) async throws {
            fixture = try await HTTPFixture()
            var defaults = CachingHTTPClient.Defaults()
            defaults.bodyByteCountMax = bodyByteCountMax
            answers = HTTPResponseCache(fixture.cache)
            client = CachingHTTPClient(cache: answers, transport: server, defaults: defaults)
        }

        func close() async throws {
            await client.close()
            try await fixture.close()
        }

        func isStored() async throws -> Bool {
            try await !fixture.client.list(HTTPSelection(), after: nil, countMax: 9).entries.isEmpty
        }
    }

    private static func read(_ response: StreamedResponse) async throws -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        for try await chunk in response.body { chunks.append(chunk) }
        return chunks
    }

    @Test func `a long body is read as it comes, stored beside, and then comes from the disk`() async throws {
        let world = try await World()
        let chunks = Self.chunks(37, of: 100_003)
        world.server.answers(.init(fields: [("ETag", "\"1\""), ("Cache-Control", "max-age=60")], chunks: chunks))
        let first = try await world.client.stream(Self.request, policy: .standard)
        // Somewhat more than a mebibyte was taken to see that the body is long.
        #expect(world.server.takenCount == 11 && !first.wasLoadedFromCache)
        #expect(try await !world.isStored())
        var count = 0
        var body: [UInt8] = []
        for try await chunk in first.body {
            count += 1
            body += chunk
            #expect(world.server.takenCount <= 10 + count)
        }
        #expect(count == 27 && body.isSame(as: [UInt8](joining: chunks)))
        #expect(await first.body.isStored)
        let second = try await world.client.stream(Self.request, policy: .standard)
        #expect(second.wasLoadedFromCache)
        let read = try await Self.read(second)
        #expect(read.map(\.count).max() == 1 << 20 && [UInt8](joining: read).isSame(as: body))
        let third = try await world.client.stream(Self.request)
        #expect(third.wasRevalidated)
        #expect(try await [UInt8](joining: Self.read(third)).isSame(as: body))
        #expect(try await world.client.fetch(Self.request).body.isSame(as: body) && world.server.askedCount == 3)
        try await world.close()
        #expect(try SQLiteReader(path: world.fixture.path).verify().isSound)
    }

    @Test func `a fetch of a long body writes it to the disk as it comes`() async throws {
        let world = try await World()
        let chunks = Self.chunks(40, of: 70_001)
        world.server.answers(.init(fields: [("ETag", "\"1\"")], chunks: chunks))
        let fetched = try await world.client.fetch(Self.request)
        #expect(fetched.isStored && fetched.body.isSame(as: [UInt8](joining: chunks)))
        #expect(try await world.client.fetch(Self.request, policy: .enabled).body.isSame(as: fetched.body))
        try await world.close()
    }

    @Test func `a caller that takes less than the body gets limit_exceeded, and the body is stored all the same`()
        async throws
    {
        let world = try await World()
        let chunks = Self.chunks(30, of: 100_000)
        world.server.answers(.init(fields: [("ETag", "\"1\"")], chunks: chunks))
        let client = HTTPClient(world.fixture.cache, transport: world.server, defaults: HTTPClientDefaults())
        var request = try world.fixture.request("http://a.test/x", .only(.etag))
        request.answerByteCountMax = 2_000_000
        for _ in 0..<3 {
            await #expect {
                _ = try await client.fetch(request)
            } throws: { ($0 as? CacheError)?.code == .limitExceeded }
            #expect(try await world.isStored())
        }
        request.rules = .only(.enabled)
        request.request.fields.append("Range", "bytes=1048570-1048589")
        let part = try await client.fetch(request)
        #expect(part.head.status == 206)
        #expect(part.body == Array([UInt8](joining: chunks)[1_048_570...1_048_589]))
        #expect(part.head.fields.first("content-range") == "bytes 1048570-1048589/3000000")
        await client.close()
        try await world.close()
    }

    @Test func `a range of a stored body is streamed without the rest`() async throws {
        let world = try await World()
        let chunks = Self.chunks(40, of: 100_000)
        world.server.answers(.init(fields: [("Cache-Control", "max-age=60")], chunks: chunks))
        _ = try await Self.read(try await world.client.stream(Self.request, policy: .standard))
        var request = Self.request
        request.headerFields[.range] = "bytes=1000000-3500000"
        let part = try await world.client.stream(request, policy: .standard)
        #expect(part.response.status == .partialContent && part.wasLoadedFromCache)
        let read = try await Self.read(part)
        let range = Array([UInt8](joining: chunks)[1_000_000...3_500_000])
        #expect([UInt8](joining: read).isSame(as: range) && read.count == 4)
        try await world.close()
    }

    @Test(arguments: [ExchangeCode.truncated, .timedOut, .connectionLost])
    func `a body that ends early ends with its code, and nothing is stored`(code: ExchangeCode) async throws {
        let world = try await World()
        world.server.answers(.init(chunks: Self.chunks(25, of: 100_000), failure: code))
        let streamed = try await world.client.stream(Self.request)
        await #expect {
            _ = try await Self.read(streamed)
        } throws: { ($0 as? CacheError)?.code.rawValue == code.rawValue }
        #expect(await !streamed.body.isStored)
        await #expect {
            _ = try await world.client.fetch(Self.request)
        } throws: { ($0 as? CacheError)?.code.rawValue == code.rawValue }
        #expect(try await !world.isStored())
        try await world.close()
        #expect(try Self.chunkCount(world) == 0)
    }

    private static func chunkCount(_ world: World) throws -> Int {
        try SQLiteReader(path: world.fixture.path).httpChunkCount()
    }

    @Test func `a reader that stops early ends the exchange, and nothing is stored`() async throws {
        let world = try await World()
        world.server.answers(.init(chunks: Self.chunks(60, of: 100_000)))
        do {
            let streamed = try await world.client.stream(Self.request)
            var count = 0
            for try await _ in streamed.body {
                count += 1
                if count == 30 { break }
            }
        }
        #expect(world.server.cancelCount == 1 && world.server.takenCount < 60)
        #expect(try await !world.isStored())
        try await world.close()
        #expect(try Self.chunkCount(world) == 0)
    }

    @Test func `a body that is too long to be stored passes through`() async throws {
        let world = try await World(bodyByteCountMax: 3 << 20)
        let chunks = Self.chunks(64, of: 100_000)
        world.server.answers(.init(fields: [("ETag", "\"1\"")], chunks: chunks))
        let streamed = try await world.client.stream(Self.request)
        #expect(try await [UInt8](joining: Self.read(streamed)).isSame(as: [UInt8](joining: chunks)))
        #expect(await !streamed.body.isStored)
        await #expect {
            _ = try await world.client.fetch(Self.request)
        } throws: { ($0 as? CacheError)?.code == .limitExceeded }
        #expect(try await !world.isStored())
        try await world.close()
        #expect(try Self.chunkCount(world) == 0)
    }

    /// A session is such a caller: its lines hold 11 MiB of a body.
    @Test(arguments: [0, 1, 3 << 20])
    func `a body that is too long to be stored is given to a caller that can take it`(bound: Int) async throws {
        let world = try await World()
        var defaults = HTTPClientDefaults()
        defaults.bodyByteCountMax = bound
        let client = HTTPClient(world.fixture.cache, transport: world.server, defaults: defaults)
        var fetch = try world.fixture.request()
        fetch.answerByteCountMax = 5 << 20
        let chunks = Self.chunks(40, of: 100_000)
        world.server.answers(.init(fields: [("ETag", "\"1\"")], chunks: chunks))
        let fetched = try await client.fetch(fetch)
        #expect(fetched.body.isSame(as: [UInt8](joining: chunks)) && !fetched.isStored)
        #expect(try await !world.isStored())
        world.server.answers(.init(fields: [("ETag", "\"1\"")], chunks: Self.chunks(60, of: 100_000)))
        await #expect {
            _ = try await client.fetch(fetch)
        } throws: { ($0 as? CacheError)?.code == .limitExceeded }
        await client.close()
        try await world.close()
        #expect(try Self.chunkCount(world) == 0)
    }

    @Test func `a body that may not be stored is read as it comes`() async throws {
        let world = try await World()
        let chunks = Self.chunks(30, of: 100_000)
        for (fields, policy) in [
            ([("Cache-Control", "no-store")], HTTPCachePolicy.standard), ([("ETag", "\"1\"")], []),
        ] {
            world.server.answers(.init(fields: fields, chunks: chunks))
            let streamed = try await world.client.stream(Self.request, policy: policy)
            #expect(try await [UInt8](joining: Self.read(streamed)).isSame(as: [UInt8](joining: chunks)))
            #expect(try await !world.isStored())
        }
        try await world.close()
    }

    @Test func `a body that is replaced or removed while it is read is read to its end`() async throws {
        let world = try await World()
        let old = Self.chunks(40, of: 100_000, seed: 1)
        let new = Self.chunks(30, of: 100_000, seed: 2)
        world.server.answers(.init(fields: [("ETag", "\"1\"")], chunks: old))
        _ = try await world.client.fetch(Self.request)
        let reading = try await world.client.stream(Self.request, policy: .enabled)
        var iterator = reading.body.makeAsyncIterator()
        var body = try #require(try await iterator.next())
        world.server.answers(.init(fields: [("ETag", "\"2\"")], chunks: new))
        #expect(try await world.client.fetch(Self.request).body.isSame(as: [UInt8](joining: new)))
        #expect(try await world.answers.invalidate() == 1)
        while let chunk = try await iterator.next() { body += chunk }
        #expect(body.isSame(as: [UInt8](joining: old)))
        #expect(try await !world.isStored())
        try await world.close()
    }

    @Test func `a short body is one chunk, and an empty one none`() async throws {
        let world = try await World()
        world.server.answers(.init(chunks: [[1], [2]]))
        let short = try await world.client.stream(Self.request)
        #expect(try await Self.read(short) == [[1, 2]])
        #expect(await short.body.isStored)
        world.server.answers(.init())
        #expect(try await Self.read(try await world.client.stream(Self.request)) == [])
        try await world.close()
    }

    /// Law: an answer that cannot be stored is an answer all the same.
    @Test func `a full disk costs the storing, not the answer`() async throws {
        let folder = try TemporaryFolder()
        let disk = try FaultDisk(folder: folder.path)
        let journal = try await SQLiteJournal.open(path: folder.path + "/cache.db")
        let cache = try await SyncCache.open(journal: journal, clock: ManualClock(skipsUpTo: 100))
        let server = ChunkedServer()
        let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: server)
        let chunks = Self.chunks(45, of: 100_000)
        server.answers(.init(fields: [("ETag", "\"1\"")], chunks: chunks))
        _ = try await client.fetch(Self.request, storage: .session)
        // The disk takes some of the chunks, and then no more.
        disk.plan(.full, at: disk.changeCount + 8, count: .max, seed: 1)
        let fetched = try await client.fetch(Self.request)
        #expect(fetched.body.isSame(as: [UInt8](joining: chunks)) && !fetched.isStored)
        let streamed = try await client.stream(Self.request)
        #expect(try await [UInt8](joining: Self.read(streamed)).isSame(as: [UInt8](joining: chunks)))
        #expect(await !streamed.body.isStored)
        await client.close()
        do { try await cache.close() } catch { #expect(disk.changeCount > 8) }
    }
}
