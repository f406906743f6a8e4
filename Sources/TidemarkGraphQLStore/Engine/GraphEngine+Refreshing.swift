import Tidemark
import TidemarkModel
import TidemarkStore

/// Watchers with `refresh`: their data is fetched again, or reported as stale, when it becomes too old.
///
/// - Source: Protocol/sessions.md, refreshing.
extension GraphEngine {
    /// The longest pause between two checks that change nothing, in milliseconds: 5 minutes.
    private static let pauseMax: Int64 = 300_000
    private static let pauseMin: Int64 = 1_000

    /// Schedules a check of a watcher for the time when the first of its data becomes too old.
    func expect(_ moment: Int64?, _ watcher: GraphWatcher, in cache: isolated SyncCache) {
        guard watcher.request.refreshes, moment != watcher.expiresAt || watcher.expiry == nil else { return }
        watcher.expiry?.cancel()
        watcher.expiry = nil
        if let moment, let before = watcher.expiresAt, moment > before { watcher.pause = GraphEngine.pauseMin }
        watcher.expiresAt = moment
        guard let moment else { return }
        let pause = max(moment.subtractingClamped(cache.now), 0)
        wait(pause == 0 ? watcher.pause : pause, watcher, in: cache)
    }

    private func wait(_ pause: Int64, _ watcher: GraphWatcher, in cache: isolated SyncCache) {
        let subscription = watcher.subscription
        let clock = cache.graphClock
        watcher.expiry = cache.spawnGraph {
            do { try await clock.sleep(milliseconds: pause) } catch { return }
            cache.graphExpired(subscription)
        }
    }

    /// Fetches a watcher's data again, or reports once that it is too old.
    func expired(_ watcher: GraphWatcher, in cache: isolated SyncCache) {
        watcher.expiry = nil
        watcher.pause = min(watcher.pause * 2, GraphEngine.pauseMax)
        if upstream != nil, watcher.request.policy != .cacheOnly {
            if !watcher.isFetching {
                watcher.isFetching = true
                cache.refetchGraph(watcher)
            }
        } else {
            tellStale(watcher, in: cache)
        }
        wait(watcher.pause, watcher, in: cache)
    }
}

extension SyncCache {
    func graphExpired(_ subscription: SubscriptionID) {
        guard let watcher = graph.watchers[subscription], !watcher.isEnded else { return }
        graph.expired(watcher, in: self)
        endGraphStep()
    }
}
