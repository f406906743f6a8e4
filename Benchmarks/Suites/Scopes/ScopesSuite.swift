import Foundation
import TidemarkModel
import TidemarkTestKit

/// The cost of scopes: memory of clients and scopes, events to their clients, states, memberships, and the return of
/// all clients at once. The server and the clients are processes of their own.
enum ScopesSuite {
    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let command = try CommandRunner().executable
        let sizes = ScopeSizes(isSmoke: isSmoke)
        guard OpenFiles.raise(to: sizes.idleClientCount + 300) >= sizes.idleClientCount + 300 else {
            return print("  too few files may be open for \(sizes.idleClientCount) clients: nothing is measured")
        }
        try memory(command, sizes, into: &report)
        try traffic(command, sizes, into: &report)
        try hidden(command, sizes, runs: runs, into: &report)
        try moves(command, sizes, runs: runs, into: &report)
        try states(command, sizes, runs: runs, into: &report)
        try idle(command, sizes, into: &report)
    }

    // MARK: Memory

    /// Measures one more client of a shared scope beside its connection, and one more scope.
    private static func memory(_ command: String, _ sizes: ScopeSizes, into report: inout Report) throws {
        let folder = try ScratchFolder()
        let workload = try ScopeWorkload(groupCount: sizes.scopeCount, in: folder)
        let server = try ServedProcess(command, database: folder.path("memory.db"), workload.options)
        let count = sizes.scopeCount * sizes.scopeEntityCount
        try post(tasks(0..<count, workload), count: count, to: server)
        // The first client evaluates the rules; its memory is not counted.
        let first = try ScopeClientProcess(try workload.addresses(clientCount: 1, scopeCount: 1))
        _ = try first.ask("open \(server.port)")
        let shared = try ScopeClientProcess(try workload.addresses(clientCount: sizes.memoryClientCount, scopeCount: 1))
        _ = try shared.ask("connect \(server.port)")
        let connected = try settled(server)
        _ = try shared.ask("open \(server.port)")
        let open = try settled(server)
        // Each of these is in a room of its own; a client of a shared scope costs what was measured before.
        let others = try ScopeClientProcess(
            try workload.addresses(clientCount: sizes.scopeCount, scopeCount: sizes.scopeCount))
        _ = try others.ask("connect \(server.port)")
        let beforeScopes = try settled(server)
        _ = try others.ask("open \(server.port)")
        let scopes = try settled(server)
        let client = max(0, Double(open - connected) / Double(sizes.memoryClientCount))
        report.add(
            name: "one more idle client", value: client, unit: "bytes", goal: sizes.isSmoke ? nil : 4_096,
            hash: UInt64(sizes.memoryClientCount))
        report.add(
            name: "one more scope of \(sizes.scopeEntityCount)",
            value: max(0, Double(scopes - beforeScopes) / Double(sizes.scopeCount) - client), unit: "bytes",
            goal: sizes.isSmoke ? nil : Double(2_048 + 16 * sizes.scopeEntityCount), hash: UInt64(sizes.scopeCount))
        for clients in [first, shared, others] { clients.finish() }
        server.finish()
    }

    /// Returns the memory of a server that has nothing to do any more.
    private static func settled(_ server: ServedProcess) throws -> Int {
        Moment.sleep(until: Moment.now() + 1_000_000_000)
        guard let bytes = server.byteCount else { throw HTTPFailure("the memory of a process is not known here") }
        return bytes
    }

    /// Measures many idle clients over a large library.
    private static func idle(_ command: String, _ sizes: ScopeSizes, into report: inout Report) throws {
        let folder = try ScratchFolder()
        let workload = try ScopeWorkload(groupCount: sizes.idleScopeCount / 2, in: folder)
        let server = try ServedProcess(command, database: folder.path("idle.db"), workload.options)
        let pieceCount = 50_000
        for start in stride(from: 0, to: sizes.idleEntityCount, by: pieceCount) {
            let range = start..<min(sizes.idleEntityCount, start + pieceCount)
            try post(tasks(range, workload), count: range.count, to: server)
        }
        let first = try ScopeClientProcess(try workload.addresses(clientCount: 1, scopeCount: 1))
        _ = try first.ask("open \(server.port)")
        let before = try settled(server)
        let clients = try ScopeClientProcess(
            try workload.addresses(clientCount: sizes.idleClientCount - 1, scopeCount: sizes.idleScopeCount))
        _ = try clients.ask("connect \(server.port)")
        let time = try clients.ask("open \(server.port)")[0]
        let after = try settled(server)
        let name = "\(sizes.idleClientCount) idle clients"
        report.add(
            name: "\(name), beside entities", value: max(0, Double(after - before) / 1e6), unit: "MB",
            goal: sizes.isSmoke ? nil : 300, hash: UInt64(sizes.idleEntityCount))
        report.add(
            name: "\(name), their states", value: Double(time) / 1e9, unit: "s", goal: nil,
            hash: UInt64(sizes.idleEntityCount))
        for clients in [first, clients] { clients.finish() }
        server.finish()
    }

    // MARK: Events

    /// Measures events to clients, each in two scopes: as many as the server takes, then at a fixed rate; and the
    /// return of all clients after a restart.
    private static func traffic(_ command: String, _ sizes: ScopeSizes, into report: inout Report) throws {
        let folder = try ScratchFolder()
        let workload = try ScopeWorkload(groupCount: sizes.busyScopeCount / 2, in: folder)
        let database = folder.path("busy.db")
        var server = try ServedProcess(command, database: database, workload.options)
        try post(tasks(0..<sizes.busyEntityCount, workload), count: sizes.busyEntityCount, to: server)
        let clients = try ScopeClientProcess(
            try workload.addresses(clientCount: sizes.busyClientCount, scopeCount: sizes.busyScopeCount))
        _ = try clients.ask("open \(server.port)")
        let hash = UInt64(sizes.busyClientCount) &* 31 &+ UInt64(sizes.busyEventCount)
        let name = "\(sizes.busyClientCount) clients"

        var body: [UInt8] = []
        for event in 0..<sizes.busyEventCount {
            workload.appendTask(event % sizes.busyEntityCount, version: event + 1, to: &body)
        }
        workload.appendEnd(1, to: &body)
        let start = Moment.now()
        try post(body, count: sizes.busyEventCount + workload.groupCount, to: server)
        let accepted = Moment.now() - start
        let last = try clients.ask("round 1")
        report.add(
            name: "events in, \(name)", value: Double(sizes.busyEventCount) / Double(accepted) * 1e9, unit: "/s",
            goal: nil, hash: hash)
        report.add(
            name: "the same, to the last client", value: Double(last[4] - start) / Double(sizes.busyEventCount),
            unit: "ns/event",
            goal: sizes.isSmoke ? nil : 20_000, hash: hash)

        try paced(server, workload, sizes)
        let times = try clients.ask("round 2")
        let figures: [(String, Int64, Double?)] = [
            ("p50", times[0], nil), ("p99", times[1], 50_000), ("max", times[2], nil),
        ]
        for (label, value, goal) in figures {
            report.add(
                name: "event to \(name), \(label)", value: Double(value) / 1_000, unit: "µs",
                goal: sizes.isSmoke ? nil : goal, hash: hash &+ UInt64(times[3]))
        }

        server.finish()
        server = try ServedProcess(command, database: database, workload.options)
        let resumed = try clients.ask("open \(server.port)")[0]
        report.add(
            name: "\(name) resume after a restart", value: Double(resumed) / 1e6, unit: "ms",
            goal: sizes.isSmoke ? nil : 2_000, hash: hash)
        clients.finish()
        server.finish()
    }

    /// Sends events at a fixed rate, in pieces, each event with the time at which its piece is written.
    private static func paced(_ server: ServedProcess, _ workload: ScopeWorkload, _ sizes: ScopeSizes) throws {
        let connection = try HTTPConnection(port: server.port)
        try connection.write(
            server.head("POST", "/events", ["Content-Type: application/x-ndjson", "Transfer-Encoding: chunked"]))
        let pieceCount = sizes.pacedEventCount / ScopeSizes.pieceEventCount
        let interval = Int64(ScopeSizes.pieceEventCount) * 1_000_000_000 / Int64(sizes.pacedEventsPerSecond)
        let start = Moment.now()
        for piece in 0..<pieceCount {
            Moment.sleep(until: start + Int64(piece) * interval)
            var lines: [UInt8] = []
            let now = Moment.now() - 1_000_000_000_000_000_000
            for event in 0..<ScopeSizes.pieceEventCount {
                let number = piece * ScopeSizes.pieceEventCount + event
                workload.appendTask(
                    number &* 7 % sizes.busyEntityCount, version: sizes.busyEventCount + number, sent: now, to: &lines)
            }
            try write(lines, to: connection)
        }
        var end: [UInt8] = []
        workload.appendEnd(2, to: &end)
        try write(end, to: connection)
        try connection.write(Array("0\r\n\r\n".utf8))
        _ = try connection.answer()
    }

    private static func write(_ lines: [UInt8], to connection: HTTPConnection) throws {
        try connection.write(Array("\(String(lines.count, radix: 16))\r\n".utf8) + lines + Array("\r\n".utf8))
    }

    /// Measures events in no scope beside a server without scopes.
    private static func hidden(_ command: String, _ sizes: ScopeSizes, runs: Int, into report: inout Report) throws {
        let folder = try ScratchFolder()
        let workload = try ScopeWorkload(groupCount: sizes.busyScopeCount / 2, in: folder)
        let scoped = try ServedProcess(command, database: folder.path("scoped.db"), workload.options)
        let plain = try ServedProcess(command, database: folder.path("plain.db"))
        for server in [scoped, plain] {
            try post(tasks(0..<sizes.busyEntityCount, workload), count: sizes.busyEntityCount, to: server)
        }
        let clients = try ScopeClientProcess(
            try workload.addresses(clientCount: sizes.busyScopeCount, scopeCount: sizes.busyScopeCount))
        _ = try clients.ask("open \(scoped.port)")
        var seconds: [Double] = []
        var references: [Double] = []
        for run in 0...runs {
            var body: [UInt8] = []
            for event in 0..<sizes.hiddenEventCount {
                workload.appendHidden(event % (sizes.hiddenEventCount / 5), version: run * 10 + event, to: &body)
            }
            let turns = [(scoped, false), (plain, true)]
            for (server, isPlain) in run % 2 == 0 ? turns : turns.reversed() {
                let start = Moment.now()
                try post(body, count: sizes.hiddenEventCount, to: server)
                let time = Double(Moment.now() - start) / Double(sizes.hiddenEventCount)
                if run > 0 { if isPlain { references.append(time) } else { seconds.append(time) } }
            }
        }
        report.add(
            name: "an event in no scope", values: seconds, unit: "ns/event", count: sizes.hiddenEventCount,
            referenceName: "without scopes", referenceValues: references, goal: sizes.isSmoke ? nil : 1.2,
            hash: UInt64(sizes.hiddenEventCount))
        clients.finish()
        for server in [scoped, plain] { server.finish() }
    }

    // MARK: States and moves

    /// Measures a membership that moves many entities into a scope and out of it.
    private static func moves(_ command: String, _ sizes: ScopeSizes, runs: Int, into report: inout Report) throws {
        let folder = try ScratchFolder()
        let workload = try ScopeWorkload(groupCount: 1, in: folder)
        let server = try ServedProcess(command, database: folder.path("moves.db"), workload.options)
        try post(papers(sizes.movedEntityCount), count: sizes.movedEntityCount, to: server)
        let clients = try ScopeClientProcess(try workload.write(["/scopes/desk \(ScopeWorkload.token("ann"))"]))
        _ = try clients.ask("open \(server.port)")
        let connection = try HTTPConnection(port: server.port)
        var times: [Bool: [Double]] = [:]
        for run in 0...runs {
            for isGiven in [true, false] {
                try clients.send("unit")
                let start = Moment.now()
                try post(ScopeWorkload.access("ann", "f", isGiven: isGiven), count: 1, to: server, on: connection)
                let time = Double(try clients.answer()[0] - start) / 1e6
                if run > 0 { times[isGiven, default: []].append(time) }
            }
        }
        for isGiven in [true, false] {
            report.add(
                name: "\(sizes.movedEntityCount) entities \(isGiven ? "enter" : "leave")", values: times[isGiven] ?? [],
                unit: "ms", goal: sizes.isSmoke ? nil : 100, hash: UInt64(sizes.movedEntityCount))
        }
        clients.finish()
        server.finish()
    }

    /// Measures a first state beside an export of the same entities.
    private static func states(_ command: String, _ sizes: ScopeSizes, runs: Int, into report: inout Report) throws {
        let folder = try ScratchFolder()
        let workload = try ScopeWorkload(groupCount: 1, in: folder)
        let server = try ServedProcess(command, database: folder.path("states.db"), workload.options)
        try post(tasks(0..<sizes.movedEntityCount, workload), count: sizes.movedEntityCount, to: server)
        var values: [Double] = []
        var references: [Double] = []
        for run in 0...runs {
            let client = try HTTPConnection(port: server.port)
            var start = Moment.now()
            try HTTPConnection.write(
                "GET /scopes/room?room=r0 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
                    + "Authorization: Bearer \(ScopeWorkload.token("u"))\r\n\r\n", to: client.descriptor)
            try skim(client.descriptor, through: #"{"Heartbeat":"#)
            let time = Double(Moment.now() - start)
            let other = try HTTPConnection(port: server.port)
            start = Moment.now()
            try other.write(server.head("GET", "/export", ["Connection: close"]))
            try skim(other.descriptor, through: "0\r\n\r\n")
            let reference = Double(Moment.now() - start)
            guard run > 0 else { continue }
            values.append(time / Double(sizes.movedEntityCount))
            references.append(reference / Double(sizes.movedEntityCount))
        }
        report.add(
            name: "first state of \(sizes.movedEntityCount)", values: values, unit: "ns/entity",
            count: sizes.movedEntityCount, referenceName: "export", referenceValues: references,
            goal: sizes.isSmoke ? nil : 1 / 0.7, hash: UInt64(sizes.movedEntityCount))
        server.finish()
    }

    /// Reads up to a mark near the end of what comes, and drops it.
    private static func skim(_ descriptor: Int32, through mark: String) throws {
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        var tail: [UInt8] = []
        while !String(decoding: tail, as: UTF8.self).contains(mark) {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { throw HTTPFailure("the server ended before \(mark)") }
            tail = (tail + piece[..<count]).suffix(512)
        }
    }

    // MARK: Input

    private static func tasks(_ range: Range<Int>, _ workload: ScopeWorkload) -> [UInt8] {
        var lines: [UInt8] = []
        for index in range { workload.appendTask(index, version: 0, to: &lines) }
        return lines
    }

    private static func papers(_ count: Int) -> [UInt8] {
        var lines: [UInt8] = []
        for index in 0..<count { ScopeWorkload.appendPaper(index, folder: "f", to: &lines) }
        return lines
    }

    /// Posts events, and returns once all of them are on the disk.
    private static func post(
        _ lines: [UInt8], count: Int, to server: ServedProcess, on connection: HTTPConnection? = nil
    ) throws {
        let connection = try connection ?? HTTPConnection(port: server.port)
        try connection.write(
            server.head("POST", "/events", ["Content-Type: application/x-ndjson", "Content-Length: \(lines.count)"])
                + lines)
        let answer = try connection.answer()
        guard answer.contains("\"applied\":\(count),") else { throw HTTPFailure("not all events: \(answer)") }
    }
}
