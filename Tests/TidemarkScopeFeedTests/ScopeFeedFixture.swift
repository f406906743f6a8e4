import Logging
import Synchronization
import Tidemark
import TidemarkHTTP
import TidemarkModel
import TidemarkScopeFeed
import TidemarkTestKit
import TidemarkTesting

/// A cache that follows scopes of a fake server.
final class ScopeFeedFixture: Sendable {
    let server: FakeScopeServer
    let cache: SyncCache
    let upstream = ScopeUpstream()
    private let tokenCount = Atomic<Int>(0)
    private let seen = Mutex<[ScopeStatus]>([])

    /// The statuses so far, in order.
    var statuses: [ScopeStatus] { seen.withLock { $0 } }

    init(_ server: FakeScopeServer, journal: MemoryJournal = MemoryJournal(), hasUpstream: Bool = true) async throws {
        self.server = server
        // Pauses are skipped, and not the 30 s that an edit or a request for lines may take.
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        cache = try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: hasUpstream ? upstream : nil,
            mutationUpstream: hasUpstream ? upstream : nil, clock: ManualClock(skipsUpTo: 10_000))
    }

    func feed(_ parameters: [String: String] = ["project": "p7"]) throws -> ScopeFeed {
        let address = try ScopeAddress(server.server.url, scope: "project", parameters: parameters)
        return ScopeFeed(
            address, into: cache, through: upstream, transport: CurlTransport(),
            clock: ManualClock(skipsUpTo: .seconds(30)), onStatus: { [weak self] in self?.note($0) }
        ) { [weak self] in
            "t\((self?.tokenCount.add(1, ordering: .relaxed).newValue) ?? 0)"
        }
    }

    private func note(_ status: ScopeStatus) { seen.withLock { $0.append(status) } }

    /// Runs feeds until a condition holds.
    ///
    /// - Returns: False when it does not hold in time.
    func run(_ feeds: [ScopeFeed], until holds: @escaping @Sendable () async throws -> Bool) async throws -> Bool {
        let deadline = TestPatience.deadline
        return try await withThrowingTaskGroup(of: Bool?.self) { group in
            for feed in feeds {
                group.addTask {
                    try await feed.run()
                    return nil
                }
            }
            group.addTask {
                while .now < deadline {
                    if try await holds() { return true }
                    await Task.yield()
                }
                return false
            }
            var result: Bool?
            while result == nil, .now < deadline { result = try await group.next() ?? false }
            group.cancelAll()
            while try await group.next() != nil {}
            return result ?? false
        }
    }

    /// The ids of files that a library shows.
    func ids(_ library: ByteString = "scope-1") async throws -> [String] {
        var ids: [String] = []
        for id in ["a", "b", "c", "d", "x", "y"] {
            let key = EntityKey(library: library, type: "file", id: ByteString(id))
            if case .found = try await cache.entity(key) { ids.append(id) }
        }
        return ids
    }

    func phase(_ library: ByteString = "scope-1") async -> LibraryPhase { await cache.status(of: library).phase }
}
