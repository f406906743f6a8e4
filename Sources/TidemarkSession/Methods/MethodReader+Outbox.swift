import Tidemark
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
        if let value = send.value("retry") {
            let retry = try Params(value, path: send.name("retry"))
            if !isLenient { try retry.refuseUnknown(["attempts", "for"], of: send.name("retry")) }
            request.attemptCountMax = try retry.integer("attempts", in: 1...MethodReader.attemptCountMax).map {
                Int($0)
            }
            request.duration = try retry.milliseconds("for")
        }
        request.temporaryIDs = try temporaryIDs(send)
        if let text = try send.text("coalesce") {
            guard text == "replace" else { throw send.wrong("coalesce", "replace, or leave it out") }
            request.isReplaceable = true
        }
        if let text = try send.text("on_failure") {
            guard let rule = MutationRequest.FailureRule(rawValue: text.description) else {
                throw send.wrong("on_failure", "stop or continue")
            }
            request.onFailure = rule
        }
        request.discardsOnFailure = try send.flag("discard")
        return request
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
