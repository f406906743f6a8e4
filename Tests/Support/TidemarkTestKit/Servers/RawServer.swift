import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server on the loopback interface that sends bytes as a test says, whatever they mean.
///
/// Each connection has a thread of its own, which ends with it.
package final class RawServer: Sendable {
    /// The bytes for one request, and what happens to the connection then.
    package struct Answer: Sendable {
        package var bytes: [UInt8]
        /// Sent after `bytes`, so often as `repeats`, or until the client leaves.
        package var tail: [UInt8] = []
        package var repeats = 0
        package var end = End.close
        /// Whether the bytes are sent before anything was asked.
        package var isGreeting = false

        package enum End: Sendable {
            case close
            /// The connection ends with a reset.
            case reset
            /// Nothing more is sent until the client leaves.
            case silence
            /// The next request of the connection is awaited.
            case keep
        }

        package init(_ text: String, end: End = .close) {
            bytes = Array(text.utf8)
            self.end = end
        }

        /// Makes a whole answer with its length.
        ///
        /// - Parameter fields: Lines such as `ETag: "1"`.
        package init(_ status: String = "200 OK", _ fields: [String] = [], body: [UInt8], end: End = .close) {
            let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
            bytes = Array(head.joined(separator: "\r\n").utf8) + body
            self.end = end
        }
    }

    package let port: Int
    /// The descriptor of the listener; nil once its thread has closed it. A descriptor that is closed elsewhere can be
    /// given to the next server, whose connections this thread would then answer.
    private let listener: Mutex<Int32?>
    private let heads = Mutex<[String]>([])
    private let answer: @Sendable (String) -> Answer

    /// The heads of the requests so far.
    package var requests: [String] { heads.withLock { $0 } }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter answer: Called with the head of each request, on the thread of its connection; and with nothing
    ///   when a connection is made.
    /// - Throws: `POSIXError` when there is no port.
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

    /// Answers every request with the same bytes.
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

    /// Reads the head of a request; nil when the client leaves.
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

    /// Refuses connections from now on, and wakes the thread, which closes the listener.
    package func stop() {
        listener.withLock {
            if let descriptor = $0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }
}
