import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server on the loopback interface that sends whatever bytes a test prepares.
///
/// ```swift
/// let server = try RawServer(always: RawServer.Answer(body: Array("hello".utf8)))
/// print(server.url)
/// server.stop()
/// ```
///
/// Each connection has a thread of its own, which ends with it.
package final class RawServer: Sendable {
    /// The bytes to send for one request, and what to do with the connection afterwards.
    package struct Answer: Sendable {
        /// The bytes to send first.
        package var bytes: [UInt8]
        /// Sent after `bytes`, `repeats` times or until the client disconnects.
        package var tail: [UInt8] = []
        /// How often to send `tail`.
        package var repeats = 0
        /// What to do with the connection afterwards.
        package var end = End.close
        /// True to send the bytes before any request.
        package var isGreeting = false

        /// What happens to a connection after a response.
        package enum End: Sendable {
            /// The server closes it.
            case close
            /// The server resets it.
            case reset
            /// The server sends nothing more until the client disconnects.
            case silence
            /// The server waits for the next request.
            case keep
        }

        /// Creates a response from its whole text.
        package init(_ text: String, end: End = .close) {
            bytes = Array(text.utf8)
            self.end = end
        }

        /// Creates a complete response with its `Content-Length`.
        ///
        /// - Parameter fields: Header lines such as `ETag: "1"`.
        package init(_ status: String = "200 OK", _ fields: [String] = [], body: [UInt8], end: End = .close) {
            let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
            bytes = Array(head.joined(separator: "\r\n").utf8) + body
            self.end = end
        }
    }

    /// The port on which the server listens.
    package let port: Int
    /// The descriptor of the listener; nil once its thread has closed it. If another thread closed it, the number could
    /// be reused by the next server, whose connections this thread would then answer.
    private let listener: Mutex<Int32?>
    private let heads = Mutex<[String]>([])
    private let answer: @Sendable (String) -> Answer

    /// The heads of the requests so far.
    package var requests: [String] { heads.withLock { $0 } }

    /// The address of the server.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// Starts a server.
    ///
    /// - Parameter answer: Called with the head of each request, on the thread of its connection; also with an empty
    ///   head for each new connection.
    /// - Throws: `POSIXError` if no port is available.
    package init(_ answer: @escaping @Sendable (String) -> Answer) throws {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        self.answer = answer
        let descriptor = socket(AF_INET, stream, 0)
        listener = Mutex(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else {
                    return listener.withLock {
                        close(descriptor)
                        $0 = nil
                    }
                }
                Thread { [self] in serve(connection) }.start()
            }
        }.start()
    }

    /// Starts a server that answers every request with the same bytes.
    package convenience init(always answer: Answer) throws { try self.init { _ in answer } }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        let greeting = answer("")
        if greeting.isGreeting {
            _ = RawServer.send(greeting.bytes, connection)
            return
        }
        while let head = RawServer.head(connection) {
            heads.withLock { $0.append(head) }
            let answer = answer(head)
            guard RawServer.send(answer.bytes, connection) else { return }
            for _ in 0..<answer.repeats {
                guard RawServer.send(answer.tail, connection) else { return }
            }
            switch answer.end {
            case .close: return
            case .reset:
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
                return
            case .silence:
                var byte: UInt8 = 0
                while recv(connection, &byte, 1, 0) > 0 {}
                return
            case .keep: continue
            }
        }
    }

    /// Reads the head of a request; nil if the client disconnects.
    private static func head(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
            if bytes.count >= 4,
                bytes.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A])
                    || String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n")
            {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    private static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                #if canImport(Glibc)
                    Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                #else
                    Darwin.send(connection, $0.baseAddress, $0.count, 0)
                #endif
            }
            if count <= 0 { return false }
            offset += count
        }
        return true
    }

    /// Refuses new connections, and wakes the listener's thread, which closes the listener.
    package func stop() {
        listener.withLock {
            if let descriptor = $0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }
}
