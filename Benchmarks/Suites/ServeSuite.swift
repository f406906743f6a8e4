import Foundation
import Synchronization
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

/// The cost of HTTP: the latency from an event to a stream, the memory of idle streams, and the throughput of
/// `POST /events`.
enum ServeSuite {
    /// The number of phases of the latency. Pipes and HTTP take turns, so that a slow moment of the machine affects
    /// both.
    private static let phaseCount = 5
    private static let eventsPerSecond = 200

    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let command = try CommandRunner().executable
        let folder = try ScratchFolder()
        try latency(
            command, folder, streamCount: isSmoke ? 10 : 100, eventCount: isSmoke ? 200 : 5_000, into: &report)
        try idle(command, folder, streamCount: isSmoke ? 200 : 10_000, isSmoke: isSmoke, into: &report)
        try throughput(command, folder, eventCount: isSmoke ? 5_000 : 300_000, runs: runs, into: &report)
    }

    // MARK: Latency

    /// The latencies of the notifications that a thread has read.
    private final class Seen: Sendable {
        private let latencies = Mutex<[Int64]>([])

        /// Notes the latency of a line with a notification.
        func take(_ line: ArraySlice<UInt8>, at moment: Int64) {
            guard let place = Sample.places(in: line).last else { return }
            let latency = moment - Sample.time(in: line, at: place)
            latencies.withLock { $0.append(latency) }
        }

        var count: Int { latencies.withLock { $0.count } }
        var result: Latencies { Latencies(latencies.withLock { $0 }) }

        /// Waits until `count` notifications were read.
        func wait(for count: Int) throws {
            for _ in 0..<60_000 {
                if self.count >= count { return }
                usleep(1_000)
            }
            throw HTTPFailure("of \(count) notifications came \(self.count)")
        }
    }

    /// Measures the time from writing an event to reading its notification. Each stream observes one entity. The server
    /// gets the events in one body of `POST /events` that stays open; the session beside it gets them through a pipe.
    private static func latency(
        _ command: String, _ folder: ScratchFolder, streamCount: Int, eventCount: Int, into report: inout Report
    ) throws {
        let session = try PipedProcess(command, ["run", "--db", folder.path("pipes.db")])
        let piped = Seen()
        session.read { line, moment in
            if line.starts(with: Array("{\"jsonrpc\":\"2.0\",\"method\":\"entity.changed\"".utf8)) {
                piped.take(line, at: moment)
            }
        }
        for index in 0..<streamCount { session.write(Array((observe(index) + "\n").utf8)) }
        let server = try ServedProcess(command, database: folder.path("served.db"))
        let served = Seen()
        let connection = try HTTPConnection(port: server.port)
        var streams: [HTTPConnection] = []
        for index in 0..<streamCount {
            let stream = try HTTPConnection(port: server.port)
            let id = try open(stream, server)
            _ = try server.call(observe(index), stream: id, on: connection)
            streams.append(stream)
        }
        let reading = try StreamPoll(streams) { served.take($0, at: $1) }
        let body = try HTTPConnection(port: server.port)
        try body.write(
            server.head("POST", "/events", ["Content-Type: application/x-ndjson", "Transfer-Encoding: chunked"]))
        let phase = eventCount / phaseCount
        for start in stride(from: 0, to: phase * phaseCount, by: phase) {
            let events = start..<start + phase
            try send(events, streamCount) { session.write($0) }
            try piped.wait(for: events.upperBound)
            try send(events, streamCount) { line in
                try body.write(Array("\(String(line.count, radix: 16))\r\n".utf8) + line + Array("\r\n".utf8))
            }
            try served.wait(for: events.upperBound)
        }
        try body.write(Array("0\r\n\r\n".utf8))
        _ = try body.answer()
        session.finish()
        server.finish()
        reading.finish()
        let hash = UInt64(eventCount) &* 31 &+ UInt64(streamCount)
        piped.result.report("event, through pipes", hash: hash, into: &report)
        served.result.report("event to \(streamCount) streams", goal: 2_000, hash: hash, into: &report)
    }

    /// Returns a request that observes an entity.
    private static func observe(_ index: Int) -> String {
        let id = String(decoding: Sample.key(of: index).id.bytes, as: UTF8.self)
        return
            #"{"jsonrpc":"2.0","id":\#(index + 1),"method":"entity.observe","params":{"resource_type":"\#(Sample.type)","id":"\#(id)"}}"#
    }

    /// Opens a stream, and returns its name.
    private static func open(_ connection: HTTPConnection, _ server: ServedProcess) throws -> String {
        try connection.write(server.head("GET", "/stream"))
        let text = try connection.text(through: "\"}\n\n")
        guard let match = text.firstMatch(of: /"stream":"([0-9a-f]+)"/) else { throw HTTPFailure("no stream: \(text)") }
        return String(match.1)
    }

    /// Writes events at a fixed rate, each with the time at which it is written.
    private static func send(
        _ events: Range<Int>, _ entityCount: Int, _ write: ([UInt8]) throws -> Void
    ) throws {
        let interval = 1_000_000_000 / Int64(eventsPerSecond)
        let start = Moment.now()
        for (number, event) in events.enumerated() {
            var line: [UInt8] = []
            Sample.appendChange(of: event % entityCount, version: event + 1, sequence: event + 1, to: &line)
            let place = Sample.places(in: line)[0]
            Moment.sleep(until: start + Int64(number) * interval)
            Sample.stamp(&line, at: place, with: Moment.now())
            try write(line)
        }
    }

    // MARK: Idle streams

    /// Measures the memory of a server with many idle streams, and checks that the server still answers a request.
    private static func idle(
        _ command: String, _ folder: ScratchFolder, streamCount: Int, isSmoke: Bool, into report: inout Report
    ) throws {
        var limit = rlimit()
        #if canImport(Darwin)
            let resource = RLIMIT_NOFILE
        #else
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        getrlimit(resource, &limit)
        limit.rlim_cur = min(limit.rlim_max, rlim_t(streamCount + 1_000))
        setrlimit(resource, &limit)
        guard limit.rlim_cur >= rlim_t(streamCount + 200) else {
            print("  only \(limit.rlim_cur) files may be open: \(streamCount) idle streams are not measured")
            return
        }
        let limits = ["--max-connections", "\(streamCount + 100)", "--max-streams", "\(streamCount + 100)"]
        let server = try ServedProcess(command, database: folder.path("idle.db"), limits)
        var streams: [HTTPConnection] = []
        for _ in 0..<streamCount {
            let stream = try HTTPConnection(port: server.port)
            _ = try open(stream, server)
            streams.append(stream)
        }
        if let bytes = server.byteCount {
            report.add(
                name: "\(streamCount) idle streams, the server's memory", value: Double(bytes) / 1e6, unit: "MB",
                goal: isSmoke ? nil : 200, hash: UInt64(streamCount))
        }
        let connection = try HTTPConnection(port: server.port)
        guard try server.call(#"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"#, on: connection).contains("entities")
        else { throw HTTPFailure("the server does not answer beside its streams") }
        streams = []
        server.finish()
    }

    // MARK: Throughput

    /// Measures the time from the first byte of a body of events to the response, which confirms that all of it is
    /// durable; the reference is `ingest` of the same lines. Each run starts new processes. The server listens before
    /// its time begins; `ingest` starts while its input is written.
    private static func throughput(
        _ command: String, _ folder: ScratchFolder, eventCount: Int, runs: Int, into report: inout Report
    ) throws {
        var lines: [UInt8] = []
        for event in 0..<eventCount {
            Sample.appendChange(
                of: event &* 7_919 % (eventCount / 5), version: event + 1, sequence: event + 1, to: &lines)
        }
        let body = lines
        var seconds: [Double] = []
        var referenceSeconds: [Double] = []
        let clock = ContinuousClock()
        for run in 0...runs {
            let ingest = try PipedProcess(command, ["ingest", "--db", folder.path("ingest-\(run).db")])
            var start = clock.now
            ingest.write(body)
            ingest.finish()
            let reference = (clock.now - start).inSeconds
            let server = try ServedProcess(command, database: folder.path("post-\(run).db"))
            let connection = try HTTPConnection(port: server.port)
            start = clock.now
            try connection.write(
                server.head(
                    "POST", "/events", ["Content-Type: application/x-ndjson", "Content-Length: \(body.count)"]))
            try connection.write(body)
            let answer = try connection.answer()
            let duration = (clock.now - start).inSeconds
            server.finish()
            guard answer.contains("\"applied\":\(eventCount),") else { throw HTTPFailure("not all events: \(answer)") }
            for name in ["ingest-\(run).db", "post-\(run).db"] { try folder.removeDatabase(name) }
            guard run > 0 else { continue }
            seconds.append(duration)
            referenceSeconds.append(reference)
        }
        report.add(
            Measurement(
                name: "POST /events", unit: "event", count: eventCount, seconds: seconds, referenceName: "ingest",
                referenceSeconds: referenceSeconds, goal: 1 / 0.8, hash: UInt64(eventCount) &* 31))
    }
}

