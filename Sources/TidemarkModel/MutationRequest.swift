/// The request by which a pending edit reaches the server. The cache sends it by itself until the server has answered.
///
/// - Source: Protocol/optimistic.md, the outbox.
public struct MutationRequest: Hashable, Sendable {
    /// The behaviour of later requests of the same key after this one failed for good.
    public enum FailureRule: String, Sendable, CaseIterable {
        /// Later requests wait until the failed one is sent again or rolled back. The default.
        case stop
        /// Later requests are sent.
        case `continue`
    }

    /// The method that the server is asked for. 1 … 1,024 bytes.
    public var method: ByteString
    /// The input of the method, as compact JSON.
    package(set) public var input: [UInt8]
    /// The name of the queue in the edit's library: requests of one key are sent one after another, in the order of
    /// their edits. nil: the queue of the library.
    public var key: ByteString?
    /// The number of attempts after which the request has failed; nil: no limit.
    public var attemptCountMax: Int?
    /// The time since the first attempt after which the next failure is final, in whole milliseconds; nil: no limit.
    public var duration: Duration?
    /// The places in `input`, as JSON Pointers, whose values are temporary ids. A commit of an earlier edit that brings
    /// the real ids replaces them.
    public var temporaryIDs: [ByteString]
    /// Whether the request may be replaced, before it is sent, by the next one of the same key and method: the older
    /// edit then sends the newer input, and both settle together.
    public var isReplaceable: Bool
    public var onFailure: FailureRule
    /// Whether the edit is rolled back when the request has failed.
    public var discardsOnFailure: Bool

    /// - Parameter input: Valid JSON without white space; it is not checked, and is copied into requests unchanged.
    public init(method: ByteString, compactInput input: [UInt8]) {
        self.method = method
        self.input = input
        temporaryIDs = []
        isReplaceable = false
        onFailure = .stop
        discardsOnFailure = false
    }

    /// The number of bytes that count toward the bound on layers.
    package var byteCount: Int {
        let pointers = temporaryIDs.reduce(0) { $0 + $1.bytes.count + 16 }
        return 64 + method.bytes.count + input.count + (key?.bytes.count ?? 0) + pointers
    }
}

/// The reason why a mutation was not performed, or why nobody knows whether it was.
public struct MutationFailure: Hashable, Sendable {
    /// The code that the server or the host named; nil when it named none.
    public var code: ByteString?
    public var message: ByteString

    public init(code: ByteString? = nil, message: ByteString) {
        self.code = code
        self.message = message
    }

    /// The bytes of a message, or of a code, that are kept: 1,024.
    package static let byteCountMax = 1_024

    /// The failure with at most ``byteCountMax`` bytes of its texts.
    package var bounded: MutationFailure {
        MutationFailure(code: code.map { Self.bounded($0) }, message: Self.bounded(message))
    }

    private static func bounded(_ text: ByteString) -> ByteString {
        text.bytes.count <= byteCountMax ? text : ByteString(text.excerpt(byteCount: byteCountMax))
    }
}
