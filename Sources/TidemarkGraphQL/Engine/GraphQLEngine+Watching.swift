import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Watched documents: which changes wake them, and how their observers are notified.
///
/// Only a change of a field that it read wakes a watcher. It then runs its plan again and reports the difference from
/// the data that its observer saw last.
///
/// - Source: Protocol/graphql.md, observing.
extension GraphQLEngine {
    /// How many fetches in a row may leave a watcher's data incomplete: 2. Then its observer is notified of the miss,
    /// and nothing is fetched until a change with another cause.
    static let fetchCountMax = 2

    // MARK: Waking

    /// Wakes the watchers that a change of the cache affects.
    package func note(_ change: ChangeRecord) {
        switch change {
        case .query(let change):
            for watcher in watchersByQuery[change.query] ?? [] { wake(watcher) }
        case .entity(let change): note(change)
        // The reason why the entity is absent may have changed.
        case .absent(let handle): wakeAll(of: handle)
        // The real id has replaced a temporary one.
        case .renamed(let old, _, _): wakeAll(of: old)
        case .library, .followed, .lost, .evicted, .settled: break
        }
    }

    private func wakeAll(of handle: ListHandle) {
        for watcher in watchersByHandle[handle] ?? [] { wake(watcher) }
    }

    /// Wakes the watchers that read a field which this change of an entity affects.
    private func note(_ change: EntityChange) {
        guard let woken = watchersByHandle[change.handle] else { return }
        var changed: [ByteString]?
        if let old = change.old, let new = change.payload, change.isWhole == change.wasWhole {
            changed = old.withUnsafeBytes { old in new.withUnsafeBytes { JSONObject.changedFields(old, $0) } }
        }
        for watcher in woken {
            lookCount += 1
            guard let changed else {
                wake(watcher)
                continue
            }
            guard let wanted = watcher.handles[change.handle], wanted.contains(oneOf: changed, of: watcher.plan) else {
                continue
            }
            watcher.causes.add(changed, of: change.handle)
            mark(watcher)
        }
    }

    /// Schedules a new run of a watcher's plan.
    func wake(_ watcher: DocumentWatcher) {
        watcher.causes.addWhole()
        mark(watcher)
    }

    private func mark(_ watcher: DocumentWatcher) {
        if !isRefetching { watcher.fetchCount = 0 }
        guard !watcher.isDirty else { return }
        watcher.isDirty = true
        dirty.append(watcher)
    }

    /// Runs the watchers that were woken, in the order of their subscriptions, and notifies their observers.
    package func distribute(in cache: isolated SyncCache) {
        guard !dirty.isEmpty else { return }
        let woken = dirty.sorted { $0.subscription.rawValue < $1.subscription.rawValue }
        dirty = []
        for watcher in woken {
            watcher.isDirty = false
            watcher.changeCount += 1
            if !tellFields(watcher, in: cache) { run(watcher, in: cache) }
        }
    }

    // MARK: Running

    /// Runs a watcher's plan again and reports the differences.
    func run(
        _ watcher: DocumentWatcher, asked: Set<StoredKey> = [], isForced: Bool = false, in cache: isolated SyncCache
    ) {
        guard !watcher.isEnded, !watcher.isLoading else { return }
        watcher.causes = WakeCauses()
        runCount += 1
        if let key = watcher.delivery, let delivery = fetches[key]?.delivery {
            if delivery.isEnding { return }
            if write == .complete { return tell(watcher, delivery.parts, isForced: isForced, in: cache) }
        }
        let freshness = GraphQLFreshness(now: cache.now, allowsStale: true, ignoresAges: true)
        let read = readEntities(
            watcher.plan, library: watcher.library, asked: asked, freshness: freshness,
            completeness: watcher.completeness, options: .init(notesPlaces: true), in: cache)
        switch read.outcome {
        case .unloaded:
            load(read.unloaded, for: watcher, in: cache)
        case .read(var reading):
            depend(watcher, on: reading.visits, in: cache)
            if watcher.delivery != nil {
                reading.isPartial = true
            } else {
                reading.deferred = reading.deferred.failing(watcher.failed)
                if !watcher.failed.isEmpty, !reading.deferred.contains(where: { $0.state == .pending }) {
                    reading.isPartial = watcher.request.isPartial && reading.isPartial
                }
                if let miss = watcher.lacking(reading) { return lack(watcher, miss, isForced: isForced, in: cache) }
                watcher.isFetching = false
            }
            tell(watcher, reading, isForced: isForced, in: cache)
            expect(reading.expiresAt, watcher, in: cache)
        case .missed(let miss, let visits):
            depend(watcher, on: visits, in: cache)
            lack(watcher, miss, isForced: isForced, in: cache)
        }
    }

