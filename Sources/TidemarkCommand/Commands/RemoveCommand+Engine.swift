import Tidemark
import TidemarkModel
import TidemarkSQLite

extension RemoveCommand {
    struct Outcome {
        /// What was removed, or would be, of each library that was looked at.
        var counts: [ByteString: Int] = [:]
        /// What would be removed, in key order, each once; empty but for a dry run.
        var keys: [EntityKey] = []

        var count: Int { counts.values.reduce(0, +) }
    }

    /// The only place of this command that touches the engine.
    func remove(_ policy: CachePolicy) async throws -> Outcome {
        // Read first: a database that is not there must not come into being by a removal.
        _ = try SQLiteReader(path: database.path)
        var configuration = CacheConfiguration()
        configuration.policy = policy
        let journal = try await SQLiteJournal.open(path: database.path)
        let cache = try await SyncCache.open(configuration: configuration, journal: journal)
        var outcome = Outcome()
        for library in await libraries(of: cache) {
            var keys: Set<EntityKey> = []
            var count = 0
            for removal in removals(in: library) {
                if isDryRun {
                    keys.formUnion(try await cache.removable(removal))
                } else {
                    count += try await cache.remove(removal)
                }
            }
            outcome.counts[library] = isDryRun ? keys.count : count
            outcome.keys += keys.sorted()
        }
        try await cache.close()
        return outcome
    }

    /// The one that is named, or all that the database knows.
    private func libraries(of cache: SyncCache) async -> [ByteString] {
        if let library = scope.library { return [library] }
        return await cache.libraries().map(\.library).sorted()
    }
}
