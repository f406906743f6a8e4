import Foundation
import Synchronization
import TidemarkTestKit
import TidemarkTesting

/// The latency from an event that is written to a session's input to the notification that is read from its output.
enum SessionsSuite {
    /// What the thread that reads lines has seen.
    private struct Seen: Sendable {
        var latencies: [Int64] = []
        var answerCount = 0
        var missedCount = 0
    }

    /// Collects the lines of a session, or those that `cat` returns.
    private final class Reader: Sendable {
        private let seen = Mutex(Seen())
        private static let changed = Array("{\"jsonrpc\":\"2.0\",\"method\":\"query.changed\"".utf8)
        private static let answer = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
        private static let missed = Array("\"missed\":".utf8)

        /// Takes a line: a response or notification of a session, or an event that `cat` returned.
        func take(_ line: ArraySlice<UInt8>, at moment: Int64) {
            let isChange = line.starts(with: Reader.changed)
            if !isChange, line.starts(with: Reader.answer) { return seen.withLock { $0.answerCount += 1 } }
            guard isChange || line.starts(with: Array("{\"sequence\":".utf8)) else { return }
            guard let place = Sample.places(in: line).last else { return }
            let latency = moment - Sample.time(in: line, at: place)
            let missed = isChange ? Reader.missedCount(of: line) : 0
            seen.withLock { seen in
                seen.latencies.append(latency)
                seen.missedCount += missed
            }
        }

        /// Returns the number in `missed`, which is the last member of a notification.
        private static func missedCount(of line: ArraySlice<UInt8>) -> Int {
            let digits = line.suffix(24).drop { !(48...57).contains($0) }.prefix { (48...57).contains($0) }
            return digits.reduce(0) { $0 * 10 + Int($1 & 15) }
        }

        /// Waits until the given numbers of answers and notifications were read.
        func wait(answers: Int = 0, told: Int = 0) throws {
            for _ in 0..<60_000 {
                let isThere = seen.withLock { $0.answerCount >= answers && $0.latencies.count + $0.missedCount >= told }
                if isThere { return }
                usleep(1_000)
            }
            throw SuiteError("of \(answers) answers and \(told) notifications came \(result)")
        }

        var result: (told: Int, missed: Int, latencies: Latencies) {
            seen.withLock { ($0.latencies.count, $0.missedCount, Latencies($0.latencies)) }
        }
    }

