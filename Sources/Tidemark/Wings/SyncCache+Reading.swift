import TidemarkModel
import TidemarkStore

/// Reads of many entities in one step.
extension SyncCache {
    /// Lends the state to a read of one library. Nothing changes before the read returns.
    ///
    /// - Parameters:
    ///   - library: The library of the lists and lent entities.
    ///   - asked: The entities that were already requested from the journal.
    ///   - body: Cannot keep the view: it ends with this call.
    package func withReading<Result, Failure: Error>(
        of library: ByteString, asked: Set<StoredKey> = [], _ body: (CacheReading) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let now = clock.now()
        return try withUnsafeMutablePointer(to: &state) { (state) throws(Failure) in
            try body(CacheReading(state, library: library, asked: asked, now: now))
        }
    }

    /// Repeats a read until every entity that it needs is in memory, and then uses its result in the same step.
    ///
    /// - Parameters:
    ///   - attempt: Reads, and returns the entities that must be loaded first. Its argument is the set of entities that
    ///     were already requested.
    ///   - body: Called once, in the same step as the last attempt.
    /// - Throws: ``StorageError`` when entities cannot be loaded.
    package func readWhenLoaded<Result>(
        _ attempt: (_ asked: Set<StoredKey>) -> [StoredKey], _ body: () -> Result
    ) async throws(StorageError) -> Result {
        var asked: Set<StoredKey> = []
        while true {
            var requested = asked
            var isDone = false
            let result: Result? = try await withLoaded(
                {
                    let keys = attempt(asked)
                    isDone = keys.isEmpty
                    requested.formUnion(keys)
                    return keys
                },
                {
                    // The journal did not have some entity, so no tier has it: the read continues without it.
                    if !isDone { isDone = attempt(requested).isEmpty }
                    return isDone ? body() : nil
                })
            if let result { return result }
            asked = requested
        }
    }

    /// Counts a read of entities as a use for the LRU order, and in the statistics.
    ///
    /// - Parameters:
    ///   - keys: The entities that were read.
    ///   - slots: The slots of entities that were lent in this step.
    ///   - miss: Why the read returned nothing; nil when it returned something.
    package func noteRead(_ keys: [EntityKey], slots: [SlotIndex] = [], miss: EntityRead.Miss?) {
        state.touch(keys)
        state.touch(slots: slots)
        countRead(miss: miss)
    }

    /// Returns true if layers change any of the entities.
    package func isLayered(anyOf handles: Dictionary<ListHandle, some Any>.Keys) -> Bool {
        state.isLayered(anyOf: handles)
    }
}