/// Reads many streams on one thread until all of them end.
private final class StreamPoll: Sendable {
    private let done = DispatchSemaphore(value: 0)

    /// Starts to read the streams on a thread of its own.
    ///
    /// - Parameter body: Called with each line, and with the moment when its last byte was read.
    init(_ streams: [HTTPConnection], _ body: @escaping @Sendable (ArraySlice<UInt8>, Int64) -> Void) throws {
        let descriptors = try streams.map { stream in
            let copy = dup(stream.descriptor)
            guard copy >= 0 else { throw HTTPFailure("no descriptor is left") }
            return copy
        }
        Thread.detachNewThread { [done] in
            var places = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            var rests = [[UInt8]](repeating: [], count: places.count)
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            var openCount = places.count
            while openCount > 0 {
                guard poll(&places, nfds_t(places.count), -1) > 0 else { continue }
                for index in places.indices where places[index].revents != 0 {
                    let count = recv(places[index].fd, &piece, piece.count, 0)
                    let moment = Moment.now()
                    guard count > 0 else {
                        close(places[index].fd)
                        places[index].fd = -1
                        openCount -= 1
                        continue
                    }
                    rests[index] += piece[..<count]
                    while let end = rests[index].firstIndex(of: UInt8(ascii: "\n")) {
                        body(rests[index][..<end], moment)
                        rests[index].removeFirst(end + 1)
                    }
                }
            }
            done.signal()
        }
    }

    func finish() { done.wait() }
}