    /// A session that did not behave as the suite expects.
    struct SuiteError: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private static let elementCount = 100
    private static let eventsPerSecond = 10_000
    /// The number of phases. Pipe and session take turns, so that a slow moment of the machine affects both.
    private static let phaseCount = 5

    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let command = try CommandRunner().executable
        let folder = FileManager.default.temporaryDirectory.appending(path: "tidemark-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
        }
        try latency(
            command, folder, listCount: isSmoke ? 100 : 1_000, eventCount: isSmoke ? 2_000 : 50_000, into: &report)
        let entityCount = isSmoke ? 1_000 : 10_000
        for (name, listedCount) in [("a tenth", entityCount / 10), ("all", entityCount)] {
            report.add(
                try throughput(
                    command, folder, name: "host that never reads, \(name)", entityCount: entityCount,
                    listedCount: listedCount,
                    eventCount: isSmoke ? 1_000 : 200_000, runs: runs, goal: listedCount < entityCount ? 1 / 0.9 : nil))
        }
    }

    // MARK: Latency

    private static func latency(
        _ command: String, _ folder: URL, listCount: Int, eventCount: Int, into report: inout Report
    ) throws {
        let pipe = try PipedProcess("/bin/cat")
        let pipeReader = Reader()
        pipe.read { pipeReader.take($0, at: $1) }
        let session = try PipedProcess(command, ["run", "--db", folder.appending(path: "latency.db").path])
        let reader = Reader()
        session.read { reader.take($0, at: $1) }
        for list in 0..<listCount {
            session.write(put(list, indexes: list * elementCount..<(list + 1) * elementCount))
            session.write(observe(list))
        }
        // The flush ends the writing of the lists, so that only events are timed.
        session.write(Array("{\"jsonrpc\":\"2.0\",\"id\":\"flush\",\"method\":\"cache.flush\"}\n".utf8))
        try reader.wait(answers: 2 * listCount + 1)
        var random = SeededGenerator(seed: 20_260_105)
        let lines = (0..<eventCount).map { event in
            var line: [UInt8] = []
            Sample.appendChange(
                of: random.below(listCount * elementCount), version: event + 1, sequence: event + 1, to: &line)
            return line
        }
        let phase = eventCount / phaseCount
        for start in stride(from: 0, to: eventCount, by: phase) {
            let end = min(start + phase, eventCount)
            send(lines[start..<end], to: pipe)
            try pipeReader.wait(told: end)
            send(lines[start..<end], to: session)
            try reader.wait(told: end)
        }
        pipe.finish()
        session.finish()
        let (bare, result) = (pipeReader.result, reader.result)
        guard result.told + result.missed == eventCount, bare.told == eventCount else {
            throw SuiteError(
                "\(eventCount) events brought \(result.told) notifications and \(result.missed) merged ones")
        }
        let hash = UInt64(eventCount) &* 31 &+ UInt64(listCount)
        bare.latencies.report("through cat", hash: hash, into: &report)
        result.latencies.report("session, \(listCount) lists", goal: 1_000, hash: hash, into: &report)
        report.add(name: "session, merged", value: Double(result.missed), unit: "lines", goal: nil, hash: hash)
    }

    /// Sends one line at a time, each with the moment at which it is written.
    private static func send(_ lines: ArraySlice<[UInt8]>, to process: PipedProcess) {
        let interval = 1_000_000_000 / Int64(eventsPerSecond)
        let start = Moment.now()
        for (number, line) in lines.enumerated() {
            var line = line
            let place = Sample.places(in: line)[0]
            Moment.sleep(until: start + Int64(number) * interval)
            Sample.stamp(&line, at: place, with: Moment.now())
            process.write(line)
        }
    }

    /// Returns a request that stores a list.
    private static func put(_ list: Int, indexes: Range<Int>) -> [UInt8] {
        var line = Array(
            ("{\"jsonrpc\":\"2.0\",\"id\":\"p\(list)\",\"method\":\"query.put\",\"params\":{\"method\":\"sample.list\","
                + "\"input\":{\"n\":\(list)},\"resource_type\":\"file\",\"resources\":[").utf8)
        for index in indexes {
            if index > indexes.lowerBound { line.append(UInt8(ascii: ",")) }
            Sample.append(index, version: 0, to: &line)
        }
        return line + "]}}\n".utf8
    }

    /// Returns a request that observes a list.
    private static func observe(_ list: Int) -> [UInt8] {
        Array(
            ("{\"jsonrpc\":\"2.0\",\"id\":\"o\(list)\",\"method\":\"query.observe\",\"params\":{\"method\":"
                + "\"sample.list\",\"input\":{\"n\":\(list)}}}\n").utf8)
    }

    // MARK: Throughput

    /// Measures how long a session takes to read events while its host reads nothing, with an observed list and
    /// without.
    private static func throughput(
        _ command: String, _ folder: URL, name: String, entityCount: Int, listedCount: Int, eventCount: Int, runs: Int,
        goal: Double?
    ) throws -> Measurement {
        var lines: [UInt8] = []
        for event in 0..<eventCount {
            Sample.appendChange(
                of: event &* 7_919 % entityCount, version: event + 1, sequence: event + 1, to: &lines)
        }
        var seconds: [Double] = []
        var referenceSeconds: [Double] = []
        for run in 0...runs {
            for isObserved in [false, true] {
                let database = folder.appending(path: "throughput-\(listedCount)-\(run)-\(isObserved).db").path
                let session = try PipedProcess(command, ["run", "--db", database])
                session.write(put(0, indexes: 0..<listedCount))
                session.write(put(1, indexes: listedCount..<max(entityCount, listedCount + 1)))
                if isObserved { session.write(observe(0)) }
                let clock = ContinuousClock()
                let start = clock.now
                // The call returns when everything is applied except the bytes that the pipe and the reader hold.
                session.write(lines)
                let duration = (clock.now - start).inSeconds
                session.finish()
                guard run > 0 else { continue }
                if isObserved { seconds.append(duration) } else { referenceSeconds.append(duration) }
            }
        }
        return Measurement(
            name: name, unit: "event", count: eventCount, seconds: seconds, referenceName: "no observer",
            referenceSeconds: referenceSeconds, goal: goal, hash: UInt64(eventCount) &* 31 &+ UInt64(listedCount))
    }
}
