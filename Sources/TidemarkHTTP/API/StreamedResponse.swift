import HTTPTypes
import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// An answer of a ``CachingHTTPClient`` whose body is read as it comes.
public struct StreamedResponse: Sendable {
    /// Status and fields, in their order.
    public var response: HTTPResponse
    /// The body as it came, coding included.
    public var body: HTTPBodyChunks
    /// The URL that gave the answer, after redirects.
    public var url: String
    /// Whether the stored answer is served.
    public var wasLoadedFromCache: Bool
    /// Whether a 304 confirmed it.
    public var wasRevalidated: Bool
    /// Whether it is not fresh by RFC 9111, and is served without the server's word.
    public var isStale: Bool
    /// Whole seconds since it was stored or confirmed.
    public var age: Duration
    /// The value of `Cache-Status`.
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

/// The body of a ``StreamedResponse`` in chunks of at least one byte. It is read once, by one reader.
public struct HTTPBodyChunks: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
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

    /// Whether the answer is in the database. For one that comes from the network this is known after its last chunk.
    public var isStored: Bool { get async { await flow.isStored } }

    public func makeAsyncIterator() -> Iterator { Iterator(flow) }

    public struct Iterator: AsyncIteratorProtocol {
        private let flow: HTTPBodyFlow

        init(_ flow: HTTPBodyFlow) { self.flow = flow }

        /// Returns the next bytes; nil after the last.
        ///
        /// - Throws: ``Tidemark/CacheError``. A body that ends early ends with an error, never with nil.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(CacheError) -> [UInt8]? {
            try await flow.next()
        }
    }
}
