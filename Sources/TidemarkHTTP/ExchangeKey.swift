import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// The content of a question: equal requests under way are one exchange.
struct ExchangeKey: Hashable {
    private let library: ByteString
    private let request: RequestHead
    /// The stored validators that are sent, with their URL: others ask about another stored answer.
    private let validators: StoredValidators?
    private let key: ByteString
    private let storage: HTTPStorage
    private let storing: Storing
    private let followsRedirects: Bool
    private let spec: [UInt8]?

    /// The answers that a policy may store: requests that differ in it are not one exchange.
    private enum Storing: Hashable {
        case nothing
        case options
        case standard
    }

    init(_ fetch: HTTPFetch, _ validators: StoredValidators? = nil) {
        library = fetch.library
        request = fetch.request
        self.validators = validators
        key = fetch.key
        storage = fetch.storage
        storing = fetch.rules == .standard ? .standard : fetch.rules.isNone ? .nothing : .options
        followsRedirects = fetch.followsRedirects
        spec = fetch.normalization?.spec
    }
}

/// The outcome of an exchange, for all that waited for it.
struct CompletedExchange: Sendable {
    enum Outcome: Sendable {
        /// The stored answer was confirmed; this is it now. `isLast`: the confirmation says that it may not be stored
        /// any more, so it is removed after it was served.
        case confirmed(HTTPResponseStore.Found, isLast: Bool)
        case answered
    }

    var outcome: Outcome
    var head: ResponseHead
    var content: HTTPContent
    var url: HTTPURL
    /// The answer with its instants, for its age.
    var stored: StoredHead
    /// Whether the stored validators went to the URL that answered.
    var isConditional: Bool
    var isStored = false
    /// Whether the answer was outdated on its way: it is given to those who waited, and nothing of it is stored.
    var isOutdated = false
    var normalized: HTTPFetched.Normalized?
}

/// The body of an answer, where it is.
enum HTTPContent: Sendable {
    case bytes([UInt8])
    /// A body on the disk, in chunks that no answer refers to yet.
    case draft(HTTPBodyDraft, HTTPBodyHold)
    /// A body on its way to a caller that reads it in chunks.
    case arriving(HTTPBodyFlow)
    /// A body that passed through and was not kept: it is too long, or the disk failed.
    case passed(Int64)

    /// The length of the body; 0 while it is on its way.
    var byteCount: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .draft(let draft, _): draft.byteCount
        case .arriving: 0
        case .passed(let byteCount): byteCount
        }
    }

    /// Whether the whole body is there to be stored.
    var isKept: Bool {
        switch self {
        case .bytes, .draft: true
        case .arriving, .passed: false
        }
    }

    /// The body where it is in memory.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { return bytes }
        return nil
    }
}