    /// Loads entities and then runs the watcher again, so that its observer gets a single notification.
    private func load(_ keys: [StoredKey], for watcher: DocumentWatcher, in cache: isolated SyncCache) {
        watcher.isLoading = true
        let subscription = watcher.subscription
        cache.spawn { await self.load(subscription, in: cache) }
    }

    // MARK: Notifying

    private func tell(
        _ watcher: DocumentWatcher, _ reading: GraphQLReading, isForced: Bool, in cache: isolated SyncCache
    ) {
        let snapshot = GraphQLSnapshot(reading)
        let operations = DataPatch.operations(from: watcher.shown.snapshot, to: snapshot)
        let isTold = tell(watcher, operations, GraphQLStatus(reading), isForced: isForced, in: cache)
        guard isTold || operations.isEmpty else { return watcher.shown.forgetPlaces() }
        let isPatchable = !reading.isPartial && !watcher.plan.hasDeferrals
        watcher.shown.replace(
            snapshot, places: isPatchable ? reading.places : nil, isStale: reading.isStale, handles: watcher.keys)
    }

    /// Sends a patch and the status of the data to an observer.
    ///
    /// - Returns: True if the observer was notified; false if there is nothing new, or its sink is full.
    func tell(
        _ watcher: DocumentWatcher, _ operations: [PatchOperation], _ status: GraphQLStatus, isForced: Bool,
        in cache: isolated SyncCache
    ) -> Bool {
        let isNews =
            !operations.isEmpty || status.isStale != watcher.shownStale || status.isPartial != watcher.shownPartial
            || status.deferred != watcher.shownDeferred || watcher.shownMiss != nil || !watcher.untoldErrors.isEmpty
        guard isNews else {
            watcher.changeCount = 0
            return false
        }
        let isTaken = send(watcher, isForced: isForced, in: cache) { line in
            line.name("patch")
            line.array { line in
                for operation in operations { operation.append(to: &line) }
            }
            line.member("stale", status.isStale)
            line.member("as_of", status.asOf)
            line.member("pending", status.isPending)
            line.member("missed", max(0, watcher.changeCount - 1))
            line.completeness(isPartial: status.isPartial, status.deferred)
            line.member("miss", json: nil)
        }
        guard isTaken else { return false }
        watcher.changeCount = 0
        watcher.shownStale = status.isStale
        watcher.shownPartial = status.isPartial
        watcher.shownDeferred = status.deferred
        watcher.shownMiss = nil
        return true
    }

    /// Notifies an observer of the parts so far of a response that is not stored yet.
    private func tell(_ watcher: DocumentWatcher, _ parts: ResponseParts, isForced: Bool, in cache: isolated SyncCache)
    {
        let projection = ResponseProjector.projection(of: parts, watcher.plan)
        var reading = GraphQLReading()
        reading.data = projection.data
        reading.deferred = projection.deferred
        reading.isPartial = true
        tell(watcher, reading, isForced: isForced, in: cache)
    }

    /// Notifies an observer, once, that a value has become too old.
    func tellStale(_ watcher: DocumentWatcher, in cache: isolated SyncCache) {
        guard !watcher.shownStale else { return }
        let isTaken = send(watcher, isForced: false, in: cache) { line in
            line.name("patch")
            line.array { _ in }
            line.member("stale", true)
            line.member("as_of", nil as EventSequence?)
            line.member("pending", false)
            line.member("missed", 0)
            line.completeness(isPartial: watcher.shownPartial, watcher.shownDeferred)
            line.member("miss", json: nil)
        }
        if isTaken { watcher.shownStale = true }
    }

