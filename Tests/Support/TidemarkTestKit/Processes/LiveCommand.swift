import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A running command with which a test exchanges lines. It blocks the calling thread; do not use it in tasks.
///
/// The output is read immediately, on a thread of its own, so that the command never waits for the test.
package final class LiveCommand {
    /// The result of waiting for a line.
    package enum Output: Hashable, Sendable {
        /// A line, without its LF.
        case line([UInt8])
        /// The output has ended.
        case end
        /// No line arrived in time.
        case late
    }

    private let process: SpawnedProcess
    private let lines: LineDrain
    private let errors: LineDrain
    private var isInputOpen = true

    /// Starts the `tidemark` that was built with the tests.
    ///
    /// - Parameter readsOutput: False to read none of its output until ``beginReading()``.
    /// - Throws: ``CommandRunnerError``.
    package init(_ arguments: [String], readsOutput: Bool = true) throws(CommandRunnerError) {
        process = try SpawnedProcess(
            try CommandRunner().executable, arguments, ProcessInfo.processInfo.environment)
        lines = LineDrain(process, process.output)
        if readsOutput { lines.begin() }
        errors = LineDrain(process, process.errors)
        errors.begin()
    }

    deinit { closeInput() }

    /// Writes bytes to the command's input. It is not an error if the command reads no more.
    package func write(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                systemWrite(process.input, all.baseAddress.map { $0 + start }, all.count - start)
            }
            if count <= 0 { return }
            start += count
        }
    }

    /// Writes bytes until the command takes none for a while.
    ///
    /// - Returns: How many bytes the command took.
    package func write(_ bytes: [UInt8], patienceMilliseconds: Int32) -> Int {
        var start = 0
        var place = pollfd(fd: process.input, events: Int16(POLLOUT), revents: 0)
        while start < bytes.count, poll(&place, 1, patienceMilliseconds) == 1, place.revents & Int16(POLLOUT) != 0 {
            // A writable pipe takes at least this many bytes.
            let count = min(bytes.count - start, 512)
            let written = bytes.withUnsafeBytes { all in
                systemWrite(place.fd, all.baseAddress.map { $0 + start }, count)
            }
            if written <= 0 { break }
            start += written
        }
        return start
    }

    /// Starts reading the command's output; only after an init with `readsOutput: false`.
    package func beginReading() { lines.begin() }

    /// The command's peak memory in bytes; nil if the system does not report it, or the command has ended.
    package var peakByteCount: Int? {
        guard let status = FileManager.default.contents(atPath: "/proc/\(process.pid)/status") else {
            return nil
        }
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 << 10 }
    }

    /// Ends the command's input; further calls have no effect.
    package func closeInput() {
        guard isInputOpen else { return }
        isInputOpen = false
        process.closeInput()
    }

    /// Sends the command a signal, unless it has ended.
    package func send(signal number: Int32) { process.send(signal: number) }

    /// Waits for the next line of output, which must arrive.
    ///
    /// - Parameter seconds: A longer patience than that of all tests; a shorter one has no effect.
    package func next(seconds: Double = TestPatience.seconds) -> Output {
        lines.next(seconds: max(seconds, TestPatience.seconds))
    }

    /// Waits for the next line of output, which may not arrive.
    package func nextSoon(seconds: Double) -> Output { lines.next(seconds: seconds) }

    /// Ends the input and waits for the command to end.
    ///
    /// - Parameter seconds: A longer patience than that of all tests; a shorter one has no effect.
    /// - Returns: The exit status, the text on standard error, and the lines of output that were not taken yet.
    package func finish(seconds: Double = TestPatience.seconds) -> (status: Int32, errors: String, lines: [[UInt8]]) {
        closeInput()
        var rest: [[UInt8]] = []
        var isLate = false
        reading: while true {
            switch next(seconds: seconds) {
            case .line(let line): rest.append(line)
            case .end: break reading
            case .late:
                isLate = true
                send(signal: SIGKILL)
                break reading
            }
        }
        let status = process.waitUntilExit()
        var text = isLate ? "killed: it did not end in time\n" : ""
        while case .line(let line) = errors.next(seconds: max(seconds, TestPatience.seconds)) {
            text += String(decoding: line, as: UTF8.self) + "\n"
        }
        return (status, text, rest)
    }
}

/// Reads a descriptor to its end on a thread of its own, and hands out its lines.
private final class LineDrain: Sendable {
    /// The lines not yet taken. Bounded by the command's output.
    private let lines = Mutex<(whole: [[UInt8]], isEnded: Bool)>(([], false))
    private let count = DispatchSemaphore(value: 0)
    /// The owner of the descriptor, which stays open while it is read.
    private let process: SpawnedProcess
    private let descriptor: Int32

    init(_ process: SpawnedProcess, _ descriptor: Int32) {
        self.process = process
        self.descriptor = descriptor
    }

    func begin() {
        Thread.detachNewThread { [self] in
            var line: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let size = read(descriptor, &buffer, buffer.count)
                if size <= 0 { break }
                var start = 0
                while let end = LineDrain.lineEnd(in: buffer, start..<size) {
                    put(line + buffer[start..<end])
                    line = []
                    start = end + 1
                }
                line += buffer[start..<size]
            }
            if !line.isEmpty { put(line) }
            lines.withLock { $0.isEnded = true }
            count.signal()
        }
    }

    /// Returns the offset of the first LF. It uses the C library, because this module is not optimized in tests.
    private static func lineEnd(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress, let found = memchr(base + range.lowerBound, 0x0A, range.count) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }

    private func put(_ line: [UInt8]) {
        lines.withLock { $0.whole.append(line) }
        count.signal()
    }

    func next(seconds: Double) -> LiveCommand.Output {
        guard count.wait(timeout: .now() + seconds) == .success else { return .late }
        return lines.withLock { lines in
            if !lines.whole.isEmpty { return .line(lines.whole.removeFirst()) }
            // The end stays available for every later call.
            count.signal()
            return .end
        }
    }
}

/// Calls the system's `write`, which the method of that name shadows.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
