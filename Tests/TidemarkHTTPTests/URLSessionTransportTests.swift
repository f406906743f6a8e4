import Foundation
import HTTPTypes
import TestTraits
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTestKit
import TidemarkURLSession

@Suite(.pooled) struct URLSessionTransportTests {
    private let transport = URLSessionTransport()

    private func get(
        _ answer: RawServer.Answer, timeout: Duration = .seconds(60), byteCountMax: Int = 8 << 20,
        path: String = "/x?y=1",
        fields: [(String, String)] = []
    ) async throws -> (Result<(HTTPResponse, [UInt8]), ExchangeError>, [String]) {
        let server = try RawServer(always: answer)
        defer { server.stop() }
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL(ByteString(server.url + path)),
            fields: HeaderFields(fields.map { .init(ByteString($0.0), ByteString($0.1)) }), timeout: timeout)
        do throws(ExchangeError) {
            let answer = try await transport.exchange(exchange)
            let body = try await answer.body.bytes(byteCountMax: byteCountMax)
            return (.success((answer.response, body)), server.requests)
        } catch {
            return (.failure(error), server.requests)
        }
    }

    @Test func `an answer comes with its fields and its body, and the request has the caller's`() async throws {
        let (result, requests) = try await get(
            .init("200 OK", ["X-B: 1", "X-A: 2", "Set-Cookie: a=b"], body: Array("hi".utf8)), fields: [("X-C", "3")])
        let (response, body) = try result.get()
        #expect(response.status == .ok && body == Array("hi".utf8))
        #expect(response.headerFields.filter { $0.name.rawName.hasPrefix("X-") }.map(\.value) == ["2", "1"])
        let request = try #require(requests.first)
        #expect(request.hasPrefix("GET /x?y=1 HTTP/1.1\r\n") && request.lowercased().contains("\r\nx-c: 3\r\n"))
    }

    @Test func `cookies are not kept, and redirects are not followed`() async throws {
        let server = try RawServer { _ in
            .init("302 Found", ["Location: /next", "Set-Cookie: a=b; Path=/"], body: Array("there".utf8))
        }
        defer { server.stop() }
        for _ in 0..<2 {
            let exchange = HTTPExchange(
                method: "GET", url: try HTTPURL(ByteString("\(server.url)/x")), fields: HeaderFields(),
                timeout: .seconds(60))
            let answer = try await transport.exchange(exchange)
            _ = try await answer.body.bytes(byteCountMax: 100)
            #expect(answer.response.status.code == 302)
        }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { !$0.lowercased().contains("cookie") && $0.hasPrefix("GET /x ") })
    }

    @Test func `failures have their codes`() async throws {
        func code(_ result: Result<(HTTPResponse, [UInt8]), ExchangeError>) -> ExchangeCode? {
            if case .failure(let error) = result { return error.code }
            return nil
        }
        let short = RawServer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort")
        #expect(code(try await get(short).0) == .truncated)
        #expect(code(try await get(.init("", end: .silence), timeout: .milliseconds(200)).0) == .timedOut)
        let stuck = RawServer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", end: .silence)
        #expect(code(try await get(stuck, timeout: .milliseconds(500)).0) == .timedOut)
        #expect(code(try await get(.init("")).0) == .connectionLost)
        let gone = try RawServer(always: .init(""))
        gone.stop()
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL(ByteString("\(gone.url)/")), fields: HeaderFields(), timeout: .seconds(60))
        await #expect {
            _ = try await transport.exchange(exchange)
        } throws: { ($0 as? ExchangeError)?.code == .offline }
    }

    @Test func `cancelling the task ends the exchange`() async throws {
        let server = try RawServer(always: .init("", end: .silence))
        defer { server.stop() }
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL(ByteString("\(server.url)/")), fields: HeaderFields(), timeout: .seconds(60)
        )
        let task = Task { [transport] in try await transport.exchange(exchange) }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect {
            _ = try await task.value
        } throws: { ($0 as? ExchangeError)?.code == .cancelled }
    }

    /// Foundation decodes without saying so. A small body that unpacks to a huge one is cut at the limit.
    @Test func `a decompression bomb is cut at the limit, and a coded body never keeps its coding`() async throws {
        let small = RawServer.Answer("200 OK", ["Content-Encoding: gzip"], body: GzipBomb.bytes(mebibyteCount: 1))
        let (decoded, _) = try await get(small)
        let (response, body) = try decoded.get()
        #expect(body.count == 1 << 20)
        #expect(response.headerFields[.contentEncoding] == nil && response.headerFields[.contentLength] == nil)
        let bomb = GzipBomb.bytes(mebibyteCount: 1_024)
        #expect(bomb.count < 8 << 20)
        let (cut, _) = try await get(.init("200 OK", ["Content-Encoding: gzip"], body: bomb))
        if case .failure(let error) = cut {
            #expect(error.code == .limitExceeded)
        } else {
            Issue.record("a gigabyte went through a bound of 8 MiB")
        }
    }

    @Test func `a client caches over it`() async throws {
        let fixture = try await HTTPFixture()
        let server = try RawServer { head in
            head.lowercased().contains("if-none-match")
                ? .init("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n")
                : .init("200 OK", ["ETag: \"1\""], body: Array("body".utf8))
        }
        let client = CachingHTTPClient(cache: HTTPResponseCache(fixture.cache), transport: transport)
        let request = HTTPRequest(
            method: .get, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/x")
        #expect(try await client.fetch(request).isStored)
        #expect(try await client.fetch(request).wasRevalidated)
        server.stop()
        #expect(try await client.fetch(request, policy: [.etag, .loadIfOffline]).body == Array("body".utf8))
        await client.close()
        try await fixture.close()
    }
}

