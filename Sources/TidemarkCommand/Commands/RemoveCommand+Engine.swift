import Tidemark
import TidemarkModel
import TidemarkSQLite

extension RemoveCommand {
    struct Outcome {
        /// How many entities of each library were removed, or would be removed in a dry run.
        var counts: [ByteString: Int] = [:]
        /// The keys that a dry run would remove, in key order, each once; empty otherwise.
        var keys: [EntityKey] = []

        var count: Int { counts.values.reduce(0, +) }
    }

    /// Removes the entities, or finds them in a dry run; the only function of this command that uses the engine.
    func remove(_ policy: CachePolicy) async throws -> Outcome {
        // Open a reader first: a removal must not create a missing database.
        _ = try SQLiteReader(path: database.path, encryption: try database.key.encryption())
        var configuration = CacheConfiguration()
        configuration.policy = policy
        let journal = try await database.openJournal()
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

    /// Returns the library that the user named, or all libraries of the database.
    private func libraries(of cache: SyncCache) async -> [ByteString] {
        if let library = scope.library { return [library] }
        return await cache.libraries().map(\.library).sorted()
    }
}
