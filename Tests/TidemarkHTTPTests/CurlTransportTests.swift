import Foundation
import Synchronization
import TestTraits
import Testing
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTestKit

@Suite(.pooled) struct CurlTransportTests {
    private func get(
        _ answer: String, resets: Bool = false, silent: Bool = false, timeout: Duration = .seconds(60),
        fields: HeaderFields = HeaderFields()
    ) async throws -> (Result<(ResponseHead, [UInt8]), ExchangeError>, String) {
        let server = try RawServer(always: .init(answer, end: resets ? .reset : silent ? .silence : .close))
        defer { server.stop() }
        let url = try HTTPURL(ByteString("http://127.0.0.1:\(server.port)/x?y=1"))
        let exchange = HTTPExchange(method: "GET", url: url, fields: fields, timeout: timeout)
        do throws(ExchangeError) {
            let answer = try await CurlTransport().exchange(exchange)
            let body = try await answer.body.bytes(byteCountMax: 8 << 20)
            return (.success((answer.head, body)), server.requests.first ?? "")
        } catch {
            return (.failure(error), server.requests.first ?? "")
        }
    }

    @Test func `fields keep their order and repeats, and the request has none that nobody asked for`() async throws {
        let (result, request) = try await get(
            "HTTP/1.1 200 Fine\r\nB: 1\r\nA: 2\r\nB: 3\r\nContent-Length: 2\r\n\r\nhi",
            fields: HeaderFields([.init("X-A", "1"), .init("X-Empty", ""), .init("X-A", "2")]))
        let (head, body) = try result.get()
        #expect(head.status == 200 && head.reason == "Fine" && body == Array("hi".utf8))
        #expect(head.fields.fields.map(\.name) == ["B", "A", "B", "Content-Length"])
        let lines = request.split(separator: "\r\n").map(String.init)
        #expect(lines.first == "GET /x?y=1 HTTP/1.1")
        #expect(lines.dropFirst().filter { !$0.hasPrefix("Host:") } == ["X-A: 1", "X-Empty:", "X-A: 2"])
    }

    @Test func `a name that nobody has and a closed port are offline`() async throws {
        // The domain invalid has no names (RFC 6761).
        for url in ["http://nobody.invalid/", "http://127.0.0.1:1/"] {
            let exchange = HTTPExchange(
                method: "GET", url: try HTTPURL(ByteString(url)), fields: HeaderFields(), timeout: .seconds(600))
            do throws(ExchangeError) {
                _ = try await CurlTransport().exchange(exchange)
                Issue.record("\(url) answered")
            } catch {
                #expect(error.code == .offline, "\(url): \(error)")
            }
        }
    }

