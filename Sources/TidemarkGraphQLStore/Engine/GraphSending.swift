import TidemarkModel

/// The way in which the outbox sends a mutation of a document.
///
/// - Source: Protocol/optimistic.md, the outbox.
public struct GraphSending: Hashable, Sendable {
    /// The name of the mutation's queue in the library; nil: the queue of the library.
    public var key: String?
    /// The most attempts; nil: for ever.
    public var attemptCountMax: Int?
    /// The time since the first attempt after which a failure is final; nil: for ever.
    public var duration: Duration?
    /// JSON Pointers into the variables, to values that are temporary ids.
    public var temporaryIDs: [String] = []
    public var onFailure = MutationRequest.FailureRule.stop
    /// Whether a refusal rolls the edit back; else it stays, and may be sent again.
    public var discardsOnFailure = false

    public init() {}

    package var request: MutationRequest {
        var request = MutationRequest(method: GraphMutation.method, compactInput: Array("null".utf8))
        request.key = key.map { ByteString($0) }
        request.attemptCountMax = attemptCountMax
        request.duration = duration
        request.temporaryIDs = temporaryIDs.map { ByteString($0) }
        request.onFailure = onFailure
        request.discardsOnFailure = discardsOnFailure
        return request
    }
}
