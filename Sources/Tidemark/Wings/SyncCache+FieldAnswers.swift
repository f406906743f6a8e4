import TidemarkModel
import TidemarkStore

/// Fetching and storing responses that have single fields of many entities.
extension SyncCache {
    /// Stores the entities of a response to a document.
    ///
    /// - Parameter isStoring: Called with true before the response is stored, and with false after its changes were
    ///   distributed, both in the step that stores it. So a wing can tell its own changes from others.
    /// - Throws: ``CacheError``; then nothing was stored.
    package func store(
        _ answer: FieldResponse, isStoring: (Bool) -> Void = { _ in }
    ) async throws(CacheError) {
        try checkChangeable()
        await waitForRoom()
        let result: Result<Void, FieldResponseError>
        do throws(StorageError) {
            result = try await withChange({ state.keysToLoad(for: answer) }) {
                do throws(FieldResponseError) {
                    isStoring(true)
                    defer {
                        distribute()
                        isStoring(false)
                    }
                    let now = clock.now()
                    return .success(
                        try recorded(.document(answer), of: answer.library, at: now) { () throws(FieldResponseError) in
                            try state.store(answer, at: now)
                        })
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw CacheError(error)
        }
        if case .failure(let refusal) = result {
            // The layer of a mutation settles even though nothing is stored.
            if refusal == .cleared { scheduleFlush() }
            throw refusal.cacheError
        }
        scheduleFlush()
        await waitForWriting()
    }

    /// Waits for the lock for transactions over documents; ``endTransactionTurn()`` passes it on.
    package func beginTransactionTurn() async {
        if turns.transactions.takeAtOnce() { return }
        await withCheckedContinuation { turns.transactions.wait($0) }
    }

    /// Releases the lock that ``beginTransactionTurn()`` took.
    package func endTransactionTurn() { turns.transactions.release() }

    /// Records that a request for a document is under way.
    ///
    /// - Returns: The state at this moment, and the number of the fetch.
    package func beginFieldFetch(in library: ByteString) -> (start: FetchStart, number: UInt64) {
        let number = fetches.newAttempt()
        let start = recorded(.fetch(number, library: library), of: library, at: clock.now()) {
            state.beginFetch(in: library)
        }
        return (start, number)
    }

    /// Records the end of a fetch that ``beginFieldFetch(in:)`` began.
    package func endFieldFetch(_ number: UInt64, in library: ByteString) {
        recorded(.fetchEnd(number), of: library, at: clock.now()) { state.endFetch() }
    }

    /// Returns true if a reader of a document may share the response to an older request.
    package func mayJoin(documentIn library: ByteString, since start: FetchStart) -> Bool {
        state.mayJoin(documentIn: library, since: start)
    }

    /// Returns true if a layer has this pending id.
    package func isPendingLayer(_ pendingID: ByteString) -> Bool {
        state.layerStatuses(library: nil).contains { $0.pendingID == pendingID }
    }
}
