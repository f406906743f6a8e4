import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A server of one thread that answers every request with what a test says, and remembers the requests.
final class ScriptedUpstream: Sendable {
    let address: String
    private let descriptor: Int32
    private let seen = Mutex<[String]>([])

    /// - Parameters:
    ///   - head: The status line and fields of answers.
    ///   - answer: Returns the body for the text of a request.
    init(head: String = "HTTP/1.1 200 OK", _ answer: @escaping @Sendable (String) -> String) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw RawFailure("no port") }
        self.descriptor = descriptor
        address = "http://127.0.0.1:\(UInt16(bigEndian: name.sin_port))/rpc"
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(descriptor, nil, nil)
                if client < 0 { return }
                serve(client, head, answer)
                Glibc.close(client)
            }
        }
    }

    deinit { Glibc.close(descriptor) }

    /// The requests that came, whole.
    var requests: [String] { seen.withLock { $0 } }

    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func serve(_ client: Int32, _ head: String, _ answer: (String) -> String) {
        var text = ""
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(client, &bytes, bytes.count, 0)
            if count <= 0 { return }
            text += String(decoding: bytes[..<count], as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let length = text.firstMatch(of: /(?i)content-length: *([0-9]+)/).flatMap { Int($0.1) } ?? 0
            if text[end.upperBound...].utf8.count >= length { break }
        }
        seen.withLock { $0.append(text) }
        let body = answer(text)
        let reply =
            "\(head)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        let sent = Array(reply.utf8)
        _ = send(client, sent, sent.count, Int32(MSG_NOSIGNAL))
    }
}
