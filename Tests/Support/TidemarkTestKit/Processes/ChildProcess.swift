import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One run of one command. It blocks the calling thread, and feeds and drains the three pipes on threads of their own:
/// a child that waits for one pipe while its parent waits for another would never end.
final class ChildProcess {
    private let executable: String
    private let arguments: [String]
    private let environment: [String: String]
    private let interruption: CommandInterruption?

    init(
        _ executable: String, _ arguments: [String], _ environment: [String: String],
        _ interruption: CommandInterruption?
    ) {
        self.executable = executable
        self.arguments = arguments
        self.environment = ProcessInfo.processInfo.environment
            .merging(["NO_COLOR": "1"]) { $1 }.merging(environment) { $1 }
        self.interruption = interruption
    }

    func run(input bytes: [UInt8], deadline: Duration) throws(CommandRunnerError) -> CommandResult {
        let process = try SpawnedProcess(executable, arguments, environment)
        let outputText = Drain(process, process.output, interruption)
        let errorText = Drain(process, process.errors, nil)
        let feeding = feed(bytes, to: process)
        let seconds = Double(deadline.components.seconds)
        let isLate = !outputText.wait(seconds: seconds) || !errorText.wait(seconds: seconds)
        if isLate { process.send(signal: SIGKILL) }
        let status = process.waitUntilExit()
        feeding.wait()
        if interruption != nil { process.closeInput() }
        if isLate {
            throw .deadlinePassed(
                output: String(decoding: outputText.bytes, as: UTF8.self),
                errors: String(decoding: errorText.bytes, as: UTF8.self))
        }
        return CommandResult(status: status, output: outputText.bytes, errors: errorText.bytes)
    }

    /// Writes the input on a thread of its own. If an interruption is planned, the input stays open.
    private func feed(_ bytes: [UInt8], to process: SpawnedProcess) -> DispatchGroup {
        let group = DispatchGroup()
        let interruption = interruption
        group.enter()
        Thread.detachNewThread {
            var start = 0
            let signalAt = interruption?.afterInputBytes.map { min($0, bytes.count) }
            if signalAt == 0, let interruption { process.send(signal: interruption.signal) }
            while start < bytes.count {
                let end = signalAt.map { start < $0 ? $0 : bytes.count } ?? bytes.count
                let count = bytes.withUnsafeBytes { all in
                    write(process.input, all.baseAddress.map { $0 + start }, end - start)
                }
                // A child that ended early reads no more; the test checks how it ended.
                if count <= 0 { break }
                start += count
                if start == signalAt, let interruption { process.send(signal: interruption.signal) }
            }
            if interruption == nil { process.closeInput() }
            group.leave()
        }
        return group
    }
}

/// Reads a descriptor to its end on a thread of its own.
private final class Drain: Sendable {
    private let content = Mutex<[UInt8]>([])
    private let isDone = DispatchSemaphore(value: 0)

    /// Starts to read the descriptor on a thread of its own.
    ///
    /// - Parameter process: The owner of the descriptor, which stays open until the thread ends.
    init(_ process: SpawnedProcess, _ descriptor: Int32, _ interruption: CommandInterruption?) {
        Thread.detachNewThread { [self] in
            var lineCount = 0
            var isSent = false
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count <= 0 { break }
                let piece = buffer[..<count]
                content.withLock { $0.append(contentsOf: piece) }
                guard let interruption, let wanted = interruption.afterOutputLines, !isSent else { continue }
                lineCount += piece.count { $0 == UInt8(ascii: "\n") }
                if lineCount >= wanted {
                    isSent = true
                    process.send(signal: interruption.signal)
                }
            }
            withExtendedLifetime(process) {}
            isDone.signal()
        }
    }

    var bytes: [UInt8] { content.withLock { $0 } }

    /// Waits for the end of the descriptor.
    ///
    /// - Returns: False if it did not end in time.
    func wait(seconds: Double) -> Bool { isDone.wait(timeout: .now() + seconds) == .success }
}
