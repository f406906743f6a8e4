import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// The content of a question: equal requests under way are one exchange.
struct ExchangeKey: Hashable {
    private let library: ByteString
    private let sent: RequestHead
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

    init(_ fetch: HTTPFetch, sent: RequestHead) {
        library = fetch.library
        self.sent = sent
        key = fetch.key
        storage = fetch.storage
        storing = fetch.rules == .standard ? .standard : fetch.rules.isNone ? .nothing : .options
        followsRedirects = fetch.followsRedirects
        spec = fetch.normalization?.spec
    }
}

/// An exchange that others may join.
struct RunningExchange {
    let task: Task<Result<CompletedExchange, ExchangeError>, Never>
}

/// The outcome of an exchange, for all that waited for it.
struct CompletedExchange: Sendable {
    enum Outcome: Sendable {
        /// The stored answer was confirmed; this is it now.
        case confirmed(HTTPResponseStore.Found)
        case answered
    }

    var outcome: Outcome
    var head: ResponseHead
    var content: HTTPContent
    var url: HTTPURL
    /// The answer with its instants, for its age.
    var stored: StoredHead
    var isStored = false
    var normalized: HTTPFetched.Normalized?
}

/// The body of an answer, where it is.
enum HTTPContent: Sendable {
    case bytes([UInt8])
    /// A body on the disk, in chunks that no answer refers to yet.
    case draft(HTTPBodyDraft, HTTPBodyHold)
    /// A body on its way to a caller that reads it in chunks.
    case arriving(HTTPBodyFlow)

    /// The length of the body; 0 while it is on its way.
    var byteCount: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .draft(let draft, _): draft.byteCount
        case .arriving: 0
        }
    }

    /// The body where it is in memory.
    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { return bytes }
        return nil
    }
}
