import Tidemark
import TidemarkViews

/// Giving a cache its views, once.
extension ViewEngine {
    /// How far the definitions of earlier processes are restored.
    enum Restoration {
        case notBegun
        /// The callers that wait for the end; the callers of the cache bound them.
        case underway([CheckedContinuation<Void, Never>])
        case done
    }

    /// Gives a cache views, with those that an earlier process defined, which are computed from now on. Does nothing if
    /// it has them already.
    ///
    /// - Throws: ``CacheError`` `storageFailed`; the next call tries again.
    package static func attach(to cache: SyncCache, limits: ViewLimits = ViewLimits()) async throws(CacheError) {
        await cache.attach { ViewEngine(limits: limits) }
        try await cache.withWing(ViewEngine.self) { (engine, cache) throws(CacheError) in
            try await engine.restoreOnce(in: cache)
        }
    }

    private func restoreOnce(in cache: isolated SyncCache) async throws(CacheError) {
        while case .underway(let waiters) = restoration {
            await withCheckedContinuation { restoration = .underway(waiters + [$0]) }
        }
        guard case .notBegun = restoration else { return }
        restoration = .underway([])
        do throws(CacheError) {
            try await restore(in: cache)
            endRestoration(.done)
        } catch {
            endRestoration(.notBegun)
            throw error
        }
        cache.spawn { await self.warm(in: cache) }
    }

    private func endRestoration(_ end: Restoration) {
        guard case .underway(let waiters) = restoration else { return }
        restoration = end
        for waiter in waiters { waiter.resume() }
    }
}
