import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// The HTTP responses stored in a cache, in the same database as its entities.
///
/// ```swift
/// let responses = HTTPResponseCache(cache)
/// await responses.limit(byteCountMax: 64 << 20)
/// for stored in try await responses.list(prefix: "https://example.com/") {
///     print(stored.url, stored.status, stored.age)
/// }
/// try await responses.invalidate(url: "https://example.com/news")
/// ```
public struct HTTPResponseCache: Sendable {
    let cache: SyncCache
    private let store: HTTPResponseStore

    /// Creates a view of the responses stored in a cache.
    ///
    /// - Parameter cache: A cache, which must stay open while the view is used.
    public init(_ cache: SyncCache) {
        self.cache = cache
        store = HTTPResponseStore(cache)
    }

    /// Limits the size of all stored responses. Beyond it the least recently used ones are evicted.
    ///
    /// - Parameter byteCountMax: The limit in bytes, 256 MiB by default. Negative values count as 0.
    public func limit(byteCountMax: Int64) async {
        var limits = HTTPLimits()
        limits.byteCountMax = max(0, byteCountMax)
        await cache.journal.httpPart.limitHTTP(limits)
    }

    /// Returns a page of the stored responses, ordered by URL.
    ///
    /// - Parameters:
    ///   - library: The library of the responses.
    ///   - prefix: Only URLs that begin with this text; nil for all.
    ///   - after: The last response of the previous page; nil for the first page.
    ///   - countMax: The size of the page; at least 1.
    /// - Returns: The responses; empty after the last page. Responses whose head is damaged are left out.
    /// - Throws: ``/Tidemark/CacheError`` `storageFailed`.
    /// - Complexity: O(n + m) for a page of n responses, where m is the number of responses before its end that
    ///   `prefix` excludes.
    public func list(
        library: String = "", prefix: String? = nil, after: StoredResponse? = nil, countMax: Int = 100
    ) async throws(CacheError) -> [StoredResponse] {
        let selection = HTTPSelection(library: ByteString(library), prefix: prefix.map { ByteString($0) })
        let records = try await store.page(selection, after: after?.place, countMax: max(1, countMax))
        let now = cache.clock.now()
        return records.compactMap { StoredResponse($0, at: now) }
    }

    /// Removes the stored responses of a library that meet all given conditions; without conditions, all of them.
    ///
    /// - Parameters:
    ///   - library: The library of the responses.
    ///   - url: Only responses of this URL.
    ///   - prefix: Only responses whose URL begins with this text.
    ///   - storage: Only responses of this storage; `disabled` removes nothing.
    /// - Returns: The number of responses removed.
    /// - Throws: ``/Tidemark/CacheError``: `invalidParams` for an invalid URL, `storageFailed`.
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
