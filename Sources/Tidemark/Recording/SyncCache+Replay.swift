import Logging
import TidemarkModel
import TidemarkStore

/// Replays a recording step by step, in the order in which the steps took effect.
///
/// The cache's clock must return the time of each step. Its timers never fire, and no upstream is asked: the effects of
/// both are steps of the recording.
///
/// - Source: Protocol/recordings.md, replaying.
extension SyncCache {
    /// Replays one step and records its outcome.
    ///
    /// - Throws: ``StorageError`` when entities cannot be read or written.
    package func replay(_ step: RecordedStep) async throws(StorageError) {
        await takeTurn()
        defer { turns.changes.release() }
        switch step {
        case .lines(let batch, let events):
            try await withLoaded(for: [batch], { state.keysToLoad(for: batch) }) { applyRecorded(batch, events) }
        case .gaps, .answer, .failure, .resumption, .postponement, .healing:
            try await replayGaps(step)
        case .removal(let keys):
            try await withLoaded({ keys.compactMap { state.keyToLoad($0) } }) {
                let stored = state.storedKeys(of: keys)
                let now = clock.now()
                recorded(step, at: now) {
                    _ = state.remove(stored, rows: [], at: now)
                    distribute()
                }
            }
        case .clearing(let library):
            let now = clock.now()
            recorded(step, at: now) {
                state.clear(library: library, at: now)
                distribute()
            }
        case .fetch(let number, let library):
            let start = recorded(step, of: library, at: clock.now()) { state.beginFetch(in: library) }
            fetches.beginReplayed(number, start)
        case .fetchEnd(let number):
            guard fetches.endReplayed(number) else { return }
            recorded(step, at: clock.now()) { state.endFetch() }
        case .attempt(let pendingID, let members):
            let now = clock.now()
            recorded(step, at: now) { state.beginAttempt(pendingID, with: members, at: now) }
        case .attemptFailure(let pendingID):
            recorded(step, at: clock.now()) { state.failAttempt(pendingID) }
        case .requestFailure(let pendingID, let failure):
            recorded(step, at: clock.now()) { state.failRequest(pendingID, failure) }
        case .quarantineRetry(let record): try await replayRetry(record)
        case .leaving(let evicted, let reduced, let queries):
            try await withLoaded({ (evicted + reduced).compactMap { state.keyToLoad($0) } }) {
                var gone = EvictionLog()
                gone.evicted = state.storedKeys(of: evicted)
                gone.reduced = state.storedKeys(of: reduced)
                gone.queries = queries
                let now = clock.now()
                state.repeatEvictions(gone, at: now)
                distribute()
                recordLeavings(at: now)
            }
        case .transaction, .result, .renewal, .deletion, .document, .invalidation, .update, .commit, .rollBack,
            .retry:
            await replayRequest(step)
        }
        scheduleFlush()
        await waitForWriting()
    }

    private func replayGaps(_ step: RecordedStep) async throws(StorageError) {
        let now = clock.now()
        switch step {
        case .gaps(let patience):
            _ = try await withLoaded(for: [], { state.keysToLoadForHeld() }) {
                recorded(step, at: now) {
                    defer { distribute() }
                    return state.expireGaps(at: now, patience: patience)
                }
            }
        case .answer(let name, let attempt, let random, let events, let coveredThrough):
            guard let library = state.libraryIndex(of: name) else { return }
            _ = try await withLoaded(for: events, { state.keysToLoad(for: events) }) {
                recorded(step, at: now) {
                    defer { distribute() }
                    return state.applyAnswer(
                        events, coveredThrough: coveredThrough, to: library, attempt: attempt, random: random, at: now)
                }
            }
        case .failure(let name, let attempt, let random, let isFinal, _):
            guard let library = state.libraryIndex(of: name) else { return }
            _ = try await withLoaded(for: [], { state.keysToLoadForHeld() }) {
                recorded(step, at: now) {
                    defer { distribute() }
                    return state.failReconcile(
                        of: library, attempt: attempt, isFinal: isFinal, random: random, at: now)
                }
            }
        case .resumption(let name, let attempt):
            guard let library = state.libraryIndex(of: name) else { return }
            _ = recorded(step, at: now) {
                defer { distribute() }
                return state.resumeReconcile(of: library, attempt: attempt, at: now)
            }
        case .postponement(let name, let attempt):
            guard let library = state.libraryIndex(of: name) else { return }
            _ = recorded(step, at: now) { state.postponeReconcile(of: library, attempt: attempt) }
        case .healing(let name):
            guard let library = state.libraryIndex(of: name) else { return }
            _ = recorded(step, of: name, at: now) { state.beginHealing(library, at: now) }
        default: preconditionFailure("\(step) has nothing to do with gaps")
        }
    }

    /// Replays a host's request. A refusal is an outcome of the recorded step too, and therefore not an error here.
    private func replayRequest(_ step: RecordedStep) async {
        do throws(CacheError) {
            switch step {
            case .transaction(let operations, let library, let expecting):
                try await transact(operations, library: library, expecting: expecting)
            case .result(let result, let key, let fetch):
                let answer = try DecodedResponse(result, for: key, limits: configuration.limits)
                try await store(answer, start: fetch.flatMap { fetches.replayedStart($0) }, fetch: fetch)
            case .renewal(let result, let key, let asOf, let fetch):
                _ = try await renew(
                    result, key, asOf: asOf, start: fetch.flatMap { fetches.replayedStart($0) }, fetch: fetch)
            case .deletion(let key, let asOf, let fetch):
                _ = try await delete(key, asOf: asOf, start: fetch.flatMap { fetches.replayedStart($0) }, fetch: fetch)
            case .document(var answer):
                answer.start = answer.fetch.flatMap { fetches.replayedStart($0) }
                try await store(answer)
            case .invalidation(let invalidation): _ = try invalidate(invalidation)
            case .update(let update): try await begin(update)
            case .commit(let commit): try await begin(commit)
            case .rollBack(let pendingID, let library): try beginRollBack(pendingID, library: library)
            case .retry(let pendingID, let library): try beginRetry(pendingID, library: library)
            default: preconditionFailure("\(step) is no request")
            }
        } catch {
            configuration.logger.debug("a step was refused: \(error.message)")
        }
    }

    /// True if a flush would leave nothing unwritten.
    package var isQuiet: Bool { state.isQuiet }

    /// The number of requests to each library's upstream so far.
    package var reconcileAttempts: [ByteString: UInt64] { state.reconcileAttempts }

    /// Continues the count of requests from where a recording was cut.
    package func resume(fromAttempts attempts: [ByteString: UInt64]) {
        state.resume(fromAttempts: attempts)
    }

    /// Returns true if a stored query's list contains an entity; nil when there is no such query.
    package func holds(_ key: EntityKey, in query: QueryKey) -> Bool? { state.holds(key, in: query) }
}
