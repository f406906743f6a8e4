import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// What makes requests equal: equal requests under way share one exchange.
struct ExchangeKey: Hashable {
    private let library: ByteString
    private let request: RequestHead
    /// The validators that are sent, with their URL. Requests with other validators ask about another stored response.
    private let validators: StoredValidators?
    private let key: ByteString
    private let storage: HTTPStorage
    private let storing: Storing
    private let followsRedirects: Bool
    private let spec: [UInt8]?

    /// What a policy may store. Requests that differ in it do not share an exchange.
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

/// The result of an exchange, for all requests that waited for it.
struct CompletedExchange: Sendable {
    enum Outcome: Sendable {
        /// The server confirmed the stored response, which is given with its new head. `isLast`: the confirmation
        /// forbids storing, so the response is served once more and removed.
        case confirmed(HTTPResponseStore.Found, isLast: Bool)
        case answered
    }

    var outcome: Outcome
    var head: ResponseHead
    var content: HTTPContent
    var url: HTTPURL
    /// The head with the times of request and response, for computing the age.
    var stored: StoredHead
    /// True if the stored validators were sent to the URL that responded.
    var isConditional: Bool
    var isStored = false
    /// True if the response was outdated while it was on its way. Those who waited get it, and nothing of it is stored.
    var isOutdated = false
    var normalized: HTTPFetched.Normalized?
}

/// The body of a response, in memory, on the disk, or still arriving.
enum HTTPContent: Sendable {
    case bytes([UInt8])
    /// A body on the disk, in chunks that belong to no response yet.
    case draft(HTTPBodyDraft, HTTPBodyHold)
    /// A body that its caller reads in chunks while it arrives.
    case arriving(HTTPBodyFlow)
    /// A body of this length that was passed through and not kept, because it is too long or the disk failed.
    case passed(Int64)

    /// The length of the body in bytes; 0 while it is arriving.
    var byteCount: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .draft(let draft, _): draft.byteCount
        case .arriving: 0
        case .passed(let byteCount): byteCount
        }
    }

    /// True if the complete body is available for storing.
    var isKept: Bool {
        switch self {
        case .bytes, .draft: true
        case .arriving, .passed: false
        }
    }

    /// The body, if it is in memory.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { return bytes }
        return nil
    }
}
