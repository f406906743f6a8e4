import HTTPTypes
import Tidemark
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// The conditions for answering a request from the cache: RestKit's options in any combination, or ``standard``.
///
/// - Source: Protocol/http.md, policies.
public struct HTTPCachePolicy: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Whenever something is stored, whatever its age.
    public static let enabled = HTTPCachePolicy(rawValue: CacheOptions.enabled.rawValue)
    /// Uses the stored answer when it is not older than the request's `timeout`.
    public static let timeout = HTTPCachePolicy(rawValue: CacheOptions.timeout.rawValue)
    /// Uses the stored answer while it is fresh by RFC 9111.
    public static let maxAge = HTTPCachePolicy(rawValue: CacheOptions.maxAge.rawValue)
    /// Uses the stored answer after a 304 to its validators.
    public static let etag = HTTPCachePolicy(rawValue: CacheOptions.etag.rawValue)
    /// Uses the stored answer when the host cannot be reached.
    public static let loadIfOffline = HTTPCachePolicy(rawValue: CacheOptions.loadIfOffline.rawValue)
    /// Uses the stored answer when the exchange fails otherwise.
    public static let loadOnError = HTTPCachePolicy(rawValue: CacheOptions.loadOnError.rawValue)
    /// Uses the stored answer on status 500, 502, 503 and 504.
    public static let staleIfError = HTTPCachePolicy(rawValue: CacheOptions.staleIfError.rawValue)
    /// Uses the stored answer within its `stale-while-revalidate`, and asks the server meanwhile.
    public static let staleWhileRevalidate = HTTPCachePolicy(rawValue: CacheOptions.staleWhileRevalidate.rawValue)
    /// RFC 9111 for a private cache. Other options beside it have no meaning.
    public static let standard = HTTPCachePolicy(rawValue: 1 << 15)

    func rules(timeout: Duration?) -> CacheRules {
        if contains(.standard) { return .standard }
        let options = CacheOptions(rawValue: rawValue)
        // Without its number the option never decides.
        guard options.contains(.timeout), let timeout else {
            return .options(options.subtracting(.timeout), timeout: nil)
        }
        return .options(options, timeout: timeout.components.seconds)
    }
}

/// The place where an answer is stored.
public enum HTTPStoragePolicy: String, Hashable, Sendable {
    /// Nowhere; what is stored under the request's key is removed.
    case disabled
    /// The answer is kept until the process ends.
    case session
    /// The answer is kept until it is removed, or evicted as the least recently used.
    case permanent
}

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
    /// The value of `Cache-Status`.
    ///
    /// - Source: RFC 9211.
    public var cacheStatus: String

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
    }
}

/// The stored HTTP answers of a cache, beside its entities and in the same database.
///
/// ```swift
/// let answers = HTTPResponseCache(cache)
/// let client = CachingHTTPClient(cache: answers, transport: CurlTransport())
/// let page = try await client.fetch(HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/"))
/// ```
public struct HTTPResponseCache: Sendable {
    let cache: SyncCache
    private let store: HTTPResponseStore

    /// - Parameter cache: A cache that stays open as long as this is used.
    public init(_ cache: SyncCache) {
        self.cache = cache
        store = HTTPResponseStore(cache)
    }

    /// Sets the bytes that all answers may take; the least recently used are evicted first: 256 MiB.
    public func limit(byteCountMax: Int64) async {
        var limits = HTTPLimits()
        limits.byteCountMax = max(0, byteCountMax)
        await cache.httpJournal.limitHTTP(limits)
    }

    /// Removes the answers of one URL, of all URLs that begin so, of one storage, or of the whole library.
    ///
    /// - Parameter storage: `disabled` removes nothing.
    /// - Returns: The number of answers that were removed.
    /// - Throws: ``Tidemark/CacheError``: `invalidParams` for a URL that cannot be used, `storageFailed`.
    @discardableResult
    public func invalidate(
        library: String = "", url: String? = nil, prefix: String? = nil, storage: HTTPStoragePolicy? = nil
    ) async throws(CacheError) -> Int {
        guard storage != .disabled else { return 0 }
        var selection = HTTPSelection(library: ByteString(library), prefix: prefix.map { ByteString($0) })
        selection.isSession = storage.map { $0 == .session }
        if let url {
            do throws(HTTPURL.Fault) {
                selection.url = try HTTPURL(ByteString(url)).text
            } catch {
                throw CacheError(.invalidParams, error.description)
            }
        }
        return try await store.write([.removeAll(selection)])
    }
}

