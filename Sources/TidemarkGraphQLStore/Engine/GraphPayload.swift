import Tidemark

/// One payload of a subscription.
///
/// - Source: Protocol/graphql.md, subscriptions.
struct GraphPayload {
    /// The answer in it as JSON, which may be none of GraphQL; nil for a payload without one.
    let answer: [UInt8]?
    /// Whether no more follow.
    let isLast: Bool
    /// The error that ended the subscription; nil when it is just over.
    let error: GraphStreamError?

    /// - Parameter payload: An object with a member; one without any is a heartbeat.
    init(_ payload: JSONValue, _ form: GraphStreamForm) {
        switch form {
        case .answers:
            let isAnswer = payload["data"] != nil || payload["errors"] != nil || payload["hasNext"] == nil
            answer = isAnswer ? payload.bytes : nil
            isLast = payload["hasNext"]?.bool != true
            error = nil
        case .payloads:
            let errors = payload["errors"] ?? .null
            if payload["payload"] == nil, payload["errors"] == nil {
                // Whatever it is, it is no part of a subscription.
                answer = payload.bytes
            } else {
                let body = payload["payload"] ?? .null
                answer = body.isNull || body.members?.isEmpty == true ? nil : body.bytes
            }
            // An empty list of errors is none.
            let isEnded = !errors.isNull && errors.elements?.isEmpty != true
            isLast = isEnded
            error = isEnded ? GraphStreamError(serverErrors: errors) : nil
        }
    }
}
