import TidemarkModel
import TidemarkStore

/// The cache as a keeper of documents uses it. Every call is one step of the actor.
extension SyncCache {
    /// Installs the keeper of watched documents; once, before the first input.
    package func attach(_ make: @Sendable () -> any GraphHost) {
        precondition(graphHost == nil, "a cache has one graph host")
        graphHost = make()
    }

    /// Installs the keeper of watched documents, unless there is one.
    ///
    /// - Returns: Whether it was installed.
    package func attachFirst(_ make: @Sendable () -> any GraphHost) -> Bool {
        guard graphHost == nil else { return false }
        graphHost = make()
        return true
    }

    package var now: Int64 { clock.now() }

    package var graphConfiguration: CacheConfiguration { configuration }

    package var closedRefusal: CacheError? { isClosed ? SyncCache.closedRefusal : nil }

    // MARK: Reading

    package func graphLook(_ key: EntityKey, asked: Set<StoredKey>) -> GraphLook {
        state.graphLook(key, asked: asked)
    }

    package func graphStaleSince(_ root: GraphRootName, in library: ByteString) -> Int64? {
        state.staleSince(root: root, in: library, at: clock.now())
    }

    package func graphList(_ root: GraphRootName, in library: ByteString) -> [EntityKey]? {
        state.rootList(of: root, in: library)
    }

    /// Runs a read until every entity that it needs is in memory, and then uses its result in the same step.
    ///
    /// - Parameters:
    ///   - attempt: Reads, and returns the entities that have to be loaded first; it gets those that were asked for.
    ///   - body: Called once, in the same step as the last attempt.
    /// - Throws: ``StorageError``.
    package func withGraph<Result>(
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
                    // An entity that the journal did not have is in no tier: the read continues without it.
                    if !isDone { isDone = attempt(requested).isEmpty }
                    return isDone ? body() : nil
                })
            if let result { return result }
            asked = requested
        }
    }

    /// Lends the state to a read that looks up many entities in one step.
    ///
    /// - Parameter body: Must reach the state by the pointer alone, and not keep it.
    package func withGraphState<Result>(_ body: (UnsafeMutablePointer<CacheState>) -> Result) -> Result {
        withUnsafeMutablePointer(to: &state, body)
    }

    /// Counts a read of entities for the order of evictions, and for the statistics.
    ///
    /// - Parameter slots: The slots of entities that were lent in this step.
    package func noteGraphRead(_ keys: [EntityKey], slots: [SlotIndex] = [], miss: EntityRead.Miss?) {
        state.touch(keys)
        state.touch(slots: slots)
        countRead(miss: miss)
    }

    package func isLayered(anyOf handles: Dictionary<ListHandle, some Any>.Keys) -> Bool {
        state.isLayered(anyOf: handles)
    }

    // MARK: Writing

    /// Stores an answer.
    ///
    /// - Parameter isRefetch: Whether watchers had it fetched.
    /// - Throws: ``CacheError``; then nothing was stored.
    package func store(_ answer: GraphAnswer, isRefetch: Bool) async throws(CacheError) {
        try checkOpen()
        await waitForRoom()
        let result: Result<Void, AnswerRefusal>
        do throws(StorageError) {
            result = try await withChange({ state.keysToLoad(for: answer) }) {
                do throws(AnswerRefusal) {
                    graphHost?.isRefetching = isRefetch
                    defer {
                        distribute()
                        graphHost?.isRefetching = false
                    }
                    let now = clock.now()
                    return .success(
                        try recorded(.document(answer), of: answer.library, at: now) { () throws(AnswerRefusal) in
                            try state.store(answer, at: now)
                        })
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw CacheError(.storageFailed, error.description)
        }
        if case .failure(let refusal) = result {
            // The layer of a mutation is settled all the same.
            if refusal == .cleared { scheduleFlush() }
            throw refusal.cacheError
        }
        scheduleFlush()
        await waitForWriting()
    }

    /// Waits for the turn of a transaction over documents. ``endGraphTransaction()`` gives it to the next one.
    package func beginGraphTransaction() async {
        if turns.transactions.takeAtOnce() { return }
        await withCheckedContinuation { turns.transactions.wait($0) }
    }

    package func endGraphTransaction() { turns.transactions.release() }

    /// Notes that an answer is on its way.
    ///
    /// - Returns: The state now, and the number of the fetch.
    package func beginGraphFetch(in library: ByteString) -> (start: FetchStart, number: UInt64) {
        let number = fetches.newAttempt()
        let start = recorded(.fetch(number, library: library), of: library, at: clock.now()) {
            state.beginFetch(in: library)
        }
        return (start, number)
    }

    package func endGraphFetch(_ number: UInt64, in library: ByteString) {
        recorded(.fetchEnd(number), of: library, at: clock.now()) { state.endFetch() }
    }

    /// Tells whether a reader of a document may wait for the answer to an older question.
    package func mayJoin(documentIn library: ByteString, since start: FetchStart) -> Bool {
        state.mayJoin(documentIn: library, since: start)
    }

    package func isPendingLayer(_ pendingID: ByteString) -> Bool {
        state.layerStatuses(library: nil).contains { $0.pendingID == pendingID }
    }

    // MARK: Watching

    /// Begins to log the changes of an entity, stored or not.
    ///
    /// - Returns: Its number; nil when there are too many libraries or types.
    package func watch(_ key: EntityKey) -> ListHandle? { state.observe(key) }

    package func stopWatching(_ handle: ListHandle) { state.stopObserving(entity: handle) }

    /// Begins to log the changes of the queries that stand for a root field.
    package func watch(_ root: GraphRootName, in library: ByteString) -> [QueryID] {
        let found = state.rootQueries(of: root, in: library)
        for query in found { state.observe(query, at: clock.now()) }
        return found
    }

    package func stopWatching(query: QueryID) { state.stopObserving(query) }

    package func newSubscription() -> SubscriptionID { observers.takeSubscription() }

    /// The refusal of one more watcher; nil while there is room.
    package var watcherRefusal: CacheError? { isClosed ? SyncCache.closedRefusal : observerRefusal }

    package func countNotification() { observers.notificationCount += 1 }

    /// Ends the step: observers are notified of the changes that were logged meanwhile.
    package func endGraphStep() { state.clearLog() }

    /// Runs a task of the cache's own.
    @discardableResult
    package nonisolated func spawnGraph(
        @_inheritActorContext _ body: sending @escaping @isolated(any) () async -> Void
    ) -> Task<Void, Never> {
        spawn(body)
    }

    package var graphClock: any CacheClock { clock }
}
