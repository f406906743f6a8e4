import Foundation

/// Runs the built `tidemark` as a child process, as a user would: real pipes, real files, real signals.
///
/// ```swift
/// let result = try await CommandRunner().run(["generate", "--ids", "3"])
/// print(result.status, result.outputLines.count)
/// ```
public struct CommandRunner: Sendable {
    /// The executable to run.
    public let executable: String

    /// Finds the executable that was built together with the running tests.
    ///
    /// The environment variable `TIDEMARK_COMMAND` names another one.
    ///
    /// - Throws: ``CommandRunnerError/notBuilt(searched:)``.
    public init(named name: String = "tidemark") throws(CommandRunnerError) {
        var candidates: [String] = []
        if let given = ProcessInfo.processInfo.environment["TIDEMARK_COMMAND"] { candidates.append(given) }
        // The test bundle is an executable on Linux and a folder on macOS; the products are next to it.
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let started = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
        for place in [started] + bundles {
            candidates.append(place.deletingLastPathComponent().appendingPathComponent(name).path)
        }
        guard let executable = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw .notBuilt(searched: candidates)
        }
        self.executable = executable
    }

    /// Uses an executable at a path.
    ///
    /// - Parameter executable: The path of an executable.
    public init(executable: String) {
        self.executable = executable
    }

    /// Runs the command until it ends.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the command's own name.
    ///   - input: The bytes for standard input, after which the input ends.
    ///   - environment: Variables in addition to this process's own. Colours are off unless turned on here.
    ///   - interruption: A signal to send during the run. The input then stays open until the command ends.
    ///   - deadline: The time after which the command is killed and the run throws: a guard against hanging.
    /// - Returns: The exit status and all output, held in memory.
    /// - Throws: ``CommandRunnerError``.
    public func run(
        _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
        interruption: CommandInterruption? = nil, deadline: Duration = .seconds(300)
    ) async throws -> CommandResult {
        try await withCheckedThrowingContinuation { continuation in
            // On a thread of its own: waiting for a child would block a thread that other tests share.
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try ChildProcess(executable, arguments, environment, interruption)
                            .run(input: input, deadline: deadline)
                    })
            }
        }
    }
}
