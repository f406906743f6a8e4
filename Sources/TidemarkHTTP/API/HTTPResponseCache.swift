import Tidemark
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

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

    /// Sets the bytes that all answers may take; the least recently used go first: 256 MiB.
    public func limit(byteCountMax: Int64) async {
        var limits = HTTPLimits()
        limits.byteCountMax = max(0, byteCountMax)
        await cache.httpJournal.limitHTTP(limits)
    }

    /// Lists stored answers by URL.
    ///
    /// - Parameters:
    ///   - prefix: Only URLs that begin so; nil: all.
    ///   - after: The last answer of the page before; nil: from the start.
    ///   - countMax: The largest number of answers, at least 1.
    /// - Throws: ``Tidemark/CacheError`` `storageFailed`.
    /// - Complexity: O(answers before the end of the page that `prefix` leaves out, and those of the page).
    public func list(
        library: String = "", prefix: String? = nil, after: StoredResponse? = nil, countMax: Int = 100
    ) async throws(CacheError) -> [StoredResponse] {
        let selection = HTTPSelection(library: ByteString(library), prefix: prefix.map { ByteString($0) })
        let records = try await store.page(selection, after: after?.place, countMax: max(1, countMax))
        let now = cache.httpClock.now()
        return records.compactMap { StoredResponse($0, at: now) }
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
        return try await store.write(store.removing([selection]))
    }
}