/// Bytes of gzip that unpack to zeros, made by hand: a block of deflate that repeats its last byte 258 at a time takes
/// two bits for each.
enum GzipBomb {
    static func bytes(mebibyteCount: Int) -> [UInt8] {
        let count = mebibyteCount << 20
        var bits = BitWriter()
        // A last block with the fixed codes. Literal 0 has the code 00110000, length 258 the code 11000101,
        // distance 1 the code 00000.
        bits.append(1, 1)
        bits.append(1, 2)
        bits.appendCode(0b0011_0000, 8)
        let runCount = (count - 1) / 258
        // Eight runs are thirteen bytes. Most of them are copied: a gigabyte has four million.
        let copyCount = max(0, runCount / 8 - 3)
        for _ in 0..<(runCount - copyCount * 8) {
            bits.appendCode(0b1100_0101, 8)
            bits.appendCode(0, 5)
        }
        for _ in 0..<(count - 1 - runCount * 258) { bits.appendCode(0b0011_0000, 8) }
        bits.appendCode(0, 7)
        let period = Array(bits.bytes[2..<15])
        var block: [UInt8] = []
        for _ in 0..<copyCount { block += period }
        bits.bytes.insert(contentsOf: block, at: 15)
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        let check = zeroCRC(count)
        var tail: [UInt8] = []
        for shift in stride(from: 0, to: 32, by: 8) { tail.append(UInt8(truncatingIfNeeded: check >> UInt32(shift))) }
        for shift in stride(from: 0, to: 32, by: 8) { tail.append(UInt8(truncatingIfNeeded: count >> shift)) }
        return head + bits.bytes + tail
    }

    /// The CRC-32 of zeros. A zero byte is a linear map of the sum over bits: the map of 2n bytes is that of n, twice.
    private static func zeroCRC(_ count: Int) -> UInt32 {
        var map = (0..<32).map { bit in
            (0..<8).reduce(UInt32(1) << UInt32(bit)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
        func apply(_ value: UInt32) -> UInt32 {
            (0..<32).reduce(0) { $0 ^ (value >> UInt32($1) & 1 == 1 ? map[$1] : 0) }
        }
        var value = UInt32.max
        var left = count
        while left > 0 {
            if left & 1 == 1 { value = apply(value) }
            map = map.map(apply)
            left >>= 1
        }
        return ~value
    }

    private struct BitWriter {
        var bytes: [UInt8] = []
        private var count = 0

        /// Appends a number, its lowest bit first.
        mutating func append(_ number: UInt32, _ bitCount: Int) {
            for bit in 0..<bitCount {
                if count.isMultiple(of: 8) { bytes.append(0) }
                if number >> UInt32(bit) & 1 == 1 { bytes[bytes.count - 1] |= 1 << UInt8(count % 8) }
                count += 1
            }
        }

        /// Appends a code of Huffman, its highest bit first.
        mutating func appendCode(_ code: UInt32, _ bitCount: Int) {
            for bit in (0..<bitCount).reversed() { append(code >> UInt32(bit) & 1, 1) }
        }
    }
}
