import TidemarkModel

/// A source that the cache can ask for missing events.
public protocol Upstream: Sendable {
    /// Returns the events of one library from a sequence on.
    ///
    /// An answer may hold only a part; the cache asks again from its end. Events of other libraries in the answer are
    /// ignored.
    ///
    /// - Parameter sequence: The first sequence that is wanted.
    /// - Throws: ``UpstreamError``.
    func events(since sequence: EventSequence, of library: ByteString) async throws(UpstreamError) -> UpstreamAnswer
}

/// A part of a library's log.
public struct UpstreamAnswer: Sendable {
    /// Event lines in the form of the input, each ended by an LF. The cache holds them in memory.
    public var lines: [UInt8]
    /// The sequence up to which the answer is complete: a sequence up to it that did not come does not exist. nil when
    /// unknown.
    public var coveredThrough: EventSequence?
    /// The writer of the lines' envelopes.
    package var origin = LineOrigin.producer

    public init(lines: [UInt8], coveredThrough: EventSequence? = nil) {
        self.lines = lines
        self.coveredThrough = coveredThrough
    }
}

/// The error of an upstream that gave no answer.
public struct UpstreamError: Error, Sendable, CustomStringConvertible {
    /// Whether asking again is useless.
    public var isFinal: Bool
    public var message: String
    /// Whether the upstream answered with an error: what was asked of it did not happen. Otherwise nobody knows.
    public var isRefusal: Bool
    /// Whether the upstream wants a mutation sent again, or wants it not sent again; nil when it did not say.
    public var retries: Bool?

    /// The code that the upstream named; nil when it named none.
    package var code: String?
    /// Further members of the error's data for the reader that waits; empty for most errors.
    package var details: [CacheError.Detail] = []

    public init(_ message: String, isFinal: Bool = false, isRefusal: Bool = false, retries: Bool? = nil) {
        self.message = message
        self.isFinal = isFinal
        self.isRefusal = isRefusal
        self.retries = retries
    }

    package init(
        _ message: String, isFinal: Bool = false, isRefusal: Bool = false, retries: Bool? = nil, code: String?
    ) {
        self.init(message, isFinal: isFinal, isRefusal: isRefusal, retries: retries)
        self.code = code
    }

    public var description: String { message }
}
