import Foundation
import TidemarkTestKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The error of a connection that did not do as a test expects.
struct RawFailure: Error {
    var message: String

    init(_ message: String) { self.message = message }
}

/// One TCP connection to this machine, without anything that knows HTTP. It blocks the calling thread.
final class RawConnection {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private(set) var isAtEnd = false

    /// - Parameter receiveByteCount: The size of the system's buffer for bytes that come; nil: as usual.
    init(port: Int, receiveByteCount: Int32? = nil) throws {
        signal(SIGPIPE, SIG_IGN)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw RawFailure("no socket: \(errno)") }
        if var size = receiveByteCount {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw RawFailure("cannot connect: \(errno)") }
    }

    deinit { Glibc.close(descriptor) }

    /// Writes bytes; a server that takes no more is not an error: the answer tells.
    func write(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                Glibc.send(
                    descriptor, all.baseAddress.map { $0 + start }, all.count - start, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            start += count
        }
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    /// Says that nothing more is written.
    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection at once, with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Reads what is there, waiting for at most a time.
    ///
    /// - Returns: False when nothing came in time.
    private func fill(seconds: Double, byteCountMax: Int = 64 << 10) -> Bool {
        var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&place, 1, Int32(seconds * 1_000)) == 1 else { return false }
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count <= 0 { isAtEnd = true } else { buffer += bytes[..<count] }
        return true
    }

    /// Takes a few bytes of what is there, as a client that reads slowly.
    func takeSome(byteCountMax: Int) { _ = fill(seconds: 0, byteCountMax: byteCountMax) }

    /// Takes every byte that has come and was not read yet.
    func takeRest() -> [UInt8] {
        while !isAtEnd, fill(seconds: 0) {}
        defer { buffer = [] }
        return buffer
    }

    /// Returns the text up to and with a mark.
    ///
    /// - Throws: ``RawFailure`` when it does not come in time.
    func text(through mark: String, seconds: Double = TestPatience.seconds) throws -> String {
        let mark = Array(mark.utf8)
        var searched = 0
        while true {
            if let end = RawConnection.index(of: mark, in: buffer, from: searched) {
                defer { buffer.removeFirst(end + mark.count) }
                return String(decoding: buffer[..<(end + mark.count)], as: UTF8.self)
            }
            searched = max(0, buffer.count - mark.count)
            guard !isAtEnd, fill(seconds: seconds) else {
                let end = String(decoding: buffer.suffix(500), as: UTF8.self)
                throw RawFailure("\(String(decoding: mark, as: UTF8.self).debugDescription) did not come, but '\(end)'")
            }
        }
    }

    private static func index(of mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard let first = mark.first, bytes.count >= mark.count else { return nil }
        var index = start
        while index + mark.count <= bytes.count {
            if bytes[index] == first, bytes[index..<(index + mark.count)].elementsEqual(mark) { return index }
            index += 1
        }
        return nil
    }

    private func bytes(count: Int, seconds: Double) throws -> [UInt8] {
        while buffer.count < count {
            guard !isAtEnd, fill(seconds: seconds) else { throw RawFailure("\(buffer.count) of \(count) bytes came") }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// Returns the next bytes.
    func take(count: Int) throws -> [UInt8] { try bytes(count: count, seconds: TestPatience.seconds) }

    /// Whether the server has closed the connection, or closes it in time: before a timeout of the server's own would.
    func isClosed(within seconds: Double = 10) -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while !isAtEnd, end > Date() { _ = fill(seconds: max(0.01, end.timeIntervalSinceNow)) }
        return isAtEnd
    }

    /// An answer.
    struct Answer {
        var status: Int
        var fields: [(name: String, value: String)]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }

        /// The `data.code` of an error.
        var code: String? {
            text.firstMatch(of: /"data":\{"code":"([a-z_]+)"/).map { String($0.1) }
        }
    }

    /// Reads the head of an answer, after its informational ones.
    func head(seconds: Double = TestPatience.seconds) throws -> Answer {
        while true {
            let lines = try text(through: "\r\n\r\n", seconds: seconds).components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            guard words.count > 1, let status = Int(words[1]) else { throw RawFailure("no status line: \(lines[0])") }
            if status == 100 { continue }
            let fields = lines.dropFirst().compactMap { line -> (String, String)? in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (
                    String(line[..<colon]), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
                )
            }
            return Answer(status: status, fields: fields, body: [])
        }
    }

    /// Reads a whole answer.
    func answer(seconds: Double = TestPatience.seconds) throws -> Answer {
        var answer = try head(seconds: seconds)
        if let length = answer.field("Content-Length").flatMap({ Int($0) }) {
            answer.body = try bytes(count: length, seconds: seconds)
        } else if answer.field("Transfer-Encoding") == "chunked" {
            while true {
                let size = try text(through: "\r\n", seconds: seconds).trimmingCharacters(in: .whitespacesAndNewlines)
                guard let count = Int(size, radix: 16) else { throw RawFailure("no size of a chunk: \(size)") }
                answer.body += try bytes(count: count, seconds: seconds)
                _ = try bytes(count: 2, seconds: seconds)
                if count == 0 { break }
            }
        }
        return answer
    }
}
