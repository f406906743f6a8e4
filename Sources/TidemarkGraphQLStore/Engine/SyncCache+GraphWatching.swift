import Tidemark
import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Loads what a watcher needs, and runs it.
    func loadGraph(_ subscription: SubscriptionID) async {
        guard let watcher = graph.watchers[subscription] else { return }
        let plan = watcher.plan
        let library = watcher.library
        let completeness = watcher.completeness
        // An entity that no tier has stays to be loaded for a run that does not know it was asked for.
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
            // The observer was not notified of a change yet: the next change of anything has it tried again.
            watcher.isLoading = false
            graph.wake(watcher)
        }
    }
}
