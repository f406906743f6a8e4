import Tidemark
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkStore

/// - Source: Protocol/optimistic.md, the outbox.
extension MethodReader {
    /// Reads the request that the cache sends for an edit; nil when the host sends it itself.
    func mutationRequest(_ params: Params) throws(CacheError) -> MutationRequest? {
        guard let value = params.value("send") else { return nil }
        let send = try Params(value, path: params.name("send"))
        if !isLenient {
            try send.refuseUnknown(
                ["method", "input", "key", "retry", "ids", "coalesce", "on_failure", "discard"],
                of: params.name("send"))
        }
        let input = send.value("input").map { Array($0.bytes) } ?? Array("null".utf8)
        var request = MutationRequest(method: try send.requiredText("method"), compactInput: input)
        if send.value("key") != nil { request.key = try send.requiredText("key") }
        (request.attemptCountMax, request.duration) = try retry(send)
        request.temporaryIDs = try temporaryIDs(send)
        if let text = try send.text("coalesce") {
            guard text == "replace" else { throw send.wrong("coalesce", "replace, or leave it out") }
            request.isReplaceable = true
        }
        if let rule = try failureRule(send) { request.onFailure = rule }
        request.discardsOnFailure = try send.flag("discard")
        return request
    }

    /// Reads how the cache sends a mutation of a document; nil when it asks once.
    func sending(_ params: Params) throws(CacheError) -> GraphSending? {
        guard let value = params.value("send") else { return nil }
        if let flag = value.bool { return flag ? GraphSending() : nil }
        guard value.kind == .object else { throw params.wrong("send", "true, or an object") }
        let send = try Params(value, path: params.name("send"))
        try send.refuseUnknown(["key", "retry", "on_failure", "discard"], of: params.name("send"))
        var sending = GraphSending()
        if send.value("key") != nil {
            sending.key = try send.requiredText("key")
        }
        (sending.attemptCountMax, sending.duration) = try retry(send)
        if let rule = try failureRule(send) { sending.onFailure = rule }
        if send.value("discard") != nil { sending.discardsOnFailure = try send.flag("discard") }
        return sending
    }

    private func retry(_ send: Params) throws(CacheError) -> (attempts: Int?, duration: Int64?) {
        guard let value = send.value("retry") else { return (nil, nil) }
        let retry = try Params(value, path: send.name("retry"))
        if !isLenient { try retry.refuseUnknown(["attempts", "for"], of: send.name("retry")) }
        return (
            try retry.integer("attempts", in: 1...MethodReader.attemptCountMax).map { Int($0) },
            try retry.milliseconds("for")
        )
    }

    private func failureRule(_ send: Params) throws(CacheError) -> MutationRequest.FailureRule? {
        guard let text = try send.text("on_failure") else { return nil }
        guard let rule = MutationRequest.FailureRule(rawValue: text.description) else {
            throw send.wrong("on_failure", "stop or continue")
        }
        return rule
    }

    private func temporaryIDs(_ send: Params) throws(CacheError) -> [ByteString] {
        let pointers = try send.texts("ids", countMax: MethodReader.temporaryIDCountMax) ?? []
        for (index, pointer) in pointers.enumerated() {
            guard JSONPointer(pointer.description) != nil else {
                throw CacheError(
                    .invalidParams,
                    "\(send.name("ids"))[\(index)] is '\(pointer.excerpt(byteCount: 60))': pass a JSON Pointer into input, "
                        + "such as /id")
            }
        }
        return pointers
    }

    /// The largest limit of attempts: 1,000,000,000.
    private static let attemptCountMax: Int64 = 1_000_000_000
    /// The places of temporary ids in one input: 1,000.
    private static let temporaryIDCountMax = 1_000
}
