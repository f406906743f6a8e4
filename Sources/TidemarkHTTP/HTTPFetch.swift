import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// Where a response is stored, and for how long.
package enum HTTPStorage: String, CaseIterable, Hashable, Sendable {
    /// The response is not stored, and responses stored under the request's key are removed.
    case disabled
    /// The response is kept until the process ends.
    case session
    /// The response is kept until it is removed or evicted.
    case permanent
}

/// A request to an ``HTTPClient``, with the rules for using the cache.
package struct HTTPFetch: Sendable {
    /// The library that the response belongs to.
    package var library: ByteString
    /// The method, URL and header fields.
    package var request: RequestHead
    /// The body of the request; empty for none.
    package var body: [UInt8]
    /// When a stored response is used.
    package var rules: CacheRules
    /// Where the response is stored.
    package var storage: HTTPStorage
    /// The caller's own key, or the hash of the body; nil if method and URL are the whole key.
    package var cacheKey: ByteString?
    /// The entities in the response's body; nil for none.
    package var normalization: HTTPNormalization?
    /// How long an exchange may take.
    package var timeout: Duration
    /// If false, a redirect is returned as the response.
    package var followsRedirects: Bool
    /// The largest body that the caller can take, in bytes; nil for any that can be stored. A longer one is stored and
    /// not returned.
    package var answerByteCountMax: Int?
    /// If true, a body longer than 1 MiB is returned as ``HTTPFetched/flow``. Such a request does not share its
    /// exchange.
    package var wantsFlow = false

    /// Creates a request with an empty body that follows redirects.
    package init(library: ByteString, request: RequestHead, rules: CacheRules, storage: HTTPStorage, timeout: Duration)
    {
        self.library = library
        self.request = request
        self.body = []
        self.rules = rules
        self.storage = storage
        self.timeout = timeout
        followsRedirects = true
    }

    /// The key of the stored responses that may serve the request: the method, and the caller's key.
    var key: ByteString { ByteString(request.method.bytes + (cacheKey.map { [0x0A] + $0.bytes } ?? [])) }

    /// Returns the key of a response to which redirects led, and which therefore has another URL.
    static func led(_ key: ByteString) -> ByteString { ByteString(key.bytes + [0x0D]) }

    /// True if a key is one of ``led(_:)``.
    static func isLed(_ key: ByteString) -> Bool { key.bytes.last == 0x0D }

    /// True if the request has a caller's key and a method that may be cached under one.
    var isKeyed: Bool { cacheKey != nil && ["POST", "PUT", "GET", "HEAD"].contains(request.method) }
}

/// A response as the caller gets it.
package struct HTTPFetched: Hashable, Sendable {
    /// The status and the header fields.
    package var head: ResponseHead
    /// The raw body; empty if ``flow`` has it.
    package var body: [UInt8]
    /// The body in chunks, if the request wanted that and the body is long.
    package var flow: HTTPBodyFlow?
    /// The URL that sent the response, after redirects.
    package var url: HTTPURL
    /// True if the stored response was served.
    package var isFromCache = false
    /// True if the server confirmed the stored response with a 304.
    package var isRevalidated = false
    /// True if the stored response is not fresh by RFC 9111 and was served without the server's confirmation.
    package var isStale = false
    /// How long ago the response was stored or confirmed, in seconds; under `standard` its current age by RFC 9111.
    package var age: Int64 = 0
    /// True if the response is in the database.
    package var isStored = false
    /// True if a removal or a newer response outdated this one while it was on its way.
    var isOutdated = false
    /// How the request was handled.
    package var status: CacheStatus
    /// The outcome of the normalization; nil if there was none.
    package var normalized: Normalized?

    /// The outcome of storing the body's entities.
    package enum Normalized: Hashable, Sendable {
        /// The number of resources in the body, or of entities that were renewed.
        case entities(Int)
        /// The reason why no entities were stored.
        case error(String)
    }

    /// Creates a response from the network that is not stored.
    package init(head: ResponseHead, body: [UInt8], url: HTTPURL, status: CacheStatus) {
        self.head = head
        self.body = body
        self.url = url
        self.status = status
    }
}

/// The settings for requests that do not pass their own.
package struct HTTPClientDefaults: Hashable, Sendable {
    /// When stored responses are used: the option `etag`.
    package var rules = CacheRules.defaults
    /// Where responses are stored: `permanent`.
    package var storage = HTTPStorage.permanent
    /// The maximum age for the option `timeout`, in seconds; nil if each request passes its own.
    package var timeout: Int64?
    /// How long an exchange may take, in milliseconds: 30 s.
    package var requestTimeout = Duration.seconds(30)
    /// The name, in lowercase, of the response header that holds the response's position in the log.
    package var sequenceHeader: ByteString = "tidemark-sequence"
    /// The largest body that is stored, in bytes: 64 MiB.
    package var bodyByteCountMax = 64 << 20

    /// Creates the default settings.
    package init() {}

    /// Returns the position in the log that a response names in its header; nil if there is none.
    func sequence(_ head: ResponseHead) -> EventSequence? {
        head.fields.first(sequenceHeader.description).flatMap { value in
            ASCII.number(ASCII.trimmed(value.bytes[...]), max: .max / 16).map { EventSequence($0) }
        }
    }
}
