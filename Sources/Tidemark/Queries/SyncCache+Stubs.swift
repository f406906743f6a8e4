import TidemarkModel
import TidemarkStore

// What the session calls, as far as events alone answer it. Queries, transactions and observers come with their engine.

extension SyncCache {
    private static func missing(_ what: String) -> CacheError {
        CacheError(.conflict, "\(what) is not there yet")
    }

    /// As `open(configuration:journal:upstream:clock:)`, with an upstream for queries.
    package static func open(
        configuration: CacheConfiguration = CacheConfiguration(), journal: any Journal,
        upstream: (any Upstream)? = nil, queryUpstream: (any QueryUpstream)?, clock: any CacheClock = SystemClock()
    ) async throws(StorageError) -> SyncCache {
        try await open(configuration: configuration, journal: journal, upstream: upstream, clock: clock)
    }

    package func read(_ key: EntityKey, fields: [ByteString]?) async throws(CacheError) -> EntityRead {
        let answer: EntityAnswer
        do throws(StorageError) {
            answer = try await entity(key)
        } catch {
            throw CacheError(.storageFailed, error.message)
        }
        let isStale = state.statuses.contains { $0.library == key.library && $0.phase == .stale }
        switch answer {
        case .found(let resource):
            return EntityRead(
                entity: resource.bytes, isPending: false, sequence: resource.sequence, isStale: isStale, miss: nil)
        case .missing(.absent):
            return EntityRead(entity: nil, isPending: false, sequence: nil, isStale: false, miss: .absent)
        case .missing(.deleted):
            return EntityRead(entity: nil, isPending: false, sequence: nil, isStale: false, miss: .deleted)
        }
    }

    package func list(
        type: ByteString, library: ByteString, after: EntityKey?, countMax: Int
    ) async throws(CacheError) -> EntityPage {
        throw SyncCache.missing("a list of entities")
    }

    package func transact(_ operations: [TransactionOperation], library: ByteString) async throws(CacheError) {
        throw SyncCache.missing("a transaction")
    }

    package func remove(_ removal: Removal) async throws(CacheError) -> Int { throw SyncCache.missing("a removal") }

    package func clear(library: ByteString?) async throws(CacheError) { throw SyncCache.missing("clearing") }

    package func store(_ result: QueryResult, for key: QueryKey) async throws(CacheError) {
        throw SyncCache.missing("a query's result")
    }

    package func invalidate(_ invalidation: Invalidation) throws(CacheError) -> Int {
        throw SyncCache.missing("an invalidation")
    }

    package func explain(_ key: EntityKey) async throws(CacheError) -> EntityExplanation {
        throw SyncCache.missing("an explanation")
    }

    package func statistics() async -> CacheStatistics {
        CacheStatistics(
            entityCount: entityCount(), queryCount: 0, observerCount: 0, pendingCount: 0, memoryByteCount: 0,
            diskByteCount: 0, hitCount: readCounts.hits,
            missCounts: [.absent: readCounts.absent, .deleted: readCounts.deleted], evictionCount: evictedCount,
            notificationCount: 0, libraries: libraries(), storageError: storageError, counts: counts(),
            ignoredKinds: [:])
    }

    package func caughtUp(to sequence: EventSequence, library: ByteString) async -> LibraryStatus {
        while true {
            let status =
                state.statuses.first { $0.library == library }
                ?? LibraryStatus(library: library, epoch: "", cursor: nil, phase: .cold, lost: [])
            if let cursor = status.cursor, cursor >= sequence { return status }
            do { try await clock.sleep(milliseconds: 2) } catch { return status }
        }
    }

    package func read(
        _ request: QueryRequest, observing sink: (any ObserverSink)?,
        reply: @escaping @Sendable (Result<QueryReply, CacheError>) -> Void,
        later: @escaping @Sendable (Result<QueryAnswer, CacheError>) -> Void
    ) async {
        reply(.failure(SyncCache.missing("a query")))
    }

    package func observe(
        _ key: EntityKey, fields: [ByteString]?, sink: any ObserverSink,
        reply: @escaping @Sendable (Result<(EntityRead, SubscriptionID), CacheError>) -> Void
    ) async {
        reply(.failure(SyncCache.missing("an observer")))
    }

    package func observeLibraries(_ sink: any ObserverSink) {}

    package func cancel(_ subscription: SubscriptionID) throws(CacheError) {
        throw CacheError(
            .unknownSubscription, "there is no subscription \(subscription.rawValue): it was cancelled, or never made")
    }

    package func resume(_ sink: any ObserverSink) {}

    package func settle(_ sink: any ObserverSink) {}

    package func detach(_ sink: any ObserverSink) {}

    package func ingest(_ batch: EventBatch, events: Range<Int>) async throws(StorageError) {
        let firstLine = events.lowerBound == 0 ? 0 : Int(batch.events[events.lowerBound].line)
        let endLine =
            events.upperBound == batch.events.count ? batch.lines.count : Int(batch.events[events.upperBound].line)
        let own = batch.events[events].map { event in
            var event = event
            event.line -= UInt32(firstLine)
            return event
        }
        let lineCount = endLine - firstLine
        var wholeByteCounts: [UInt32: Int] = [:]
        for (line, count) in batch.wholeByteCounts where (firstLine..<endLine).contains(Int(line)) {
            wholeByteCounts[line - UInt32(firstLine)] = count
        }
        let part = EventBatch(
            block: batch.block, rewritten: batch.rewritten, lines: Array(batch.lines[firstLine..<endLine]),
            events: own, members: batch.members, input: batch.input, firstLine: batch.firstLine + Int64(firstLine),
            firstOffset: batch.firstOffset, wholeByteCounts: wholeByteCounts, blankCount: lineCount - own.count,
            controlCount: 0, pool: nil)
        await takeTurn()
        defer { turn.giveBack() }
        try await withLoaded({ state.keysToLoad(for: part) }) {
            state.apply(part, at: clock.now())
        }
        inputs[batch.input]?.lines = part.firstLine + Int64(lineCount) - 1
        followGaps(ignoringWindow: false)
        scheduleFlush()
        await waitForWriting()
    }
}
