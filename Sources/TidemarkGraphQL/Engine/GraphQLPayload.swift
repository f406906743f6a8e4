import Tidemark

/// One payload of a subscription.
///
/// - Source: Protocol/graphql.md, subscriptions.
struct GraphQLPayload {
    /// The response in the payload as JSON, which may not be a GraphQL response; nil if there is none.
    let answer: [UInt8]?
    /// True if this is the last payload.
    let isLast: Bool
    /// The error that ended the subscription; nil if there was none.
    let error: DocumentStreamError?

    /// Reads a payload.
    ///
    /// - Parameter payload: An object with at least one member; an empty one is a heartbeat.
    init(_ payload: JSONValue, _ form: DocumentStreamForm) {
        switch form {
        case .answers:
            let isAnswer = payload["data"] != nil || payload["errors"] != nil || payload["hasNext"] == nil
            answer = isAnswer ? payload.bytes : nil
            isLast = payload["hasNext"]?.bool != true
            error = nil
        case .payloads:
            let errors = payload["errors"] ?? .null
            if payload["payload"] == nil, payload["errors"] == nil {
                // This is not a payload of a subscription; reading it as a response will fail.
                answer = payload.bytes
            } else {
                let body = payload["payload"] ?? .null
                answer = body.isNull || body.members?.isEmpty == true ? nil : body.bytes
            }
            // An empty list of errors counts as none.
            let isEnded = !errors.isNull && errors.elements?.isEmpty != true
            isLast = isEnded
            error = isEnded ? DocumentStreamError(serverErrors: errors) : nil
        }
    }
}
