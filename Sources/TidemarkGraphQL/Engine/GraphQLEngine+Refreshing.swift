import Tidemark
import TidemarkModel
import TidemarkStore

/// Watchers with `refresh`: their data is fetched again, or reported as stale, when it becomes too old.
///
/// - Source: Protocol/sessions.md, refreshing.
extension GraphQLEngine {
    /// The longest pause between two checks that change nothing, in milliseconds: 5 minutes.
    private static let pauseMax: Int64 = 300_000
    private static let pauseMin: Int64 = 1_000

    /// Schedules a check of a watcher for the time when the first of its data becomes too old.
    func expect(_ moment: Int64?, _ watcher: DocumentWatcher, in cache: isolated SyncCache) {
        guard watcher.request.refreshes, moment != watcher.expiresAt || watcher.expiry == nil else { return }
        watcher.expiry?.cancel()
        watcher.expiry = nil
        if let moment, let before = watcher.expiresAt, moment > before { watcher.pause = GraphQLEngine.pauseMin }
        watcher.expiresAt = moment
        guard let moment else { return }
        let pause = max(moment.subtractingClamped(cache.now), 0)
        wait(pause == 0 ? watcher.pause : pause, watcher, in: cache)
    }

    private func wait(_ pause: Int64, _ watcher: DocumentWatcher, in cache: isolated SyncCache) {
        let subscription = watcher.subscription
        let clock = cache.clock
        watcher.expiry = cache.spawn {
            do { try await clock.sleep(milliseconds: pause) } catch { return }
            self.expired(subscription, in: cache)
        }
    }

    /// Fetches a watcher's data again, or reports once that it is too old.
    func expired(_ watcher: DocumentWatcher, in cache: isolated SyncCache) {
        watcher.expiry = nil
        watcher.pause = min(watcher.pause * 2, GraphQLEngine.pauseMax)
        if upstream != nil, watcher.request.policy != .cacheOnly {
            if !watcher.isFetching {
                watcher.isFetching = true
                refetch(watcher, in: cache)
            }
        } else {
            tellStale(watcher, in: cache)
        }
        wait(watcher.pause, watcher, in: cache)
    }

    private func expired(_ subscription: SubscriptionID, in cache: isolated SyncCache) {
        guard let watcher = watchers[subscription], !watcher.isEnded else { return }
        expired(watcher, in: cache)
        cache.endStep()
    }
}
