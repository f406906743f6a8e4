import Foundation
import Synchronization

/// Runs `tidemark simulate` as a child process, so that a trap ends only the child.
struct SimulationProcess: Sendable {
    /// The output of a child that ended.
    struct Result: Sendable {
        let output: Data
        let errors: Data
    }

    /// A child that could not be started, or that did not end in time.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs this executable, at the path under which it was started, until it ends.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the command's own name.
    ///   - deadline: The seconds after which the child is killed: a guard against hanging.
    /// - Throws: ``Failure``.
    static func run(_ arguments: [String], deadline: Int) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            // Reading from a child blocks; tasks share as many threads as there are processors.
            Thread.detachNewThread {
                continuation.resume(with: Swift.Result { try runBlocking(arguments, deadline: deadline) })
            }
        }
    }

    private static func runBlocking(_ arguments: [String], deadline: Int) throws -> Result {
        let process = Process()
        let executable = Bundle.main.executablePath ?? CommandLine.arguments.first ?? "tidemark"
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        // A trap is an expected result, and its backtrace would take seconds.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            throw Failure(description: "\(executable) cannot be started: \(error)")
        }
        let isLate = Mutex(false)
        let guardian = DispatchWorkItem {
            isLate.withLock { $0 = true }
            // A child that hangs may not handle a request to end.
            kill(process.processIdentifier, SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(deadline), execute: guardian)
        // A child that waits for one pipe while its parent waits for another never ends: each has a thread.
        let errorText = Drain(errors.fileHandleForReading)
        let outputText = output.fileHandleForReading.readDataToEndOfFile()
        let result = Result(output: outputText, errors: errorText.wait())
        process.waitUntilExit()
        guardian.cancel()
        if isLate.withLock({ $0 }) {
            throw Failure(description: "tidemark \(arguments.joined(separator: " ")) did not end in \(deadline) s")
        }
        return result
    }
}

/// Reads a pipe to its end on its own thread.
private final class Drain: Sendable {
    private let content = Mutex(Data())
    private let isDone = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle) {
        Thread.detachNewThread { [self] in
            let data = handle.readDataToEndOfFile()
            content.withLock { $0 = data }
            isDone.signal()
        }
    }

    func wait() -> Data {
        isDone.wait()
        return content.withLock { $0 }
    }
}
