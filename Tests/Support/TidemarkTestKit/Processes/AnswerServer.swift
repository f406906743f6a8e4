import Foundation
import Synchronization

/// An HTTP server on this machine that sends each connection the next of its prepared responses, piece by piece.
///
/// The first piece of a response is sent immediately, each further one after ``release()``, so that a test can see what
/// a client makes of a beginning before the rest exists.
public final class AnswerServer: Sendable {
    /// The port on which the server listens.
    public let port: Int
    private let listener: Int32
    private let gate = DispatchSemaphore(value: 0)
    private let kept = Mutex<[String]>([])
    /// True while the listener's descriptor belongs to this server.
    private let isOpen = Mutex(true)

    /// The requests so far, each with its head and body.
    public var requests: [String] { kept.withLock { $0 } }

    /// The address of the server.
    public var url: String { "http://127.0.0.1:\(port)/graphql" }

    /// Starts a server.
    ///
    /// - Parameter answers: The pieces of each response, including status line and header fields.
    /// - Throws: `POSIXError` if no port is available.
    public init(_ answers: [[String]]) throws {
        listener = socket(AF_INET, AnswerServer.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [self] in
            for answer in answers { serve(answer) }
            isOpen.withLock {
                $0 = false
                close(descriptor)
            }
        }.start()
    }

    /// Sends the next piece of the current response.
    public func release() { gate.signal() }

    /// Stops the server, even while a response waits.
    public func stop() {
        isOpen.withLock { if $0 { shutdown(listener, Int32(SHUT_RDWR)) } }
        for _ in 0..<1_000 { gate.signal() }
    }

    /// Returns a whole response with JSON.
    public static func json(_ body: String) -> [String] {
        [
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                + "Connection: close\r\n\r\n\(body)"
        ]
    }

    /// Returns the pieces of a multipart response, one for each payload.
    ///
    /// - Parameter specification: The parameter of the media type, such as `deferSpec=20220824`.
    public static func parts(_ payloads: [String], specification: String) -> [String] {
        payloads.enumerated().map { index, payload in
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed;boundary=\"-\";\(specification)\r\n"
                + "Connection: close\r\n\r\n\r\n---\r\n"
            // Each piece ends with a whole delimiter line, because only that tells a reader that the part is complete.
            let end = index == payloads.count - 1 ? "\r\n-----\r\n" : "\r\n---\r\n"
            return (index == 0 ? head : "") + "Content-Type: application/json\r\n\r\n\(payload)\(end)"
        }
    }

    private static var stream: Int32 {
        #if canImport(Darwin)
            SOCK_STREAM
        #else
            Int32(SOCK_STREAM.rawValue)
        #endif
    }

    private func serve(_ pieces: [String]) {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        keepRequest(of: connection)
        for (index, piece) in pieces.enumerated() {
            if index > 0 { gate.wait() }
            let bytes = Array(piece.utf8)
            // A client that disconnects ends only its own response.
            #if canImport(Darwin)
                let flags: Int32 = 0
            #else
                let flags = Int32(MSG_NOSIGNAL)
            #endif
            let count = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
            if count < bytes.count { break }
        }
        close(connection)
    }

    private func keepRequest(of connection: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !AnswerServer.isWhole(bytes) {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        kept.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let length = text.lowercased().range(of: "content-length: ").map { text.lowercased()[$0.upperBound...] }
        return text[end.upperBound...].utf8.count >= length.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    }
}
