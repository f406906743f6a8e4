/// The end of a command, and its output.
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

    /// The lines of standard output, without their ends and without empty lines.
    public var outputLines: [String] {
        outputText.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    }
}

/// A signal that is sent to a command once it has printed enough: tests wait for a position, not for a time.
public struct CommandInterruption: Hashable, Sendable {
    /// The signal, such as `SIGTERM` or `SIGKILL`.
    public var signal: Int32
    /// The number of lines on standard output to wait for; nil to wait for none.
    public var afterOutputLines: Int?
    /// The number of bytes of input that the pipe must have taken; nil to wait for none. All of the input always
    /// suffices.
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

/// The reason why a command could not be run, or did not end.
public enum CommandRunnerError: Error, Hashable, Sendable {
    /// There is no executable where the tests were built.
    case notBuilt(searched: [String])
    /// The system refused to start the command.
    case notStarted(String)
    /// The command was killed at the deadline.
    case deadlinePassed(output: String, errors: String)
}
