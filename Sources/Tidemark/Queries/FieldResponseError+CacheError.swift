import TidemarkModel
import TidemarkStore

extension CacheError {
    /// True if nothing of a response was stored because the cache was cleared after the request for it. Any other error
    /// leaves that open: the response, and what it settles, has not ended.
    package var isCleared: Bool { code == .conflict && reasons["cache"] == "cleared" }
}

extension FieldResponseError {
    /// The error that a host or a program receives.
    var cacheError: CacheError {
        switch self {
        case .badResource(let event, let index, let reason):
            CacheError(
                .invalidParams,
                "\(place(event, index)) cannot be used (\(reason.code)): nothing was stored, correct it")
        case .badAnswer(let event, let reason):
            CacheError(
                .invalidParams,
                "\(event == 0 ? "resources" : "included[\(event - 1)]") cannot be used (\(reason.code)): nothing was stored"
            )
        case .duplicate(let id, let index):
            CacheError(.invalidParams, "resources[\(index)] has the id \(id) of an earlier one: list each once")
        case .otherType(let membership, let answer):
            CacheError(.invalidParams, "membership.resource_type is \(membership): pass \(answer), as in resource_type")
        case .tooManyLibraries:
            CacheError(.limitExceeded, "no further library can be added: use a known one")
        case .tooManyTypes:
            CacheError(.limitExceeded, "no further resource type can be added: use a known one")
        case .tooManyQueries:
            CacheError(.limitExceeded, "every stored query is observed: cancel some subscriptions first")
        case .cleared:
            CacheError(
                .conflict, "the cache was cleared after the answer was asked for: nothing of it was stored, read again",
                reasons: ["cache": "cleared"])
        case .tooLarge(let event, let index, let byteCountMax):
            CacheError(
                .limitExceeded,
                "\(place(event, index)) would make its entity larger than \(byteCountMax) bytes: nothing was stored, send a smaller one"
            )
        }
    }

    private func place(_ event: Int, _ index: Int) -> String {
        event == 0 ? "resources[\(index)]" : "included[\(event - 1)].resources[\(index)]"
    }
}
