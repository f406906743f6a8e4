import TidemarkModel

/// Whoever can be asked for events that are missing.
public protocol Upstream: Sendable {
    /// The events of one library from a sequence on.
    ///
    /// An answer may hold a part only; the cache asks again from where it ended. Events of other libraries in it
    /// are passed over.
    ///
    /// - Parameter sequence: The first one wanted.
    /// - Throws: ``UpstreamError``.
    func events(since sequence: EventSequence, of library: ByteString) async throws(UpstreamError) -> UpstreamAnswer
}

/// A part of a library's log.
public struct UpstreamAnswer: Sendable {
    /// Event lines, each ended by an LF, as they would stand on the input. The asker holds them in memory.
    public var lines: [UInt8]
    /// Up to where the log is whole: a sequence up to it that did not come does not exist. nil when unknown.
    public var coveredThrough: EventSequence?

    public init(lines: [UInt8], coveredThrough: EventSequence? = nil) {
        self.lines = lines
        self.coveredThrough = coveredThrough
    }
}

/// Why an upstream gave no answer.
public struct UpstreamError: Error, Sendable, CustomStringConvertible {
    /// Asking again is of no use.
    public var isFinal: Bool
    public var message: String

    public init(_ message: String, isFinal: Bool = false) {
        self.message = message
        self.isFinal = isFinal
    }

    public var description: String { message }
}
