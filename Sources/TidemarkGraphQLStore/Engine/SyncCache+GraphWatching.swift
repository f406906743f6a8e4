import Tidemark
import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Loads the entities that a watcher needs, and runs it.
    func loadGraph(_ subscription: SubscriptionID) async {
        guard let watcher = graph.watchers[subscription] else { return }
        let plan = watcher.plan
        let library = watcher.library
        let completeness = watcher.completeness
        // Pass the keys on, because an entity that is in no tier would otherwise be loaded again and again.
        var loaded: Set<StoredKey> = []
        do throws(StorageError) {
            try await withGraph({ asked in
                loaded = asked
                return readEntities(
                    plan, library: library, asked: asked,
                    freshness: GraphFreshness(now: now, allowsStale: true, ignoresAges: true),
                    completeness: completeness
                ).unloaded
            }) {
                watcher.isLoading = false
                graph.run(watcher, asked: loaded, in: self)
                endGraphStep()
            }
        } catch {
            // The observer has not been notified of the change. The next change of anything tries again.
            watcher.isLoading = false
            graph.wake(watcher)
        }
    }
}
