import ArgumentParser
import Foundation

/// The hidden command that holds the clients of scopes, so that their work and memory are not those of the suite. It
/// reads commands from standard input, and answers each with one line.
struct ScopeClients: ParsableCommand {
    static let name = "scope-clients"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Hold clients of scopes.", shouldDisplay: false)

    @Option var addresses: String

    func run() throws {
        let lines = try String(contentsOfFile: addresses, encoding: .utf8).split(separator: "\n")
        let set = ScopeClientSet(lines.map { $0.split(separator: " ").map(String.init) })
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
            do {
                print(try answer(words[0], number, set))
            } catch {
                print("failed \(error)")
            }
            fflush(nil)
        }
    }

    private func answer(_ command: String, _ number: Int, _ set: ScopeClientSet) throws -> String {
        switch command {
        // Connections on which nothing was asked yet.
        case "connect":
            try set.connect(port: number)
            return "0"
        case "open":
            let start = Moment.now()
            try set.ask(port: number)
            try set.read { set.caughtUpCount == set.count }
            return "\(Moment.now() - start)"
        // Until every client has the end of a round: p50, p99 and max of the times, and when the last line was there.
        case "round":
            try set.read { set.endCount(number) == set.count }
            return set.takeTimes()
        // Until the first client has a whole unit: when the last byte was there.
        case "unit":
            try set.readUnit()
            return "\(set.lastMoment)"
        default: throw HTTPFailure("nobody knows \(command)")
        }
    }
}

/// Clients of scopes on one thread.
final class ScopeClientSet {
    private struct Client {
        let path: String
        let token: String
        var descriptor: Int32 = -1
        var rest: [UInt8] = []
        var epoch = ""
        var sequence = 0
        var isCaughtUp = false
        /// The round whose end came last.
        var round = -1
        var hasStarted = false
        /// Where the number of a line begins: names before it are equally long in every line of an epoch.
        var numberOffset = 0
    }

    private var clients: [Client]
    private var places: [pollfd] = []
    private var times: [Int64] = []
    private(set) var lastMoment: Int64 = 0
    private var piece = [UInt8](repeating: 0, count: 256 << 10)

    init(_ addresses: [[String]]) {
        clients = addresses.map { Client(path: $0[0], token: $0[1]) }
        signal(SIGPIPE, SIG_IGN)
        OpenFiles.raise(to: addresses.count + 200)
    }

    var count: Int { clients.count }
    var caughtUpCount: Int { clients.count(where: \.isCaughtUp) }
    func endCount(_ round: Int) -> Int { clients.count { $0.round >= round } }

    // MARK: Requests

    /// Connects all clients.
    func connect(port: Int) throws {
        for index in clients.indices { clients[index].descriptor = try HTTPConnection(port: port).take() }
        places = clients.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    }

    /// Sends the request of every client: for a state, or for what is behind its last line.
    func ask(port: Int) throws {
        for index in clients.indices where clients[index].hasStarted {
            close(clients[index].descriptor)
            clients[index].descriptor = -1
        }
        if clients.contains(where: { $0.descriptor < 0 }) { try connect(port: port) }
        for index in clients.indices {
            let client = clients[index]
            clients[index].hasStarted = true
            clients[index].isCaughtUp = false
            clients[index].rest = []
            let after = client.epoch.isEmpty ? "" : "&after=\(client.sequence)&epoch=\(client.epoch)"
            let path = client.path + (client.path.contains("?") || after.isEmpty ? after : "?" + after.dropFirst())
            try HTTPConnection.write(
                "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(client.token)\r\n\r\n",
                to: client.descriptor)
        }
    }

    // MARK: Lines

    /// Reads until something holds.
    ///
    /// - Throws: ``HTTPFailure`` if nothing comes for a minute, or a stream ends.
    func read(until isDone: () -> Bool) throws {
        while !isDone() {
            guard poll(&places, nfds_t(places.count), 60_000) > 0 else { throw HTTPFailure("nothing comes") }
            for index in places.indices where places[index].revents != 0 {
                let count = recv(places[index].fd, &piece, piece.count, 0)
                guard count > 0 else { throw HTTPFailure("a stream ended: \(clients[index].path)") }
                lastMoment = Moment.now()
                clients[index].rest += piece[..<count]
                try take(index)
            }
        }
    }

