import Tidemark
import TidemarkModel
import TidemarkSQLite

extension RemoveCommand {
    enum Outcome {
        case removed(Int)
        /// In key order, each once.
        case would([EntityKey])
    }

    /// The only place of this command that touches the engine.
    func remove(_ policy: CachePolicy) async throws -> Outcome {
        // Read first: a database that is not there must not come into being by a removal.
        _ = try SQLiteReader(path: database.path)
        var configuration = CacheConfiguration()
        configuration.policy = policy
        let journal = try await SQLiteJournal.open(path: database.path)
        let cache = try await SyncCache.open(configuration: configuration, journal: journal)
        var count = 0
        var keys: Set<EntityKey> = []
        for removal in removals {
            if isDryRun {
                keys.formUnion(try await cache.removable(removal))
            } else {
                count += try await cache.remove(removal)
            }
        }
        try await cache.close()
        return isDryRun ? .would(keys.sorted()) : .removed(count)
    }
}
