import Synchronization
public import Tidemark
public import TidemarkHTTP
import TidemarkModel

/// Feeds a scope of a server into a cache, for as long as it runs: offline, back, with new tokens, and when the scope
/// is taken away.
///
/// ```swift
/// let scopes = ScopeUpstream()
/// let cache = try await SyncCache.open(path: "cache.db", upstream: scopes, mutationUpstream: scopes)
/// let address = try ScopeAddress("https://sync.example", scope: "project", parameters: ["project": "p7"])
/// let feed = ScopeFeed(address, into: cache, through: scopes, transport: CurlTransport()) { "a token" }
/// try await feed.run()
/// ```
///
/// The scope is a library of the cache, whose id the server chooses; ``library()`` returns it. Several feeds may run at
/// once, each with a library of its own. After a restart a feed resumes where its library is. What the server says no
/// longer shows leaves; pending edits stay.
///
/// - Source: Protocol/scopes.md, what a reader does.
public struct ScopeFeed: Sendable {
    let memory: ScopeMemory
    let requests: ScopeRequests
    let upstream: ScopeUpstream?
    let clock: any CacheClock
    let onStatus: @Sendable (ScopeStatus) -> Void

    var cache: SyncCache { memory.cache }

    /// Creates a feed. Nothing is sent before ``run()``.
    ///
    /// - Parameters:
    ///   - address: The scope.
    ///   - cache: The cache that it feeds.
    ///   - upstream: The upstream that the cache was opened with; nil if the cache is only to read: then a lost line
    ///     costs a new state, and no edit is sent.
    ///   - transport: Performs the requests. Redirects are not followed, because they carry the token.
    ///   - clock: The clock for pauses.
    ///   - onStatus: Called with each new status; must not block.
    ///   - token: Returns a token; called at first, and again when the server refuses the last one.
    public init(
        _ address: ScopeAddress, into cache: SyncCache, through upstream: ScopeUpstream?,
        transport: any HTTPTransport, clock: any CacheClock = SystemClock(),
        onStatus: @escaping @Sendable (ScopeStatus) -> Void = { _ in },
        token: @escaping @Sendable () async throws -> String
    ) {
        memory = ScopeMemory(cache: cache, address: address)
        requests = ScopeRequests(
            address: address, token: ScopeToken(token), transport: transport, limits: cache.configuration.limits,
            timeout: cache.configuration.fetchTimeout)
        self.upstream = upstream
        self.clock = clock
        self.onStatus = onStatus
    }

    /// Returns the library of the cache that the scope feeds; nil before the first line that ever came.
    ///
    /// - Throws: ``/Tidemark/StorageError`` when the cache cannot be read.
    public func library() async throws(StorageError) -> ByteString? { try await memory.read() }

    /// Follows the scope until the task is cancelled.
    ///
    /// - Throws: ``/Tidemark/StorageError`` when the cache cannot read its data; the feed has then ended.
    public func run() async throws(StorageError) {
        var backoff = ScopeBackoff()
        var isTokenNew = false
        if let library = try await memory.read() { serve(library) }
        while !Task.isCancelled {
            onStatus(.connecting)
            let connection = ScopeConnection(feed: self)
            var (end, hasLines) = try await connection.follow()
            if Task.isCancelled { return }
            if hasLines { backoff.succeeded() }
            // A new token that is refused at once would be followed by the next one without a pause.
            if case .tokenEnded = end, isTokenNew, !hasLines { end = .cut(reason: "new tokens are refused") }
            if case .tokenEnded = end { isTokenNew = true } else { isTokenNew = false }
            guard let pause = pause(after: end, &backoff) else { continue }
            do throws(CancellationError) {
                try await clock.sleep(milliseconds: pause)
            } catch {
                return
            }
        }
    }

    /// Returns the pause before the next connection in milliseconds, and reports it; nil to connect at once.
    private func pause(after end: ScopeConnection.End, _ backoff: inout ScopeBackoff) -> Int64? {
        let random = cache.configuration.random()
        switch end {
        case .tokenEnded: return nil
        case .forbidden:
            onStatus(.forbidden)
            return ScopeBackoff.longest
        case .notFound:
            onStatus(.notFound)
            return ScopeBackoff.longest
        case .cut(let reason, let least):
            let pause = backoff.pause(random: random, least: least)
            onStatus(.waiting(reason: reason, milliseconds: pause))
            return pause
        }
    }

    /// Lets missing lines and edits of a library reach the server.
    func serve(_ library: ByteString) {
        upstream?.serve(library, requests) { [weak cache = self.cache] library in
            guard let epoch = await cache?.status(of: library).epoch, !epoch.bytes.isEmpty else { return nil }
            return epoch
        }
    }
}
