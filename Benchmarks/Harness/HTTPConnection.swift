import Foundation

/// A TCP connection to a server on this machine. Requests and responses are raw bytes, without an HTTP client in
/// between.
final class HTTPConnection {
    let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Throws: ``HTTPFailure`` if the server does not accept the connection.
    init(port: Int) throws {
        signal(SIGPIPE, SIG_IGN)
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        var option: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &option, socklen_t(MemoryLayout<Int32>.size))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, result == 0 else { throw HTTPFailure("port \(port) takes no connection: \(errno)") }
    }

    deinit { close(descriptor) }

    /// Writes all bytes; blocks while the server does not read.
    func write(_ bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                send(descriptor, all.baseAddress.map { $0 + start }, all.count - start, 0)
            }
            guard count > 0 else { throw HTTPFailure("the server reads no more: \(errno)") }
            start += count
        }
    }

    /// Reads up to the end of the next occurrence of a mark, and returns the text including the mark.
    ///
    /// - Throws: ``HTTPFailure`` if the connection ends before the mark.
    func text(through mark: String) throws -> String {
        let mark = Array(mark.utf8)
        while true {
            if let end = HTTPConnection.end(of: mark, in: buffer) {
                defer { buffer.removeFirst(end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else {
                throw HTTPFailure("the server ended: \(String(decoding: buffer.suffix(500), as: UTF8.self))")
            }
            buffer += piece[..<count]
        }
    }

    /// Returns the offset after the first occurrence of a mark; nil if there is none.
    private static func end(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= mark.count else { return nil }
        for start in 0...(bytes.count - mark.count) where bytes[start..<start + mark.count].elementsEqual(mark) {
            return start + mark.count
        }
        return nil
    }

    /// Reads one response that has a `Content-Length`, and returns its body.
    ///
    /// - Throws: ``HTTPFailure`` if the status is not 200, if the length is missing, or if the connection ends early.
    func answer() throws -> String {
        let head = try text(through: "\r\n\r\n")
        guard head.hasPrefix("HTTP/1.1 200"),
            let match = head.firstMatch(of: /(?i)content-length: ([0-9]+)/), let length = Int(match.1)
        else { throw HTTPFailure("no answer with a length: \(head)") }
        while buffer.count < length {
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { throw HTTPFailure("the server ended in an answer") }
            buffer += piece[..<count]
        }
        defer { buffer.removeFirst(length) }
        return String(decoding: buffer[..<length], as: UTF8.self)
    }
}

/// A server or connection that did not behave as a suite expects.
struct HTTPFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
