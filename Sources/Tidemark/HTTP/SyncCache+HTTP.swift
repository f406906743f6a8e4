import TidemarkModel
import TidemarkStore

/// The position of a library's log when an HTTP request was made whose answer brings entities.
package struct HTTPStart: Sendable {
    let attempt: UInt64
    let key: QueryKey
    let start: FetchStart
    /// The cursor at that moment.
    package let cursor: EventSequence?
}

extension SyncCache {
    /// Notes that a request is under way whose answer will bring entities: the answer is compared with what events
    /// write meanwhile. Each beginning is followed by one ``endHTTP(_:)``.
    package func beginHTTP(_ key: QueryKey) -> HTTPStart {
        let attempt = fetches.newAttempt()
        return HTTPStart(
            attempt: attempt, key: key, start: beginFetch(attempt, key), cursor: status(of: key.library).cursor)
    }

    package func endHTTP(_ start: HTTPStart) { endFetch(start.attempt, start.key) }

    /// Stores the entities of an HTTP answer and the answer itself in one transaction, and returns after the commit.
    ///
    /// - Throws: ``CacheError``; then nothing was stored.
    package func store(
        _ result: QueryResult, begun: HTTPStart, with changes: [HTTPChange]
    ) async throws(CacheError) {
        let answer = try DecodedAnswer(result, for: begun.key, limits: configuration.limits)
        try await store(answer, start: begun.start, fetch: begun.attempt, http: changes)
        try await writeAllNow()
    }

    /// Deletes the entity that a URL stood for, and writes the changes of stored answers in the same transaction. An
    /// entity with a newer value stays; an older event does not bring a deleted one back.
    ///
    /// - Parameter asOf: The position that the answer named; nil: the cursor when the request was made.
    /// - Throws: ``CacheError``; then nothing was changed.
    package func delete(
        _ key: EntityKey, asOf: EventSequence?, begun: HTTPStart, with changes: [HTTPChange]
    ) async throws(CacheError) {
        await waitForRoom()
        _ = try await delete(key, asOf: asOf, start: begun.start, fetch: begun.attempt) { flushes.add(changes) }
        try await writeAllNow()
    }

    /// Deletes an entity in memory.
    ///
    /// - Parameter also: Runs in the same turn, so that one flush writes both.
    /// - Returns: Whether it was deleted.
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
            throw CacheError(.storageFailed, error.description)
        }
    }

    func writeAllNow() async throws(CacheError) {
        do throws(StorageError) {
            try await writeAll()
        } catch {
            throw CacheError(.storageFailed, error.description)
        }
    }

    /// The journal, for what is stored beside the entities.
    package nonisolated var httpJournal: any HTTPJournal { (journal as? any HTTPJournal) ?? NoHTTPAnswers() }

    /// The clock of the cache, in milliseconds since 1970.
    package nonisolated var httpClock: any CacheClock { clock }

    /// The times of which nobody knows how long ago they were.
    package nonisolated var httpDoubts: DoubtfulTimes { (clock as? ForwardClock)?.doubts ?? .none }

    /// The limits of the cache.
    package nonisolated var httpLimits: Limits { configuration.limits }
}

extension SyncCache {
    /// Renews the entities and the list of an answer that the server has confirmed, and writes the changes of stored
    /// answers with them.
    ///
    /// - Parameters:
    ///   - asOf: The position that the answer stood for when it was stored.
    ///   - begun: The request that the server confirmed it to.
    /// - Returns: The number of entities that were renewed.
    /// - Throws: ``CacheError``; then nothing was changed.
    package func renew(
        _ result: QueryResult, _ key: QueryKey, asOf: EventSequence?, begun: HTTPStart?, with changes: [HTTPChange]
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
    /// - Parameter also: Runs in the same turn, so that one flush writes both.
    func renew(
        _ result: QueryResult, _ key: QueryKey, asOf: EventSequence?, start: FetchStart?, fetch: UInt64?,
        also: () -> Void = {}
    ) async throws(CacheError) -> Int {
        let answer = try DecodedAnswer(result, for: key, limits: configuration.limits)
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
            throw CacheError(.storageFailed, error.description)
        }
    }
}
