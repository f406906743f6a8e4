import TidemarkModel

/// A source of a library's missing events, which the cache asks when it finds a gap.
///
/// ```swift
/// struct EventServer: Upstream {
///     func events(
///         since sequence: EventSequence, of library: ByteString
///     ) async throws(UpstreamError) -> UpstreamResponse {
///         guard library == "home" else { throw UpstreamError("unknown library \(library)", isFinal: true) }
///         let line = #"{"library_id":"home","sequence":7,"event":{"Heartbeat":{"last_sequence":7}}}"# + "\n"
///         return UpstreamResponse(lines: Array(line.utf8), coveredThrough: EventSequence(7))
///     }
/// }
/// ```
///
/// ``FileUpstream`` reads a log from a file.
///
/// - Source: Protocol/sequencing.md, upstreams.
public protocol Upstream: Sendable {
    /// Returns the events of one library from a sequence on.
    ///
    /// A response may be only a part; the cache then asks again from its end. Events of other libraries in the response
    /// are ignored. The cache has at most one request for each library under way, and repeats a failed one with pauses.
    ///
    /// - Parameters:
    ///   - sequence: The first sequence that is wanted.
    ///   - library: The library.
    /// - Throws: ``UpstreamError`` when there is no response; ``UpstreamError/isFinal`` ends the attempts.
    func events(since sequence: EventSequence, of library: ByteString) async throws(UpstreamError) -> UpstreamResponse
}

/// An upstream's response: a part of a library's log.
public struct UpstreamResponse: Sendable {
    /// Event lines in the form of the input, each ended by an LF. The cache keeps them in memory while it applies them.
    public var lines: [UInt8]
    /// The sequence up to which the response is complete: a number up to it that is not in the response does not exist.
    /// nil when unknown.
    public var coveredThrough: EventSequence?
    /// Who wrote the envelopes of the lines.
    package var origin = LineOrigin.producer

    /// Makes a response of event lines.
    public init(lines: [UInt8], coveredThrough: EventSequence? = nil) {
        self.lines = lines
        self.coveredThrough = coveredThrough
    }
}

/// An upstream gave no usable response: a server refused a request, or could not be reached.
public struct UpstreamError: Error, Sendable, CustomStringConvertible {
    /// True if asking again is useless. Missing numbers are then declared lost without further attempts.
    public var isFinal: Bool
    /// What failed, in words; it is logged and reported to waiting readers.
    public var message: String
    /// True if the upstream rejected the request, so that it had no effect. False means that the outcome is unknown.
    public var isRefusal: Bool
    /// Whether to send a mutation again; nil leaves the decision to the cache.
    public var retries: Bool?

    /// The error code that the upstream sent; nil when it sent none.
    package var code: String?
    /// Further members of the error's data, for the reader that waits; empty for most errors.
    package var details: [CacheError.Detail] = []

    /// Makes an error of an upstream.
    public init(_ message: String, isFinal: Bool = false, isRefusal: Bool = false, retries: Bool? = nil) {
        self.message = message
        self.isFinal = isFinal
        self.isRefusal = isRefusal
        self.retries = retries
    }

    /// Makes an error of an upstream that sent a code.
    package init(
        _ message: String, isFinal: Bool = false, isRefusal: Bool = false, retries: Bool? = nil, code: String?
    ) {
        self.init(message, isFinal: isFinal, isRefusal: isRefusal, retries: retries)
        self.code = code
    }

    /// The message.
    public var description: String { message }
}
