import HTTPTypes
import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// An HTTP client that serves requests from stored responses, the network, or both.
///
/// ```swift
/// let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: CurlTransport())
/// let page = try await client.fetch(
///     .init(method: .get, scheme: "https", authority: "example.com", path: "/news"),
///     policy: [.etag, .loadIfOffline])
/// print(page.body.count, page.wasLoadedFromCache, page.isStale)
/// await client.close()
/// ```
///
/// - Source: Protocol/http.md.
public struct CachingHTTPClient: Sendable {
    /// The settings for requests that do not pass their own.
    public struct Defaults: Hashable, Sendable {
        /// When stored responses are used: ``HTTPCachePolicy/etag``.
        public var policy: HTTPCachePolicy = .etag
        /// Where responses are stored: ``HTTPStoragePolicy/permanent``.
        public var storage = HTTPStoragePolicy.permanent
        /// The maximum age for the option ``HTTPCachePolicy/timeout``; nil if each request with that option passes its
        /// own.
        public var timeout: Duration?
        /// How long an exchange may take: 30 s.
        public var requestTimeout = Duration.seconds(30)
        /// The largest body that is stored or returned, in bytes: 64 MiB.
        public var bodyByteCountMax = 64 << 20
        /// The name of the response header that holds the response's position in the log.
        public var sequenceHeader = "Tidemark-Sequence"

        /// Creates the default settings.
        public init() {}
    }

    private let client: HTTPClient
    private let defaults: Defaults

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - cache: The stored responses.
    ///   - transport: Performs the exchanges with servers.
    ///   - defaults: The settings for requests that do not pass their own.
    public init(cache: HTTPResponseCache, transport: any HTTPTransport, defaults: Defaults = Defaults()) {
        var settings = HTTPClientDefaults()
        settings.bodyByteCountMax = defaults.bodyByteCountMax
        settings.sequenceHeader = ByteString(defaults.sequenceHeader.lowercased())
        client = HTTPClient(cache.cache, transport: transport, defaults: settings)
        self.defaults = defaults
    }

    /// Fetches a response from the cache or the server, as the policy says.
    ///
    /// Equal GET requests under way at the same time share one exchange.
    ///
    /// ```swift
    /// let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: CurlTransport())
    /// let photo = try await client.fetch(
    ///     .init(method: .get, scheme: "https", authority: "example.com", path: "/photo.jpg"),
    ///     policy: .timeout, timeout: .seconds(60))
    /// print(photo.age, photo.cacheStatus)
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request, with scheme (`http` or `https`), authority and path. Its method decides what may be
    ///     cached.
    ///   - body: The body of the request.
    ///   - policy: When a stored response is used; nil for the client's default.
    ///   - timeout: The maximum age for the option ``HTTPCachePolicy/timeout``, in whole seconds rounded down; nil for
    ///     the client's default.
    ///   - storage: Where the response is stored; nil for the client's default.
    ///   - library: The library that the response belongs to.
    ///   - cacheKey: A key of the caller, added to method and URL. A POST or PUT is cached only with one.
    ///   - normalize: The entities in the body, which are stored with the response in one transaction; nil for none.
    ///   - requestTimeout: How long the exchange may take; nil for the client's default.
    ///   - followsRedirects: If false, a redirect is returned as the response.
    /// - Throws: ``/Tidemark/CacheError``: `invalidParams`, the code of the exchange that failed, `limitExceeded`,
    ///   `storageFailed`.
    public func fetch(
        _ request: HTTPRequest, body: [UInt8] = [], policy: HTTPCachePolicy? = nil, timeout: Duration? = nil,
        storage: HTTPStoragePolicy? = nil, library: String = "", cacheKey: String? = nil,
        normalize: HTTPEntities? = nil, requestTimeout: Duration? = nil, followsRedirects: Bool = true
    ) async throws(CacheError) -> CachedResponse {
        let fetch = try self.fetch(
            request, body, policy, timeout, storage, library, cacheKey, normalize, requestTimeout,
            followsRedirects: followsRedirects)
        return CachedResponse(try await client.fetch(fetch))
    }