    /// Fetches incomplete data again, or reports what is missing.
    private func lack(_ watcher: DocumentWatcher, _ miss: DocumentMiss, isForced: Bool, in cache: isolated SyncCache) {
        if watcher.isFetching || watcher.delivery != nil { return }
        let mayFetch = watcher.request.refetches && watcher.request.policy != .cacheOnly && upstream != nil
        guard mayFetch else { return tell(watcher, WatcherMiss(miss: miss), isForced: isForced, in: cache) }
        guard watcher.fetchCount < GraphQLEngine.fetchCountMax else {
            return tell(
                watcher, WatcherMiss(miss: miss, fetchCount: watcher.fetchCount), isForced: isForced, in: cache)
        }
        watcher.fetchCount += 1
        watcher.isFetching = true
        // The change and the fetched data become one notification.
        watcher.changeCount = 0
        refetch(watcher, in: cache)
    }

    /// Notifies an observer of a miss, unless it is the one that was reported last. The observer's `data` stays as it
    /// is.
    func tell(_ watcher: DocumentWatcher, _ miss: WatcherMiss, isForced: Bool, in cache: isolated SyncCache) {
        guard miss != watcher.shownMiss else { return }
        let isTaken = send(watcher, isForced: isForced, in: cache) { line in
            line.name("patch")
            line.array { _ in }
            line.member("stale", true)
            line.member("as_of", nil as EventSequence?)
            line.member("pending", false)
            line.member("missed", max(0, watcher.changeCount - 1))
            line.completeness(isPartial: true, watcher.shownDeferred)
            line.name("miss")
            line.object { line in
                miss.miss.appendMembers(to: &line)
                if miss.fetchCount > 0 { line.member("fetches", miss.fetchCount) }
                guard let error = miss.error else { return }
                line.name("error")
                line.object { line in
                    line.member("code", Optional(ByteString(error.code.rawValue)))
                    line.member("message", Optional(ByteString(error.message)))
                    if let reason = error.details.first(where: { $0.name == "reason" }) {
                        line.member("reason", json: Optional(reason.json))
                    }
                }
            }
        }
        guard isTaken else { return }
        watcher.changeCount = 0
        watcher.shownMiss = miss
        watcher.shownStale = true
        watcher.shownPartial = true
    }

    private func send(
        _ watcher: DocumentWatcher, isForced: Bool, in cache: isolated SyncCache, _ members: (inout JSONLine) -> Void
    ) -> Bool {
        var line = JSONLine()
        line.object { line in
            line.member("subscription", watcher.subscription.rawValue)
            members(&line)
            if !watcher.untoldErrors.isEmpty {
                line.member("errors", json: Optional(JSONValue.array(watcher.untoldErrors).bytes))
            }
        }
        let notification = CacheNotification.document(
            DocumentNotification(method: "graphql.changed", params: line.bytes))
        if isForced {
            watcher.sink.deliver(notification)
        } else if watcher.isLagging || !watcher.sink.offer(notification) {
            if !watcher.isLagging {
                watcher.isLagging = true
                lagging.append(watcher)
            }
            return false
        }
        watcher.untoldErrors = []
        cache.countNotification()
        return true
    }

    /// Runs the watchers that fell behind because their sink was full, now that it has room.
    package func catchUp(_ sink: any ObserverSink, isForced: Bool, in cache: isolated SyncCache) {
        guard !lagging.isEmpty else { return }
        let waiting = lagging
        lagging = []
        for watcher in waiting {
            guard watcher.sink === sink, !watcher.isEnded else {
                if !watcher.isEnded { lagging.append(watcher) }
                continue
            }
            watcher.isLagging = false
            run(watcher, isForced: isForced, in: cache)
        }
    }
}
