import TidemarkModel
import TidemarkStore

/// What a graph host needs from the cache. Each call is one step of the actor.
extension SyncCache {
    /// Installs the graph host. Called once, before the first input.
    package func attach(_ make: @Sendable () -> any GraphHost) {
        precondition(graphHost == nil, "a cache has one graph host")
        graphHost = make()
    }

    /// Installs a graph host, unless there is one.
    ///
    /// - Returns: True if it was installed.
    package func attachFirst(_ make: @Sendable () -> any GraphHost) -> Bool {
        guard graphHost == nil else { return false }
        graphHost = make()
        return true
    }

    /// The cache's time, in milliseconds since 1970.
    package var now: Int64 { clock.now() }

    /// The configuration of the cache.
    package var graphConfiguration: CacheConfiguration { configuration }

    /// The error of a closed cache; nil while it is open.
    package var closedRefusal: CacheError? { isClosed ? SyncCache.closedRefusal : nil }

    // MARK: Reading

    /// Looks up an entity in memory for a read of a document.
    ///
    /// - Parameter asked: The entities that were already requested from the journal.
    package func graphLook(_ key: EntityKey, asked: Set<StoredKey>) -> GraphLook {
        state.graphLook(key, asked: asked)
    }

    /// Returns since when a root field is stale, in milliseconds since 1970; nil when it is fresh.
    package func graphStaleSince(_ root: GraphRootName, in library: ByteString) -> Int64? {
        state.staleSince(root: root, in: library, at: clock.now())
    }

    /// Returns the list of a root field; nil when it has none.
    package func graphList(_ root: GraphRootName, in library: ByteString) -> [EntityKey]? {
        state.rootList(of: root, in: library)
    }

    /// Repeats a read until every entity that it needs is in memory, and then uses its result in the same step.
    ///
    /// - Parameters:
    ///   - attempt: Reads, and returns the entities that must be loaded first. Its argument is the set of entities that
    ///     were already requested.
    ///   - body: Called once, in the same step as the last attempt.
    /// - Throws: ``StorageError`` when entities cannot be loaded.
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
                    // The journal did not have some entity, so no tier has it: the read continues without it.
                    if !isDone { isDone = attempt(requested).isEmpty }
                    return isDone ? body() : nil
                })
            if let result { return result }
            asked = requested
        }
    }

    /// Lends the state to a read that looks up many entities in one step.
    ///
    /// - Parameter body: Reaches the state only through the pointer, and does not keep it.
    package func withGraphState<Result>(_ body: (UnsafeMutablePointer<CacheState>) -> Result) -> Result {
        withUnsafeMutablePointer(to: &state, body)
    }

    /// Counts a read of entities as a use for the LRU order, and in the statistics.
    ///
    /// - Parameters:
    ///   - keys: The entities that were read.
    ///   - slots: The slots of entities that were lent in this step.
    ///   - miss: Why the read returned nothing; nil when it returned something.
    package func noteGraphRead(_ keys: [EntityKey], slots: [SlotIndex] = [], miss: EntityRead.Miss?) {
        state.touch(keys)
        state.touch(slots: slots)
        countRead(miss: miss)
    }

    /// Returns true if layers change any of the entities.
    package func isLayered(anyOf handles: Dictionary<ListHandle, some Any>.Keys) -> Bool {
        state.isLayered(anyOf: handles)
    }

    // MARK: Writing

    /// Stores the entities of a response to a document.
    ///
    /// - Parameter isRefetch: Whether only watchers requested it.
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
            // The layer of a mutation settles even though nothing is stored.
            if refusal == .cleared { scheduleFlush() }
            throw refusal.cacheError
        }
        scheduleFlush()
        await waitForWriting()
    }

    /// Waits for the lock for transactions over documents; ``endGraphTransaction()`` passes it on.
    package func beginGraphTransaction() async {
        if turns.transactions.takeAtOnce() { return }
        await withCheckedContinuation { turns.transactions.wait($0) }
    }

    /// Releases the lock that ``beginGraphTransaction()`` took.
    package func endGraphTransaction() { turns.transactions.release() }

    /// Records that a request for a document is under way.
    ///
    /// - Returns: The state at this moment, and the number of the fetch.
    package func beginGraphFetch(in library: ByteString) -> (start: FetchStart, number: UInt64) {
        let number = fetches.newAttempt()
        let start = recorded(.fetch(number, library: library), of: library, at: clock.now()) {
            state.beginFetch(in: library)
        }
        return (start, number)
    }

    /// Records the end of a fetch that ``beginGraphFetch(in:)`` began.
    package func endGraphFetch(_ number: UInt64, in library: ByteString) {
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

    // MARK: Watching

    /// Begins to log the changes of an entity, stored or not.
    ///
    /// - Returns: The entity's number; nil when there are too many libraries or types.
    package func watch(_ key: EntityKey) -> ListHandle? { state.observe(key) }

    /// Ends the logging of changes of an entity.
    package func stopWatching(_ handle: ListHandle) { state.stopObserving(entity: handle) }

    /// Begins to log the changes of the queries whose lists are values of a root field.
    ///
    /// - Returns: The queries.
    package func watch(_ root: GraphRootName, in library: ByteString) -> [QueryID] {
        let found = state.rootQueries(of: root, in: library)
        for query in found { state.observe(query, at: clock.now()) }
        return found
    }

    /// Ends the logging of changes of a query.
    package func stopWatching(query: QueryID) { state.stopObserving(query) }

    /// Returns a number for a new watcher.
    package func newSubscription() -> SubscriptionID { observers.takeSubscription() }

    /// The error for one more watcher; nil while there is room.
    package var watcherRefusal: CacheError? { isClosed ? SyncCache.closedRefusal : observerRefusal }

    /// Counts a notification that a watcher's sink took.
    package func countNotification() { observers.countNotification() }

    /// Ends a step: the changes that it logged were distributed, and are dropped.
    package func endGraphStep() { state.clearLog() }

    /// Starts a task of the cache's own, on its executor.
    @discardableResult
    package nonisolated func spawnGraph(
        @_inheritActorContext _ body: sending @escaping @isolated(any) () async -> Void
    ) -> Task<Void, Never> {
        spawn(body)
    }

    /// The clock of the cache.
    package var graphClock: any CacheClock { clock }
}
