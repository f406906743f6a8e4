import Tidemark
import TidemarkModel
import TidemarkStore

extension GraphQLEngine {
    /// Loads the entities that a watcher needs, and runs it.
    func load(_ subscription: SubscriptionID, in cache: isolated SyncCache) async {
        guard let watcher = watchers[subscription] else { return }
        let plan = watcher.plan
        let library = watcher.library
        let completeness = watcher.completeness
        // Pass the keys on, because an entity that is in no tier would otherwise be loaded again and again.
        var loaded: Set<StoredKey> = []
        do throws(StorageError) {
            try await cache.readWhenLoaded({ asked in
                loaded = asked
                return readEntities(
                    plan, library: library, asked: asked,
                    freshness: GraphQLFreshness(now: cache.now, allowsStale: true, ignoresAges: true),
                    completeness: completeness, in: cache
                ).unloaded
            }) {
                watcher.isLoading = false
                run(watcher, asked: loaded, in: cache)
                cache.endStep()
            }
        } catch {
            // The observer has not been notified of the change. The next change of anything tries again.
            watcher.isLoading = false
            wake(watcher)
        }
    }
}
