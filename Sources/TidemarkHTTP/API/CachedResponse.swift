import HTTPTypes
import TidemarkHTTPRules
import TidemarkModel

/// A response of a ``CachingHTTPClient``, with its whole body and where it came from.
public struct CachedResponse: Hashable, Sendable {
    /// The status and the header fields, in their order.
    public var response: HTTPResponse
    /// The raw body. A content coding such as gzip is still applied, unless the transport has decoded it.
    public var body: [UInt8]
    /// The URL that sent the response, after redirects.
    public var url: String
    /// True if the stored response was served.
    public var wasLoadedFromCache: Bool
    /// True if the server confirmed the stored response with a 304.
    public var wasRevalidated: Bool
    /// True if the stored response is not fresh by RFC 9111 and was served without asking the server, or because the
    /// server gave no usable response.
    public var isStale: Bool
    /// How long ago the response was stored or confirmed, in whole seconds. Under ``HTTPCachePolicy/standard`` its
    /// current age by RFC 9111.
    public var age: Duration
    /// True if the response is in the database.
    public var isStored: Bool
    /// The outcome of storing the body's entities; nil if the request asked for none.
    public var normalized: Normalized?
    /// The value for a `Cache-Status` header, which says how the request was handled.
    ///
    /// - Source: RFC 9211.
    public var cacheStatus: String

    /// The outcome of storing the entities that an ``HTTPEntities`` describes.
    public enum Normalized: Hashable, Sendable {
        /// The number of resources in the body; after a 304 or an equal body, the number of entities whose ages were
        /// renewed.
        case entities(Int)
        /// The reason why no entities were stored.
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
