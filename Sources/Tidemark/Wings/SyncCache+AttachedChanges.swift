import TidemarkModel
import TidemarkStore

/// The state of a library when a request began whose response has entities.
package struct FetchMark: Sendable {
    let attempt: UInt64
    let key: QueryKey
    let start: FetchStart
    /// The cursor at that moment.
    package let cursor: EventSequence?
}

extension SyncCache {
    /// Records the beginning of a request whose response has entities, so that the response can be compared with what
    /// events write meanwhile. Each call must be followed by one of ``endFetch(_:)``.
    package func beginFetch(_ key: QueryKey) -> FetchMark {
        let attempt = fetches.newAttempt()
        return FetchMark(
            attempt: attempt, key: key, start: beginFetch(attempt, key), cursor: status(of: key.library).cursor)
    }

    /// Records the end of a request that ``beginFetch(_:)`` began.
    package func endFetch(_ begun: FetchMark) { endFetch(begun.attempt, begun.key) }

    /// Stores the entities of a response and changes of the data beside them, such as the response itself, in one
    /// transaction. Returns after the commit.
    ///
    /// - Throws: ``CacheError``. Nothing was stored, unless the journal failed: then the entities are in memory, and
    ///   everything is written as soon as the disk works.
    package func store(
        _ result: QueryResult, begun: FetchMark, with changes: [any AttachedChange]
    ) async throws(CacheError) {
        let answer = try DecodedResponse(result, for: begun.key, limits: configuration.limits)
        try await store(answer, start: begun.start, fetch: begun.attempt, attached: changes)
        try await writeAllNow()
    }

    /// Deletes an entity that a response says is gone, and writes changes of the data beside it in the same
    /// transaction. An entity with a newer value stays, and an older event does not restore a deleted one.
    ///
    /// - Parameter asOf: The position that the response named; nil for the cursor when the request was made.
    /// - Throws: ``CacheError``. Nothing was changed, unless the journal failed: then the change is in memory, and is
    ///   written as soon as the disk works.
    package func delete(
        _ key: EntityKey, asOf: EventSequence?, begun: FetchMark, with changes: [any AttachedChange]
    ) async throws(CacheError) {
        await waitForRoom()
        _ = try await delete(key, asOf: asOf, start: begun.start, fetch: begun.attempt) { flushes.add(changes) }
        try await writeAllNow()
    }

    /// Deletes an entity in memory.
    ///
    /// - Parameter also: Called in the same step, so that one flush writes both.
    /// - Returns: True if the entity was deleted.
    func delete(
        _ key: EntityKey, asOf: EventSequence?, start: FetchStart?, fetch: UInt64?, also: () -> Void = {}
    ) async throws(CacheError) -> Bool {
        defer { scheduleFlush() }
        do throws(StorageError) {
            return try await withChange({ state.keysToLoad(forDeleteOf: key) }) {
                let now = clock.now()
                return recorded(.deletion(key, asOf: asOf, fetch: fetch), of: key.library, at: now) {
                    defer { distribute() }
                    also()
                    return state.delete(key, asOf: asOf, start: start, at: now)
                }
            }
        } catch {
            throw CacheError(error)
        }
    }

    func writeAllNow() async throws(CacheError) {
        do throws(StorageError) {
            try await writeAll()
        } catch {
            throw CacheError(error)
        }
    }

    /// The write times whose age is unknown, because the clock was set back.
    package nonisolated var doubtfulTimes: DoubtfulTimes { (clock as? ForwardClock)?.doubts ?? .none }
}

extension SyncCache {
    /// Renews the entities and the list of a response that the server has confirmed, and writes changes of the data
    /// beside them in the same transaction.
    ///
    /// - Parameters:
    ///   - asOf: The position that was valid for the response when it was stored.
    ///   - begun: The request that the server answered with the confirmation.
    /// - Returns: The number of entities that were renewed.
    /// - Throws: ``CacheError``. Nothing was changed, unless the journal failed: then the change is in memory, and is
    ///   written as soon as the disk works.
    package func renew(
        _ result: QueryResult, _ key: QueryKey, asOf: EventSequence?, begun: FetchMark?,
        with changes: [any AttachedChange]
    ) async throws(CacheError) -> Int {
        await waitForRoom()
        let count = try await renew(result, key, asOf: asOf, start: begun?.start, fetch: begun?.attempt) {
            flushes.add(changes)
        }
        try await writeAllNow()
        return count
    }

    /// Renews entities and a list in memory.
    ///
    /// - Parameter also: Called in the same step, so that one flush writes both.
    /// - Returns: The number of entities that were renewed.
    func renew(
        _ result: QueryResult, _ key: QueryKey, asOf: EventSequence?, start: FetchStart?, fetch: UInt64?,
        also: () -> Void = {}
    ) async throws(CacheError) -> Int {
        let answer = try DecodedResponse(result, for: key, limits: configuration.limits)
        defer { scheduleFlush() }
        do throws(StorageError) {
            return try await withChange({ state.keysToLoad(for: answer.batch, answer.head) }) {
                let now = clock.now()
                return recorded(.renewal(result, key, asOf: asOf, fetch: fetch), of: key.library, at: now) {
                    defer { distribute() }
                    also()
                    return state.renew(answer.batch, of: key, asOf: asOf, start: start, at: now)
                }
            }
        } catch {
            throw CacheError(error)
        }
    }
}

extension SyncCache {
    /// Reads the records of a kind, as of the last commit; none if the journal keeps no records.
    ///
    /// - Throws: ``CacheError`` `storageFailed`.
    package func records(of kind: ByteString) async throws(CacheError) -> [ByteString: [UInt8]] {
        do throws(StorageError) {
            return try await (journal as? any RecordStorage)?.records(of: kind) ?? [:]
        } catch {
            throw CacheError(error)
        }
    }

    /// Changes records, with everything else that is unwritten, in one transaction. Returns after the commit.
    ///
    /// - Throws: ``CacheError`` `storageFailed`; the changes are then written as soon as the disk works.
    package func write(_ changes: [RecordChange]) async throws(CacheError) {
        flushes.add(changes)
        try await writeAllNow()
    }
}
