/// The request by which a pending edit reaches the server. The cache sends it until the server has answered.
///
/// ```swift
/// var request = MutationRequest(method: "photos.create", compactInput: Array(#"{"id":"draft-1"}"#.utf8))
/// request.key = "photos"
/// request.temporaryIDs = ["/id"]
/// request.duration = .seconds(3_600)
/// request.onFailure = .continue
/// ```
///
/// `MutationRequest.init(method:input:)` of the module `Tidemark` takes any `JSONValue`.
///
/// - Source: Protocol/optimistic.md, the outbox.
public struct MutationRequest: Hashable, Sendable {
    /// What happens to later requests of the same key when a request has failed for good.
    public enum FailureRule: String, Sendable, CaseIterable {
        /// They wait until the failed request is sent again or its edit is rolled back. The default.
        case stop
        /// They are sent.
        case `continue`
    }

    /// The method to call on the server, 1 … 1,024 bytes.
    public var method: ByteString
    /// The input of the method, as compact JSON.
    package(set) public var input: [UInt8]
    /// The queue of the request in the edit's library. Requests of one key are sent one after another, in the order of
    /// their edits. nil for the library's own queue.
    public var key: ByteString?
    /// After how many attempts the request has failed for good; nil for no limit.
    public var attemptCountMax: Int?
    /// How long after the first attempt a failure is final, rounded down to whole milliseconds; nil for no limit.
    public var duration: Duration?
    /// The places in ``input``, as JSON Pointers, whose values are temporary ids. When the real ids become known before
    /// the request is sent, they replace these values.
    public var temporaryIDs: [ByteString]
    /// Whether the next request of the same key and method may replace this one before it is sent. The older edit is
    /// then sent with the newer input, and both settle together. Default: false.
    public var isReplaceable: Bool
    /// What happens to later requests of the same key when this one has failed for good. Default: ``FailureRule/stop``.
    public var onFailure: FailureRule
    /// Whether to roll the edit back when the request has failed for good. Default: false.
    public var discardsOnFailure: Bool

    /// Makes a request in the library's own queue, without limits on its attempts.
    ///
    /// - Parameters:
    ///   - method: The method to call on the server.
    ///   - input: Valid JSON without white space. It is not checked, and is copied into requests unchanged.
    public init(method: ByteString, compactInput input: [UInt8]) {
        self.method = method
        self.input = input
        temporaryIDs = []
        isReplaceable = false
        onFailure = .stop
        discardsOnFailure = false
    }

    /// How many bytes count toward the bound on layers.
    package var byteCount: Int {
        let pointers = temporaryIDs.reduce(0) { $0 + $1.bytes.count + 16 }
        return 64 + method.bytes.count + input.count + (key?.bytes.count ?? 0) + pointers
    }
}

/// Why a mutation was not performed, or why it is unknown whether it was.
public struct MutationFailure: Hashable, Sendable {
    /// The code that the server or the host sent; nil when it sent none.
    public var code: ByteString?
    /// What failed, in words.
    public var message: ByteString

    /// Makes a failure.
    public init(code: ByteString? = nil, message: ByteString) {
        self.code = code
        self.message = message
    }

    /// How many bytes of a message, and of a code, are kept: 1,024.
    package static let byteCountMax = 1_024

    /// The failure with its texts cut to ``byteCountMax`` bytes.
    package var bounded: MutationFailure {
        MutationFailure(code: code.map { Self.bounded($0) }, message: Self.bounded(message))
    }

    private static func bounded(_ text: ByteString) -> ByteString {
        text.bytes.count <= byteCountMax ? text : ByteString(text.excerpt(byteCount: byteCountMax))
    }
}
