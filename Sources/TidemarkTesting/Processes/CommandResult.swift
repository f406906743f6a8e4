/// How a command ended and what it printed.
public struct CommandResult: Hashable, Sendable {
    /// The exit status; for a command that a signal ended, 128 and the signal's number, as a shell shows it.
    public var status: Int32
    /// Standard output.
    public var output: [UInt8]
    /// Standard error.
    public var errors: [UInt8]

    /// Standard output as text.
    public var outputText: String { String(decoding: output, as: UTF8.self) }

    /// Standard error as text.
    public var errorText: String { String(decoding: errors, as: UTF8.self) }

    /// Standard output in lines, without their ends and without the empty rest after the last.
    public var outputLines: [String] {
        outputText.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    }
}

/// A signal to a command once it has printed enough: tests wait for a position, not for a time.
public struct CommandInterruption: Hashable, Sendable {
    /// Such as `SIGTERM` or `SIGKILL`.
    public var signal: Int32
    /// Lines on standard output to wait for; nil when they do not matter.
    public var afterOutputLines: Int?
    /// Bytes of input that the pipe must have taken; nil when they do not matter. All of the input always suffices.
    public var afterInputBytes: Int?

    public init(signal: Int32, afterOutputLines: Int) {
        self.signal = signal
        self.afterOutputLines = afterOutputLines
    }

    public init(signal: Int32, afterInputBytes: Int) {
        self.signal = signal
        self.afterInputBytes = afterInputBytes
    }
}

/// Why a command could not be run, or did not end.
public enum CommandRunnerError: Error, Hashable, Sendable {
    /// No executable stands where the tests were built.
    case notBuilt(searched: [String])
    /// The system refused to start it.
    case notStarted(String)
    /// It was killed at the deadline.
    case deadlinePassed(output: String, errors: String)
}