/// A client of HTTP that answers from the stored answers, the network, or both.
///
/// - Source: Protocol/http.md.
public struct CachingHTTPClient: Sendable {
    /// The settings of requests that have none of their own.
    public struct Defaults: Hashable, Sendable {
        public var policy: HTTPCachePolicy = .etag
        public var storage = HTTPStoragePolicy.permanent
        /// The number of the option ``HTTPCachePolicy/timeout``; nil: the option never decides.
        public var timeout: Duration?
        /// The time that an exchange may take: 30 s.
        public var requestTimeout = Duration.seconds(30)
        /// The largest body that is stored or returned, in bytes: 64 MiB.
        public var bodyByteCountMax = 64 << 20

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
    /// - Throws: ``Tidemark/CacheError``: `invalidParams`, the code of the exchange that failed, `limitExceeded`,
    ///   `storageFailed`.
    public func fetch(
        _ request: HTTPRequest, body: [UInt8] = [], policy: HTTPCachePolicy? = nil, timeout: Duration? = nil,
        storage: HTTPStoragePolicy? = nil, library: String = "", cacheKey: String? = nil, followsRedirects: Bool = true
    ) async throws(CacheError) -> CachedResponse {
        let fetch = try self.fetch(
            request, body, policy, timeout, storage, library, cacheKey, followsRedirects: followsRedirects)
        return CachedResponse(try await client.fetch(fetch))
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
    /// - Parameters: Those of ``fetch(_:body:policy:timeout:storage:library:cacheKey:followsRedirects:)``.
    /// - Throws: As that method, until the head came; afterwards the body ends with the error.
    public func stream(
        _ request: HTTPRequest, body: [UInt8] = [], policy: HTTPCachePolicy? = nil, timeout: Duration? = nil,
        storage: HTTPStoragePolicy? = nil, library: String = "", cacheKey: String? = nil, followsRedirects: Bool = true
    ) async throws(CacheError) -> StreamedResponse {
        var fetch = try self.fetch(
            request, body, policy, timeout, storage, library, cacheKey, followsRedirects: followsRedirects)
        fetch.wantsFlow = true
        return StreamedResponse(try await client.fetch(fetch))
    }

    private func fetch(
        _ request: HTTPRequest, _ body: [UInt8], _ policy: HTTPCachePolicy?, _ timeout: Duration?,
        _ storage: HTTPStoragePolicy?, _ library: String, _ cacheKey: String?, followsRedirects: Bool
    ) throws(CacheError) -> HTTPFetch {
        let head: RequestHead
        do throws(HTTPURL.Fault) {
            head = try RequestHead(request)
        } catch {
            throw CacheError(.invalidParams, error.description)
        }
        let milliseconds = defaults.requestTimeout.components
        var fetch = HTTPFetch(
            library: ByteString(library), request: head,
            rules: (policy ?? defaults.policy).rules(timeout: timeout ?? defaults.timeout),
            storage: HTTPStorage(storage ?? defaults.storage),
            timeout: max(1, milliseconds.seconds * 1_000 + milliseconds.attoseconds / 1_000_000_000_000_000))
        fetch.body = body
        fetch.cacheKey = cacheKey.map { ByteString($0) }
        fetch.followsRedirects = followsRedirects
        return fetch
    }

    /// Ends the questions that nobody waits for. To be called before the cache is closed.
    public func close() async { await client.close() }
}

extension HTTPStorage {
    init(_ policy: HTTPStoragePolicy) {
        switch policy {
        case .disabled: self = .disabled
        case .session: self = .session
        case .permanent: self = .permanent
        }
    }
}
