import HTTPTypes
import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// A client of HTTP that answers from the stored answers, the network, or both.
///
/// - Source: Protocol/http.md.
public struct CachingHTTPClient: Sendable {
    /// The settings of requests that have none of their own.
    public struct Defaults: Hashable, Sendable {
        public var policy: HTTPCachePolicy = .etag
        public var storage = HTTPStoragePolicy.permanent
        /// The number of the option ``HTTPCachePolicy/timeout``; nil: each request says its own.
        public var timeout: Duration?
        /// The time that an exchange may take: 30 s.
        public var requestTimeout = Duration.seconds(30)
        /// The largest body that is stored or returned, in bytes: 64 MiB.
        public var bodyByteCountMax = 64 << 20
        /// The field of an answer that names its position in the log.
        public var sequenceHeader = "Tidemark-Sequence"

        public init() {}
    }

    private let client: HTTPClient
    private let defaults: Defaults

    /// - Parameters:
    ///   - cache: The stored answers.
    ///   - transport: The way to the network.
    public init(cache: HTTPResponseCache, transport: any HTTPTransport, defaults: Defaults = Defaults()) {
        var settings = HTTPClientDefaults()
        settings.bodyByteCountMax = defaults.bodyByteCountMax
        settings.sequenceHeader = ByteString(defaults.sequenceHeader.lowercased())
        client = HTTPClient(cache.cache, transport: transport, defaults: settings)
        self.defaults = defaults
    }

    /// Fetches an answer.
    ///
    /// - Parameters:
    ///   - request: Scheme, authority and path of `http` or `https`; its method decides what may be cached.
    ///   - policy: nil: the client's.
    ///   - timeout: The number of the option ``HTTPCachePolicy/timeout``, in whole seconds rounded down.
    ///   - library: The library that the answer belongs to.
    ///   - cacheKey: The caller's own key beside method and URL; a POST or PUT is cached only with one.
    ///   - normalize: The entities in the body: stored with the answer, in one transaction; nil: none.
    ///   - requestTimeout: The time that the exchange may take; nil: the client's.
    /// - Throws: ``Tidemark/CacheError``: `invalidParams`, the code of the exchange that failed, `limitExceeded`,
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

    /// Fetches an answer, and tells from then on when the stored answer becomes another one.
    ///
    /// A stored answer that was served because the host could not be reached is asked about until the host answers:
    /// with one question for all observers of the request, after pauses of 1 s to 60 s, and at once when another
    /// exchange with the same origin succeeds.
    ///
    /// ```swift
    /// let page = try await client.observe(request, policy: [.etag, .loadIfOffline])
    /// show(page.response)
    /// for await changed in page.changes { show(changed) }
    /// ```
    ///
    /// - Parameters: Those of
    ///   ``fetch(_:body:policy:timeout:storage:library:cacheKey:normalize:requestTimeout:followsRedirects:)``.
    /// - Throws: As that method; then nothing is observed.
    public func observe(
        _ request: HTTPRequest, body: [UInt8] = [], policy: HTTPCachePolicy? = nil, timeout: Duration? = nil,
        storage: HTTPStoragePolicy? = nil, library: String = "", cacheKey: String? = nil,
        normalize: HTTPEntities? = nil, requestTimeout: Duration? = nil, followsRedirects: Bool = true
    ) async throws(CacheError) -> ObservedResponse {
        let fetch = try self.fetch(
            request, body, policy, timeout, storage, library, cacheKey, normalize, requestTimeout,
            followsRedirects: followsRedirects)
        // A reader that is slow sees the last answer, and those between are passed over.
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

    /// Fetches an answer whose body is read as it comes, and stored beside.
    ///
    /// A body past 1 MiB is never in memory as a whole: from the network it is written to the disk in chunks that no
    /// answer refers to until the last byte came, from the disk it is read a chunk at a time. A body that is too long
    /// to be stored passes through. Such a request is an exchange of its own: it joins no equal one. A reader that
    /// stops early ends the exchange, and nothing is stored.
    ///
    /// ```swift
    /// let photo = try await client.stream(request)
    /// for try await chunk in photo.body { file.write(chunk) }
    /// ```
    ///
    /// - Parameters: Those of
    ///   ``fetch(_:body:policy:timeout:storage:library:cacheKey:normalize:requestTimeout:followsRedirects:)``, without
    ///   the entities: they need the whole body.
    /// - Throws: As that method, until the head came; afterwards the body ends with the error.
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
        let limit = (requestTimeout ?? defaults.requestTimeout).components
        var fetch = HTTPFetch(
            library: ByteString(library), request: head,
            rules: try (policy ?? defaults.policy).rules(timeout: timeout ?? defaults.timeout),
            storage: HTTPStorage(storage ?? defaults.storage),
            timeout: max(1, limit.seconds * 1_000 + limit.attoseconds / 1_000_000_000_000_000))
        fetch.body = body
        fetch.cacheKey = cacheKey.map { ByteString($0) }
        fetch.followsRedirects = followsRedirects
        fetch.normalization = try entities?.normalization(limits: client.cache.httpLimits)
        return fetch
    }

    /// Ends the questions that nobody waits for. To be called before the cache is closed.
    public func close() async { await client.close() }
}