    @Test func `a proxy is asked where one is named, for the whole URL`() async throws {
        let proxy = try RawServer(always: .init("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"))
        defer { proxy.stop() }
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL("http://a.test/x"), fields: HeaderFields(), timeout: .seconds(60))
        let answer = try await CurlTransport(proxy: .url(proxy.url)).exchange(exchange)
        #expect(try await answer.body.bytes(byteCountMax: 9) == Array("hi".utf8))
        #expect(proxy.requests.first?.hasPrefix("GET http://a.test/x HTTP/1.1\r\n") == true)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", ExchangeCode.truncated),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n", .truncated),
        ("", .connectionLost), ("rubbish\r\n\r\n", .connectionLost),
    ])
    func `an answer that is not whole says why`(answer: String, code: ExchangeCode) async throws {
        let (result, _) = try await get(answer)
        #expect(throws: ExchangeError.self) { try result.get() }
        if case .failure(let error) = result { #expect(error.code == code) }
    }

    @Test func `a reset, a silent server and a closed port have their codes`() async throws {
        if case .failure(let error) = try await get("", resets: true).0 {
            #expect(error.code == .connectionLost)
        } else {
            Issue.record("a reset was an answer")
        }
        if case .failure(let error) = try await get("", silent: true, timeout: .milliseconds(200)).0 {
            #expect(error.code == .timedOut)
        } else {
            Issue.record("silence was an answer")
        }
        let server = try RawServer(always: .init(""))
        server.stop()
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL(ByteString("http://127.0.0.1:\(server.port)/")), fields: HeaderFields(),
            timeout: .seconds(60))
        await #expect {
            _ = try await CurlTransport().exchange(exchange)
        } throws: { ($0 as? ExchangeError)?.code == .offline }
    }

    @Test func `interim answers are passed over, chunks are taken apart, a closed connection ends a body`() async throws
    {
        let (chunked, _) = try await get(
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n"
        )
        #expect(try chunked.get().1 == Array("abcde".utf8))
        #expect(try chunked.get().0.fields.isEmpty)
        let (closed, _) = try await get("HTTP/1.0 200 OK\r\n\r\nall of it")
        #expect(try closed.get().1 == Array("all of it".utf8))
    }

    @Test func `a body that is longer than its bound ends the exchange`() async throws {
        let body = String(repeating: "a", count: 9 << 20)
        let (result, _) = try await get("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        if case .failure(let error) = result {
            #expect(error.code == .limitExceeded)
        } else {
            Issue.record("a body of 9 MiB went through a bound of 8")
        }
    }

    @Test func `a server that speaks no TLS is tls_failed`() async throws {
        var greeting = RawServer.Answer("HTTP/1.1 400 Bad Request\r\n\r\n")
        greeting.isGreeting = true
        let server = try RawServer(always: greeting)
        defer { server.stop() }
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL(ByteString("https://127.0.0.1:\(server.port)/")), fields: HeaderFields(),
            timeout: .seconds(60))
        await #expect {
            _ = try await CurlTransport().exchange(exchange)
        } throws: { ($0 as? ExchangeError)?.code == .tlsFailed }
    }

    @Test func `cancelling the task ends the exchange`() async throws {
        let server = try RawServer(always: .init("", end: .silence))
        defer { server.stop() }
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL(ByteString("http://127.0.0.1:\(server.port)/")), fields: HeaderFields(),
            timeout: .seconds(60))
        let task = Task { try await CurlTransport().exchange(exchange) }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect {
            _ = try await task.value
        } throws: { ($0 as? ExchangeError)?.code == .cancelled }
    }

    #if os(Linux)
        /// Linux leaves a connection unanswered for which a listener has no room.
        @Test func `a server that takes no connection is given up in the time for connecting`() async throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var waiting: [Int32] = []
            defer { for descriptor in waiting + [listener] { close(descriptor) } }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    try #require(bind(listener, pointer, length) == 0 && listen(listener, 0) == 0)
                    try #require(getsockname(listener, pointer, &length) == 0)
                    for _ in 0..<4 {
                        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                        waiting.append(client)
                        _ = connect(client, pointer, length)
                    }
                }
            }
            let exchange = HTTPExchange(
                method: "GET", url: try HTTPURL(ByteString("http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/")),
                fields: HeaderFields(), timeout: .seconds(600), connectTimeout: .milliseconds(200))
            await #expect {
                _ = try await CurlTransport().exchange(exchange)
            } throws: { ($0 as? ExchangeError)?.code == .timedOut }
        }
    #endif

    @Test func `a server that stops in the middle of a body is left after the time that the exchange has`() async throws
    {
        let (result, _) = try await get(
            "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthe beginning", silent: true, timeout: .milliseconds(300))
        #expect(throws: ExchangeError.self) { try result.get() }
        if case .failure(let error) = result { #expect(error.code == .timedOut) }
    }

    /// A server that lies about lengths: more bytes than announced are another answer, and are not read.
    @Test func `a body ends where its length says`() async throws {
        let (result, _) = try await get("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi, and more")
        #expect(try result.get().1 == Array("hi".utf8))
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhi", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhi",
        "HTTP/1.1 99 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
    ])
    func `an answer whose framing contradicts itself is an error, or has no more bytes than came`(answer: String)
        async throws
    {
        let (result, _) = try await get(answer)
        switch result {
        case .success(let (_, body)): #expect(body.count <= 9)
        case .failure(let error): #expect([.connectionLost, .truncated].contains(error.code))
        }
    }

    @Test func `fields without a name are left out, and control characters are spaces`() async throws {
        let (result, _) = try await get(
            "HTTP/1.1 200 OK\r\nGood: 1\r\nBad name: 2\r\n: 3\r\nControl: a\u{1}b\r\nContent-Length: 0\r\n\r\n")
        let fields = try result.get().0.fields
        #expect(fields.fields.map(\.name) == ["Good", "Control", "Content-Length"])
        // A line that restricts what may be done with the answer must not get lost.
        #expect(fields.first("control") == "a b")
    }

    @Test func `a head without an end is an error`() async throws {
        var answer = RawServer.Answer("HTTP/1.1 200 OK\r\n")
        answer.tail = Array("X: \(String(repeating: "a", count: 1_000))\r\n".utf8)
        answer.repeats = 10_000
        let server = try RawServer(always: answer)
        defer { server.stop() }
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL(ByteString("\(server.url)/")), fields: HeaderFields(), timeout: .seconds(60)
        )
        await #expect(throws: ExchangeError.self) { _ = try await CurlTransport().exchange(exchange) }
    }
}
