/// How a command ended, and its output.
public struct CommandResult: Hashable, Sendable {
    /// The exit status; if a signal ended the command, 128 plus the signal's number, as in a shell.
    public var status: Int32
    /// Standard output.
    public var output: [UInt8]
    /// Standard error.
    public var errors: [UInt8]

    /// Standard output as text.
    public var outputText: String { String(decoding: output, as: UTF8.self) }

    /// Standard error as text.
    public var errorText: String { String(decoding: errors, as: UTF8.self) }

    /// The lines of standard output, without line ends and without empty lines.
    public var outputLines: [String] {
        outputText.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    }
}

/// A signal to send once a command has printed or read enough: tests wait for a position, not for a time.
public struct CommandInterruption: Hashable, Sendable {
    /// The signal, such as `SIGTERM` or `SIGKILL`.
    public var signal: Int32
    /// How many lines of standard output to wait for; nil to wait for none.
    public var afterOutputLines: Int?
    /// How many bytes of input the pipe must have taken; nil to wait for none. A number past the end of the input means
    /// all of it.
    public var afterInputBytes: Int?

    /// Creates a signal to send after a number of lines on standard output.
    public init(signal: Int32, afterOutputLines: Int) {
        self.signal = signal
        self.afterOutputLines = afterOutputLines
    }

    /// Creates a signal to send after a number of bytes of input.
    public init(signal: Int32, afterInputBytes: Int) {
        self.signal = signal
        self.afterInputBytes = afterInputBytes
    }
}

/// Why a command could not be run, or did not end.
public enum CommandRunnerError: Error, Hashable, Sendable {
    /// There is no executable where the tests were built.
    case notBuilt(searched: [String])
    /// The system refused to start the command.
    case notStarted(String)
    /// The command was killed at the deadline.
    case deadlinePassed(output: String, errors: String)
}
