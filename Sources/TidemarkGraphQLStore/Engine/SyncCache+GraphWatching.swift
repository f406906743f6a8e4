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
        do throws(StorageError) {
            try await withGraph({ asked in
                let source = CacheSource(cache: self, library: library, asked: asked)
                let outcome = DocumentReader.read(
                    plan, from: source,
                    freshness: GraphFreshness(now: now, allowsStale: true, ignoresAges: true),
                    completeness: completeness)
                guard case .unloaded(let keys) = outcome else { return [] }
                return source.storedKeys(keys)
            }) {
                watcher.isLoading = false
                graph.run(watcher, in: self)
                endGraphStep()
            }
        } catch {
            watcher.isLoading = false
        }
    }
}
