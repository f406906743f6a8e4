import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads the parameters of the methods for the outbox.
///
/// - Source: Protocol/optimistic.md, the outbox.
extension RequestReader {
    /// Reads `send`, the request that the cache sends for an edit; nil if absent, when the host sends it itself.
    package func mutationRequest(_ params: Params) throws(CacheError) -> MutationRequest? {
        guard let value = params.value("send") else { return nil }
        let send = try Params(value, path: params.name("send"))
        if !isLenient {
            try send.refuseUnknown(["method", "input"] + RequestReader.sendingMembers, of: params.name("send"))
        }
        let input = send.value("input").map { Array($0.bytes) } ?? Array("null".utf8)
        var request = MutationRequest(method: try send.requiredText("method"), compactInput: input)
        try readSending(send, into: &request)
        return request
    }

    /// The members of `send` that control how a request is sent, not what.
    package static let sendingMembers = ["key", "retry", "ids", "coalesce", "on_failure", "discard"]

    /// Reads the members of `send` that control how a request is sent.
    package func readSending(_ send: Params, into request: inout MutationRequest) throws(CacheError) {
        if send.value("key") != nil { request.key = try send.requiredText("key") }
        (request.attemptCountMax, request.duration) = try retry(send)
        request.temporaryIDs = try temporaryIDs(send)
        if let text = try send.text("coalesce") {
            guard text == "replace" else { throw send.wrong("coalesce", "replace, or leave it out") }
            request.isReplaceable = true
        }
        if let rule = try failureRule(send) { request.onFailure = rule }
        request.discardsOnFailure = try send.flag("discard")
    }

    private func retry(_ send: Params) throws(CacheError) -> (attempts: Int?, duration: Duration?) {
        guard let value = send.value("retry") else { return (nil, nil) }
        let retry = try Params(value, path: send.name("retry"))
        if !isLenient { try retry.refuseUnknown(["attempts", "for"], of: send.name("retry")) }
        return (
            try retry.integer("attempts", in: 1...RequestReader.attemptCountMax).map { Int($0) },
            try retry.milliseconds("for").map { .milliseconds($0) }
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
        let pointers = try send.texts("ids", countMax: RequestReader.temporaryIDCountMax) ?? []
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

    /// The maximum value of `attempts`: 1,000,000,000.
    private static let attemptCountMax: Int64 = 1_000_000_000
    /// The maximum number of places of temporary ids in one input: 1,000.
    private static let temporaryIDCountMax = 1_000
}
