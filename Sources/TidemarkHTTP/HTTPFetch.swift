import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// The place where an answer is stored.
package enum HTTPStorage: String, CaseIterable, Hashable, Sendable {
    case disabled
    case session
    case permanent
}

/// A request for an answer from the cache, the network, or both.
package struct HTTPFetch: Sendable {
    package var library: ByteString
    package var request: RequestHead
    package var body: [UInt8]
    package var rules: CacheRules
    package var storage: HTTPStorage
    /// The caller's own key, or the hash of the body; nil: method and URL alone.
    package var cacheKey: ByteString?
    package var normalization: HTTPNormalization?
    /// The milliseconds that an exchange may take.
    package var timeout: Int64
    package var followsRedirects: Bool
    /// The largest body that the caller can take, in bytes; nil: any that is stored. A longer one is stored all the
    /// same.
    package var answerByteCountMax: Int?
    /// Whether a body past 1 MiB is given as ``HTTPFetched/flow``. Such a request is an exchange of its own.
    package var wantsFlow = false

    package init(library: ByteString, request: RequestHead, rules: CacheRules, storage: HTTPStorage, timeout: Int64) {
        self.library = library
        self.request = request
        self.body = []
        self.rules = rules
        self.storage = storage
        self.timeout = timeout
        followsRedirects = true
    }

    /// The key of the stored answers that may serve the request.
    var key: ByteString { ByteString(request.method.bytes + (cacheKey.map { [0x0A] + $0.bytes } ?? [])) }

    /// Returns the key of an answer that came from another place, to which redirects led.
    static func led(_ key: ByteString) -> ByteString { ByteString(key.bytes + [0x0D]) }

    static func isLed(_ key: ByteString) -> Bool { key.bytes.last == 0x0D }

    /// Whether the caller named a key for the answer to a POST or PUT.
    var isKeyed: Bool { cacheKey != nil && ["POST", "PUT", "GET", "HEAD"].contains(request.method) }
}

/// An answer as the caller gets it.
package struct HTTPFetched: Hashable, Sendable {
    package var head: ResponseHead
    package var body: [UInt8]
    /// The body in chunks, where the request wanted that and it is long; then `body` is empty.
    package var flow: HTTPBodyFlow?
    /// The URL that gave the answer, after redirects.
    package var url: HTTPURL
    package var isFromCache = false
    package var isRevalidated = false
    package var isStale = false
    /// The age of the answer in seconds.
    package var age: Int64 = 0
    package var isStored = false
    /// Whether a removal, or a newer answer, outdated this answer on its way.
    var isOutdated = false
    package var status: CacheStatus
    /// The outcome of the normalization; nil without one.
    package var normalized: Normalized?

    package enum Normalized: Hashable, Sendable {
        case entities(Int)
        case error(String)
    }

    package init(head: ResponseHead, body: [UInt8], url: HTTPURL, status: CacheStatus) {
        self.head = head
        self.body = body
        self.url = url
        self.status = status
    }
}

/// The settings of a client.
package struct HTTPClientDefaults: Hashable, Sendable {
    package var rules = CacheRules.defaults
    package var storage = HTTPStorage.permanent
    /// The seconds of the option `timeout`; nil: a request says them.
    package var timeout: Int64?
    /// The milliseconds that an exchange may take: 30 s.
    package var requestTimeout: Int64 = 30_000
    /// The field of an answer that holds its position in the log.
    package var sequenceHeader: ByteString = "tidemark-sequence"
    /// The largest body that is stored, in bytes: 64 MiB.
    package var bodyByteCountMax = 64 << 20

    package init() {}
}
