import Foundation
import Synchronization

/// A server that gives each connection the next of its answers, and keeps the requests.
final class ScriptedServer: Sendable {
    let port: Int
    private let listener: Int32
    private let kept = Mutex<[String]>([])
    /// Whether the number of the listener is still ours.
    private let isOpen = Mutex(true)

    var requests: [String] { kept.withLock { $0 } }
    private let ends = Mutex(0)

    /// The connections that have ended, by the client where it was stalled.
    var endedCount: Int { ends.withLock { $0 } }

    /// One connection.
    struct Script: Sendable {
        /// The end of a connection.
        enum End: Sendable {
            case close
            /// Nothing more is sent until the client ends the connection.
            case stall
            /// The connection is reset.
            case reset
        }

        var bytes: [UInt8]
        /// The number of bytes that are sent at once.
        var chunkByteCount = 65_536
        var end = End.close
    }

    convenience init(_ answers: [String]) throws {
        try self.init(scripts: answers.map { Script(bytes: Array($0.utf8)) })
    }

    init(scripts: [Script]) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
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
        let thread = Thread { [self] in
            for script in scripts {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                keep(request: connection)
                play(script, on: connection)
                close(connection)
                ends.withLock { $0 += 1 }
            }
            // Nobody accepts on the listener any more; its number may be given to another server from here on.
            isOpen.withLock {
                $0 = false
                close(descriptor)
            }
        }
        thread.start()
    }

    private func play(_ script: Script, on connection: Int32) {
        var at = 0
        while at < script.bytes.count {
            let end = min(script.bytes.count, at + script.chunkByteCount)
            let sent = script.bytes[at..<end].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            at += sent
        }
        switch script.end {
        case .close: break
        case .stall:
            var buffer = [UInt8](repeating: 0, count: 64)
            while recv(connection, &buffer, buffer.count, 0) > 0 {}
        case .reset:
            // A client that has read nothing yet would lose what was sent: it has to have the head first.
            var lingering = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        }
    }

    func stop() {
        isOpen.withLock { if $0 { shutdown(listener, Int32(SHUT_RDWR)) } }
    }

    /// Reads a whole request.
    private func keep(request connection: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let length = text.lowercased().range(of: "content-length: ").map {
                    text[$0.upperBound...].prefix { $0.isNumber }
                }
                if text[end.upperBound...].utf8.count >= length.flatMap({ Int($0) }) ?? 0 { break }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        kept.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
    }
}