    /// Reads the first client's next unit, without a look at its lines before the last one.
    func readUnit() throws {
        var unit: [UInt8] = []
        while true {
            let count = recv(clients[0].descriptor, &piece, piece.count, 0)
            guard count > 0 else { throw HTTPFailure("a stream ended: \(clients[0].path)") }
            lastMoment = Moment.now()
            unit += piece[..<count]
            // The end of a line and of a chunk.
            guard unit.count > 3, unit.suffix(3) == Array("\n\r\n".utf8)[...] else { continue }
            let start = unit.dropLast(3).lastIndex(of: 0x0A) ?? 0
            let line = String(decoding: unit[start...].prefix(400), as: UTF8.self)
            if !line.contains(#""more":true"#), !line.contains(#"{"Heartbeat""#) { return position(line, 0) }
        }
    }

    private func take(_ index: Int) throws {
        let rest = clients[index].rest
        var start = 0
        try rest.withUnsafeBytes { bytes in
            while let base = bytes.baseAddress, start < bytes.count,
                let end = memchr(base + start, 0x0A, bytes.count - start)
            {
                let length = end - UnsafeMutableRawPointer(mutating: base + start)
                try line(UnsafeRawBufferPointer(start: base + start, count: length), index)
                start += length + 1
            }
        }
        clients[index].rest.removeFirst(start)
    }

    private func line(_ line: UnsafeRawBufferPointer, _ index: Int) throws {
        guard line.first == UInt8(ascii: "{") else {
            if line.starts(with: "HTTP/1.1 ".utf8), !line.starts(with: "HTTP/1.1 200".utf8) {
                throw HTTPFailure("\(clients[index].path): \(String(decoding: line, as: UTF8.self))")
            }
            return
        }
        let digits = ScopeClientSet.lastDigits(of: line)
        // A line of one task has some 430 bytes, one of two has more than 600.
        if line.count < 600, clients[index].isCaughtUp, digits.count == 19 {
            note(digits, line, index)
            return
        }
        try slowly(String(decoding: line, as: UTF8.self), index)
    }

    /// The number that ends a line of one task; empty if there is none.
    private static func lastDigits(of line: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        let end = line.lastIndex { $0 != UInt8(ascii: "}") && $0 != 0x0D } ?? 0
        var start = end
        while start >= 0, UInt8(ascii: "0")...UInt8(ascii: "9") ~= line[start] { start -= 1 }
        return line[(start + 1)..<max(start + 1, end + 1)]
    }

    /// Notes the time that a task took, or the end of a round.
    private func note(_ digits: Slice<UnsafeRawBufferPointer>, _ line: UnsafeRawBufferPointer, _ index: Int) {
        let sent = digits.reduce(0) { $0 &* 10 &+ Int64($1 & 15) }
        if sent > 1_000_000_000_000_000_000 { times.append(lastMoment - sent) }
        if sent == 1_000_000_000_000_000_000 { ends(String(decoding: line, as: UTF8.self), index) }
        let number = line[clients[index].numberOffset...].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        clients[index].sequence = number.reduce(0) { $0 * 10 + Int($1 & 15) }
    }

    private func ends(_ text: String, _ index: Int) {
        for match in text.matches(of: /"version":(9[0-9]{8}),/) {
            clients[index].round = max(clients[index].round, (Int(match.1) ?? 0) - ScopeWorkload.endVersion)
        }
    }

    private func position(_ text: String, _ index: Int) {
        guard let mark = text.range(of: #""sequence":"#) else { return }
        clients[index].numberOffset = text.utf8.distance(from: text.startIndex, to: mark.upperBound)
        clients[index].sequence = Int(text[mark.upperBound...].prefix { $0.isNumber }) ?? 0
    }

    /// Reads a line of a state, or one of several entities.
    private func slowly(_ text: String, _ index: Int) throws {
        if text.contains(#"{"bye""#) { throw HTTPFailure("a stream ended: \(text)") }
        if text.contains(#"{"Reset":"#), let match = text.firstMatch(of: /"epoch":"([^"]+)"/) {
            clients[index].epoch = String(match.1)
        }
        if clients[index].isCaughtUp {
            let moments = text.matches(of: /"sent":([0-9]{19})/).compactMap { Int64($0.1) }
            for sent in moments where sent > 1_000_000_000_000_000_000 { times.append(lastMoment - sent) }
            ends(text, index)
        }
        position(text, index)
        if text.contains(#"{"Heartbeat":"#) { clients[index].isCaughtUp = true }
    }

    /// Returns p50, p99 and max of the times, their number, and when the last line was read. Forgets the times.
    func takeTimes() -> String {
        let sorted = times.sorted()
        times = []
        guard let last = sorted.last else { return "0 0 0 0 \(lastMoment)" }
        return "\(sorted[sorted.count / 2]) \(sorted[sorted.count * 99 / 100]) \(last) \(sorted.count) \(lastMoment)"
    }
}
