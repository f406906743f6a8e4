import Tidemark
import TidemarkModel
import TidemarkSQLite

extension PendingRetryCommand {
    /// Allows the edits to be sent again; the only function of this command that uses the engine.
    ///
    /// - Returns: How many of them had failed.
    func retry() async throws -> Int {
        // Open a reader first: a retry must not create a missing database.
        _ = try SQLiteReader(path: database.path, encryption: try database.key.encryption())
        return try await PendingChange.perform(on: database) { cache in
            let failed = await cache.outboxStatuses().filter { $0.state == .failed }.map(\.pendingID)
            let wanted = isForAll ? failed : pendingIDs.map { ByteString($0) }
            for pendingID in wanted { try await cache.retry(pendingID) }
            return Set(wanted).intersection(failed).count
        }
    }
}

extension PendingDiscardCommand {
    /// Rolls the edits back; the only function of this command that uses the engine.
    ///
    /// - Returns: How many edits were rolled back, including those that depended on them.
    func discard() async throws -> Int {
        // Open a reader first: a rollback must not create a missing database.
        _ = try SQLiteReader(path: database.path, encryption: try database.key.encryption())
        return try await PendingChange.perform(on: database) { cache in
            let before = await cache.pendingLayers()
            // Check all ids before the first rollback, so that a misspelt one changes nothing.
            for name in pendingIDs where !before.contains(where: { $0.pendingID == ByteString(name) }) {
                throw CacheError(.unknownPending, "'\(name)' is not pending")
            }
            for name in pendingIDs { try await rollBack(ByteString(name), in: cache) }
            return await before.count - cache.pendingLayers().count
        }
    }

    private func rollBack(_ pendingID: ByteString, in cache: SyncCache) async throws(CacheError) {
        // An earlier rollback may have included this edit.
        guard await cache.pendingLayers().contains(where: { $0.pendingID == pendingID }) else { return }
        try await cache.rollBack(pendingID)
    }
}

/// Changes pending edits from a command.
private enum PendingChange {
    static func perform(
        on database: DatabaseOptions, _ body: (SyncCache) async throws -> Int
    ) async throws -> Int {
        let path = database.path
        let cache = try await SyncCache.open(journal: try await database.openJournal())
        do {
            let count = try await body(cache)
            try await cache.close()
            return count
        } catch let error as CacheError {
            try await cache.close()
            throw Failure(
                error.code == .unknownPending ? .noInput : .usage,
                error.code == .unknownPending ? "not_found" : error.code.rawValue, error.message, place: path,
                outcome: "nothing more was changed", advice: "see tidemark pending --db \(path)")
        }
    }
}
