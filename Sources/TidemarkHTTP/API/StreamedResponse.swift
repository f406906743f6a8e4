import HTTPTypes
import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// A response of a ``CachingHTTPClient`` whose body is read while it arrives.
public struct StreamedResponse: Sendable {
    /// The status and the header fields, in their order.
    public var response: HTTPResponse
    /// The raw body in chunks. A content coding such as gzip is still applied, unless the transport has decoded it.
    public var body: HTTPBodyChunks
    /// The URL that sent the response, after redirects.
    public var url: String
    /// True if the stored response is served.
    public var wasLoadedFromCache: Bool
    /// True if the server confirmed the stored response with a 304.
    public var wasRevalidated: Bool
    /// True if the stored response is not fresh by RFC 9111 and is served without asking the server, or because the
    /// server gave no usable response.
    public var isStale: Bool
    /// How long ago the response was stored or confirmed, in whole seconds. Under ``HTTPCachePolicy/standard`` its
    /// current age by RFC 9111.
    public var age: Duration
    /// The value for a `Cache-Status` header, which says how the request was handled.
    ///
    /// - Source: RFC 9211.
    public var cacheStatus: String

    init(_ fetched: HTTPFetched) {
        response = fetched.head.types
        body = HTTPBodyChunks(fetched)
        url = fetched.url.text.description
        wasLoadedFromCache = fetched.isFromCache
        wasRevalidated = fetched.isRevalidated
        isStale = fetched.isStale
        age = .seconds(fetched.age)
        cacheStatus = fetched.status.text
    }
}

/// The body of a ``StreamedResponse``, in chunks of at least one byte. It can be read once, by one reader.
public struct HTTPBodyChunks: AsyncSequence, Sendable {
    /// A chunk of at least one byte.
    public typealias Element = [UInt8]
    /// The error that ends a body early.
    public typealias Failure = CacheError

    private let flow: HTTPBodyFlow

    init(_ fetched: HTTPFetched) {
        if let flow = fetched.flow {
            self.flow = flow
            return
        }
        let bytes = SingleUseBytes(fetched.body)
        let isStored = fetched.isStored
        flow = HTTPBodyFlow(next: { () throws(CacheError) in bytes.take() }, isStored: { isStored })
    }

    /// True if the response is in the database. For a response from the network this is known only after its last
    /// chunk.
    public var isStored: Bool { get async { await flow.isStored } }

    /// Returns the iterator. All iterators share one position in the body.
    public func makeAsyncIterator() -> Iterator { Iterator(flow) }

    /// Reads the chunks of a body in order.
    public struct Iterator: AsyncIteratorProtocol {
        private let flow: HTTPBodyFlow

        init(_ flow: HTTPBodyFlow) { self.flow = flow }

        /// Returns the next chunk; nil after the last one.
        ///
        /// - Throws: ``/Tidemark/CacheError`` if the body ends early; such a body never ends with nil.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(CacheError) -> [UInt8]? {
            try await flow.next()
        }
    }
}
