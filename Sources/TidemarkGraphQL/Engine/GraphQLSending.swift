import TidemarkModel

/// How the outbox sends a GraphQL mutation.
///
/// ```swift
/// var sending = GraphQLSending()
/// sending.key = "song 1"
/// sending.temporaryIDs = ["/id"]
/// sending.duration = .seconds(86_400)
/// sending.discardsOnFailure = true
/// ```
///
/// - Source: Protocol/optimistic.md, the outbox.
public struct GraphQLSending: Hashable, Sendable {
    /// The name of the mutation's queue within the library; nil for the queue of the library.
    public var key: String?
    /// The largest number of attempts; nil for no limit.
    public var attemptCountMax: Int?
    /// How long after the first attempt a failure is final; nil for no limit.
    public var duration: Duration?
    /// JSON Pointers into the variables, to values that are temporary ids.
    public var temporaryIDs: [String] = []
    /// Whether the queue stops or continues after a failure: it stops.
    public var onFailure = MutationRequest.FailureRule.stop
    /// If true, a refusal rolls the edit back. If false, the edit stays and may be sent again.
    public var discardsOnFailure = false

    /// Creates the default settings.
    public init() {}

    /// The settings as a request of the outbox, whose method and input are filled in later.
    package var request: MutationRequest {
        var request = MutationRequest(method: GraphQLMutation.method, compactInput: Array("null".utf8))
        request.key = key.map { ByteString($0) }
        request.attemptCountMax = attemptCountMax
        request.duration = duration
        request.temporaryIDs = temporaryIDs.map { ByteString($0) }
        request.onFailure = onFailure
        request.discardsOnFailure = discardsOnFailure
        return request
    }
}
