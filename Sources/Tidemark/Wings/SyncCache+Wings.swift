import TidemarkModel
import TidemarkStore

/// Attaching wings, and the observers that they keep.
extension SyncCache {
    // MARK: Attaching

    /// Attaches a wing, which is made on the cache's actor and never leaves it.
    ///
    /// - Returns: False if the cache has a wing of this type already; nothing was attached then.
    @discardableResult
    package func attach<Wing: CacheWing>(_ make: @Sendable () -> Wing) -> Bool { wings.add(make()) }

    /// Returns true if a wing of a type was attached.
    package func hasWing<Wing: CacheWing>(_ type: Wing.Type) -> Bool { wings.wing(type) != nil }

    /// Lends a wing to code that runs on the cache's actor.
    ///
    /// ```text
    /// await cache.withWing(GraphQLEngine.self) { engine, cache in await engine.read(request, in: cache) { … } }
    /// ```
    ///
    /// - Parameter body: Called once. Each stretch between two of its `await`s is one step of the cache.
    /// - Precondition: A wing of this type was attached.
    package func withWing<Wing: CacheWing, Result: Sendable, Failure: Error>(
        _ type: Wing.Type, _ body: @Sendable (Wing, isolated SyncCache) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard let wing = wings.wing(type) else {
            preconditionFailure("the cache has no \(type): attach one before it is used")
        }
        return try await body(wing, self)
    }

    // MARK: Steps

    /// The cache's time, in milliseconds since 1970.
    package var now: Int64 { clock.now() }

    /// The error of a closed cache; nil while it is open.
    package var closedRefusal: CacheError? { isClosed ? SyncCache.closedRefusal : nil }

    /// Begins to write the records of wings now, or after the flush under way.
    package func writeRecordsSoon() { startFlush() }

    /// Waits by the cache's clock.
    ///
    /// - Throws: `CancellationError`.
    package nonisolated func pause(milliseconds: Int64) async throws(CancellationError) {
        try await clock.sleep(milliseconds: milliseconds)
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
    package func watch(_ root: RootName, in library: ByteString) -> [QueryID] {
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
    package func endStep() { state.clearLog() }
}
