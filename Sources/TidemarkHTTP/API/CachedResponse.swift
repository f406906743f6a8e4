import HTTPTypes
import TidemarkHTTPRules
import TidemarkModel

/// An answer of a ``CachingHTTPClient``.
public struct CachedResponse: Hashable, Sendable {
    /// Status and fields, in their order.
    public var response: HTTPResponse
    /// The body as it came, coding included.
    public var body: [UInt8]
    /// The URL that gave the answer, after redirects.
    public var url: String
    /// Whether the stored answer was served.
    public var wasLoadedFromCache: Bool
    /// Whether a 304 confirmed it.
    public var wasRevalidated: Bool
    /// Whether it is not fresh by RFC 9111, and was served without the server's word.
    public var isStale: Bool
    /// Whole seconds since it was stored or confirmed.
    public var age: Duration
    public var isStored: Bool
    /// The entities that were made of the body; nil where the request asked for none.
    public var normalized: Normalized?
    /// The value of `Cache-Status`.
    ///
    /// - Source: RFC 9211.
    public var cacheStatus: String

    /// The outcome of ``HTTPEntities``.
    public enum Normalized: Hashable, Sendable {
        /// The number of resources in the body, or of those that were renewed.
        case entities(Int)
        /// The reason why nothing was made of the body.
        case error(String)
    }

    init(_ fetched: HTTPFetched) {
        response = fetched.head.types
        body = fetched.body
        url = fetched.url.text.description
        wasLoadedFromCache = fetched.isFromCache
        wasRevalidated = fetched.isRevalidated
        isStale = fetched.isStale
        age = .seconds(fetched.age)
        isStored = fetched.isStored
        cacheStatus = fetched.status.text
        switch fetched.normalized {
        case nil: normalized = nil
        case .entities(let count): normalized = .entities(count)
        case .error(let message): normalized = .error(message)
        }
    }
}
