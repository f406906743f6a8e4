import Foundation
import Synchronization
import Testing
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server that sends bytes as they are to each connection, whatever they mean, and closes.
private final class RawServer: Sendable {
    let port: Int
    /// The thread owns the listener and closes it; nil once it has. A descriptor that is closed elsewhere can be given
    /// to the next server, whose connections this thread would then answer.
    private let listener: Mutex<Int32?>
    private let heads = Mutex<[String]>([])

    /// The heads of the requests so far.
    var requests: [String] { heads.withLock { $0 } }

    /// - Parameter resets: Whether connections end with a reset.
    init(_ answer: [UInt8], resets: Bool = false, silent: Bool = false) throws {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        listener = Mutex(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        let thread = Thread { [self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else {
                    listener.withLock {
                        close(descriptor)
                        $0 = nil
                    }
                    return
                }
                var head: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
                    let count = recv(connection, &buffer, buffer.count, 0)
                    if count <= 0 { break }
                    head += buffer[..<count]
                }
                heads.withLock { $0.append(String(decoding: head, as: UTF8.self)) }
                if silent {
                    // Waits until the other side gives up.
                    _ = recv(connection, &buffer, buffer.count, 0)
                }
                var offset = 0
                while offset < answer.count {
                    let count = answer[offset...].withUnsafeBytes {
                        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    if count <= 0 { break }
                    offset += count
                }
                if resets {
                    var linger = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(
                        connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
                }
                close(connection)
            }
        }
        thread.start()
    }

    /// Refuses connections from now on, and wakes the thread, which closes the listener.
    func stop() {
        listener.withLock {
            if let descriptor = $0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }
}

@Suite(.timeLimit(.minutes(30))) struct CurlTransportTests {
    private func get(
        _ answer: String, resets: Bool = false, silent: Bool = false, timeout: Int64 = 60_000,
        fields: HeaderFields = HeaderFields()
    ) async throws -> (Result<(ResponseHead, [UInt8]), ExchangeError>, String) {
        let server = try RawServer(Array(answer.utf8), resets: resets, silent: silent)
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
        if case .failure(let error) = try await get("", silent: true, timeout: 200).0 {
            #expect(error.code == .timedOut)
        } else {
            Issue.record("silence was an answer")
        }
        let server = try RawServer([])
        server.stop()
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL(ByteString("http://127.0.0.1:\(server.port)/")), fields: HeaderFields(),
            timeout: 60_000)
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

    @Test func `cancelling the task ends the exchange`() async throws {
        let server = try RawServer([], silent: true)
        defer { server.stop() }
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL(ByteString("http://127.0.0.1:\(server.port)/")), fields: HeaderFields(),
            timeout: 60_000)
        let task = Task { try await CurlTransport().exchange(exchange) }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect {
            _ = try await task.value
        } throws: { ($0 as? ExchangeError)?.code == .cancelled }
    }
}