    /// Fetches a response and then reports each change of the stored response.
    ///
    /// If a stored response was served because the server could not be reached or sent an error, the client asks again
    /// until the server responds: with one request for all observers, after pauses of 1 s doubling up to 60 s, and at
    /// once when another exchange with the same origin succeeds.
    ///
    /// ```swift
    /// let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: CurlTransport())
    /// let page = try await client.observe(
    ///     .init(method: .get, scheme: "https", authority: "example.com", path: "/news"),
    ///     policy: [.etag, .loadIfOffline])
    /// print("now:", page.response.body.count, "bytes")
    /// for await changed in page.changes { print("changed:", changed.body.count, "bytes") }
    /// ```
    ///
    /// - Parameters: Those of
    ///   ``fetch(_:body:policy:timeout:storage:library:cacheKey:normalize:requestTimeout:followsRedirects:)``.
    /// - Returns: The current response, and a stream of the later ones.
    /// - Throws: As that method; then nothing is observed.
    public func observe(
        _ request: HTTPRequest, body: [UInt8] = [], policy: HTTPCachePolicy? = nil, timeout: Duration? = nil,
        storage: HTTPStoragePolicy? = nil, library: String = "", cacheKey: String? = nil,
        normalize: HTTPEntities? = nil, requestTimeout: Duration? = nil, followsRedirects: Bool = true
    ) async throws(CacheError) -> ObservedResponse {
        let fetch = try self.fetch(
            request, body, policy, timeout, storage, library, cacheKey, normalize, requestTimeout,
            followsRedirects: followsRedirects)
        // A slow reader gets only the latest response.
        let (changes, continuation) = AsyncStream.makeStream(
            of: CachedResponse.self, bufferingPolicy: .bufferingNewest(1))
        let (fetched, subscription) = try await client.observe(fetch) { _, changed in
            continuation.yield(CachedResponse(changed))
        }
        continuation.onTermination = { [client] _ in
            Task { _ = await client.cancel(subscription) }
        }
        return ObservedResponse(response: CachedResponse(fetched), changes: changes)
    }

    /// Fetches a response whose body the caller reads in chunks while it arrives, and stores it meanwhile.
    ///
    /// A body longer than 1 MiB is never in memory as a whole: one from the network is written to the disk in chunks,
    /// which become a stored response after the last byte; one from the disk is read a chunk at a time. A body that is
    /// too long to be stored is passed through. Such a request is an exchange of its own and joins no equal one. If the
    /// reader stops early, the exchange ends and nothing is stored.
    ///
    /// ```swift
    /// let client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: CurlTransport())
    /// let video = try await client.stream(
    ///     .init(method: .get, scheme: "https", authority: "example.com", path: "/video.mp4"))
    /// var byteCount = 0
    /// for try await chunk in video.body { byteCount += chunk.count }
    /// print(byteCount, await video.body.isStored)
    /// ```
    ///
    /// - Parameters: Those of
    ///   ``fetch(_:body:policy:timeout:storage:library:cacheKey:normalize:requestTimeout:followsRedirects:)``, except
    ///   `normalize`, which needs the whole body.
    /// - Throws: As that method, until the head has arrived. Later errors are thrown by the body.
    public func stream(
        _ request: HTTPRequest, body: [UInt8] = [], policy: HTTPCachePolicy? = nil, timeout: Duration? = nil,
        storage: HTTPStoragePolicy? = nil, library: String = "", cacheKey: String? = nil,
        requestTimeout: Duration? = nil, followsRedirects: Bool = true
    ) async throws(CacheError) -> StreamedResponse {
        var fetch = try self.fetch(
            request, body, policy, timeout, storage, library, cacheKey, nil, requestTimeout,
            followsRedirects: followsRedirects)
        fetch.wantsFlow = true
        return StreamedResponse(try await client.fetch(fetch))
    }

    private func fetch(
        _ request: HTTPRequest, _ body: [UInt8], _ policy: HTTPCachePolicy?, _ timeout: Duration?,
        _ storage: HTTPStoragePolicy?, _ library: String, _ cacheKey: String?, _ entities: HTTPEntities?,
        _ requestTimeout: Duration?, followsRedirects: Bool
    ) throws(CacheError) -> HTTPFetch {
        let head: RequestHead
        do throws(HTTPURL.Fault) {
            head = try RequestHead(request)
        } catch {
            throw CacheError(.invalidParams, error.description)
        }
        var fetch = HTTPFetch(
            library: ByteString(library), request: head,
            rules: try (policy ?? defaults.policy).rules(timeout: timeout ?? defaults.timeout),
            storage: HTTPStorage(storage ?? defaults.storage),
            timeout: max(.milliseconds(1), requestTimeout ?? defaults.requestTimeout))
        fetch.body = body
        fetch.cacheKey = cacheKey.map { ByteString($0) }
        fetch.followsRedirects = followsRedirects
        fetch.normalization = try entities?.normalization(limits: client.cache.configuration.limits)
        return fetch
    }

    /// Cancels all exchanges and background requests of the client, and waits for the background ones to end. Call it
    /// before the cache is closed.
    public func close() async { await client.close() }
}
