import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One run of one command. It blocks the calling thread, and feeds and drains the three pipes on threads of their own,
/// because a child that waits for one pipe while its parent waits for another never ends.
final class ChildProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private let interruption: CommandInterruption?

    init(
        _ executable: String, _ arguments: [String], _ environment: [String: String],
        _ interruption: CommandInterruption?
    ) {
        self.interruption = interruption
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["NO_COLOR": "1"]) { $1 }.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
    }

    func run(input bytes: [UInt8], deadline: Duration) throws(CommandRunnerError) -> CommandResult {
        // Writing to a child that ended early then fails instead of ending this process.
        signal(SIGPIPE, SIG_IGN)
        do {
            try process.run()
        } catch {
            throw .notStarted("\(error)")
        }
        let pid = process.processIdentifier
        let outputText = Drain(output.fileHandleForReading, interruption, pid)
        let errorText = Drain(errors.fileHandleForReading, nil, pid)
        let feeding = feed(bytes, to: pid)
        let seconds = Double(deadline.components.seconds)
        let isLate = !outputText.wait(seconds: seconds) || !errorText.wait(seconds: seconds)
        if isLate { kill(pid, SIGKILL) }
        process.waitUntilExit()
        feeding.wait()
        if isLate {
            throw .deadlinePassed(
                output: String(decoding: outputText.bytes, as: UTF8.self),
                errors: String(decoding: errorText.bytes, as: UTF8.self))
        }
        let base: Int32 = process.terminationReason == .uncaughtSignal ? 128 : 0
        return CommandResult(
            status: base + process.terminationStatus, output: outputText.bytes, errors: errorText.bytes)
    }

    /// Writes the input on a thread of its own; when an interruption is planned, the input stays open.
    private func feed(_ bytes: [UInt8], to pid: Int32) -> DispatchGroup {
        let group = DispatchGroup()
        let descriptor = input.fileHandleForWriting.fileDescriptor
        let endsInput = interruption == nil
        let interruption = interruption
        let handle = input.fileHandleForWriting
        group.enter()
        Thread.detachNewThread {
            var start = 0
            let signalAt = interruption?.afterInputBytes.map { min($0, bytes.count) }
            if signalAt == 0, let interruption { kill(pid, interruption.signal) }
            while start < bytes.count {
                let end = signalAt.map { start < $0 ? $0 : bytes.count } ?? bytes.count
                let count = bytes.withUnsafeBytes { all in
                    write(descriptor, all.baseAddress.map { $0 + start }, end - start)
                }
                // A child that ended early reads no more; the test checks how it ended.
                if count <= 0 { break }
                start += count
                if start == signalAt, let interruption { kill(pid, interruption.signal) }
            }
            if endsInput { handle.closeFile() }
            group.leave()
        }
        return group
    }
}

/// Reads a descriptor to its end on a thread of its own.
private final class Drain: Sendable {
    private let content = Mutex<[UInt8]>([])
    private let isDone = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle, _ interruption: CommandInterruption?, _ pid: Int32) {
        let descriptor = handle.fileDescriptor
        Thread.detachNewThread { [self] in
            var lineCount = 0
            var isSent = false
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count <= 0 { break }
                let piece = buffer[..<count]
                content.withLock { $0.append(contentsOf: piece) }
                lineCount += piece.count { $0 == UInt8(ascii: "\n") }
                if let interruption, let wanted = interruption.afterOutputLines, !isSent, lineCount >= wanted {
                    isSent = true
                    kill(pid, interruption.signal)
                }
            }
            // The handle is kept until here; otherwise the descriptor would be closed during the read.
            withExtendedLifetime(handle) {}
            isDone.signal()
        }
    }

    var bytes: [UInt8] { content.withLock { $0 } }

    /// Waits for the end of the descriptor.
    ///
    /// - Returns: False when the end did not come in time.
    func wait(seconds: Double) -> Bool { isDone.wait(timeout: .now() + seconds) == .success }
}
