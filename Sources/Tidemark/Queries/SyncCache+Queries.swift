import Logging
import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// How fresh a reader needs the answer to be.
    enum Freshness {
        /// As fresh as the request demands.
        case asked
        /// Any answer, however old.
        case any
    }

    /// Reads a query.
    ///
    /// Returns when it is decided who answers, and every step is done that must precede later lines: `reply` was
    /// called, or will be called when a fetch ends.
    ///
    /// - Parameters:
    ///   - sink: Gets the notifications of an observer that is made in the same step as the answer; nil for no
    ///     observer.
    ///   - reply: Called once, on the cache's executor, after notifications of earlier changes were delivered to
    ///     `sink`.
    ///   - later: Called at most once, after `reply`, with the result of the fetch of `cacheAndNetwork`.
    package func read(
        _ request: QueryRequest, observing sink: (any ObserverSink)?,
        reply: @escaping @Sendable (Result<QueryReply, CacheError>) -> Void,
        later: @escaping @Sendable (Result<QueryAnswer, CacheError>) -> Void = { _ in }
    ) async {
        if let refusal = refusal(of: request, sink) { return reply(.failure(refusal)) }
        let fetchReply = FetchWaiter(request: request, sink: sink, storesAnswer: true, reply: reply)
        if state.status(of: request.key, at: clock.now())?.isLocal == true {
            // A local query is as current as the store, so no upstream has a better answer.
            if let miss = await answer(request, .any, source: .cache, sink, reply) { reply(.failure(error(for: miss))) }
            return
        }
        switch request.policy {
        case .cacheOnly:
            if let miss = await answer(request, .asked, source: .cache, sink, reply) {
                reply(.failure(error(for: miss)))
            }
        case .cacheFirst:
            if let miss = await answer(request, .asked, source: .cache, sink, reply) {
                fetch(fetchReply.afterMiss(miss))
            }
        case .networkOnly:
            fetch(fetchReply)
        case .networkOnlyNoStore:
            fetch(FetchWaiter(request: request, sink: nil, storesAnswer: false, reply: reply))
        case .cacheAndNetwork:
            if let miss = await answer(request, .any, source: .cache, sink, reply) {
                fetch(fetchReply.afterMiss(miss))
            } else {
                fetch(
                    FetchWaiter(request: request, sink: nil, storesAnswer: true) { later($0.map(\.answer)) })
            }
        case .networkFirst:
            fetch(fetchReply.fallingBack())
        case .staleWhileRevalidate:
            var wasStale = false
            let miss = await answer(request, .any, source: .cache, sink) { result in
                if case .success(let answered) = result { wasStale = answered.answer.isStale }
                reply(result)
            }
            if let miss {
                fetch(fetchReply.afterMiss(miss))
            } else if wasStale {
                fetch(
                    FetchWaiter(request: request, sink: nil, storesAnswer: true) { [logger = configuration.logger] in
                        if case .failure(let error) = $0 { logger.info("a stale query stays stale: \(error)") }
                    })
            }
        }
    }

    private func refusal(of request: QueryRequest, _ sink: (any ObserverSink)?) -> CacheError? {
        if isClosed { return SyncCache.closedRefusal }
        guard sink != nil else { return nil }
        if request.policy == .networkOnlyNoStore {
            return CacheError(
                .invalidParams, "networkOnlyNoStore stores nothing that could be observed: observe with networkOnly")
        }
        return observerRefusal
    }

    var observerRefusal: CacheError? {
        let count = observers.count + wings.observerCount
        guard count >= configuration.limits.observerCountMax else { return nil }
        return CacheError(.limitExceeded, "there are \(count) observers: cancel some first")
    }

    // MARK: From the cache

    /// Why the cache cannot answer a query.
    enum QueryMiss {
        case absent
        case stale
        case expired
        /// A selected field of a listed entity is too old.
        case tooOld(ExpiredField)
        /// A listed entity is in no tier, or only a part of it is.
        case partial(ListedEntities.Missing, wasEvicted: Bool)
        case unreadable(StorageError)

        var reason: String {
            switch self {
            case .absent: "absent"
            case .stale: "stale"
            case .expired: "expired"
            case .tooOld(let field):
                "expired: \(field.field) of \(field.key.text) was written at \(field.writtenAt), maxAge \(field.maxAge) s"
            case .partial(let missing, _) where missing.isReduced:
                "incomplete: of \(missing.key.text) some fields were evicted"
            case .partial(let missing, wasEvicted: true): "incomplete: \(missing.key.text) was evicted"
            case .partial(let missing, wasEvicted: false): "incomplete: \(missing.key.text) is not stored any more"
            case .unreadable(let error): error.description
            }
        }
    }

    /// Answers from the cache if it is fresh enough, and makes the observer in the same step.
    ///
    /// - Returns: nil when `reply` was called.
    func answer(
        _ request: QueryRequest, _ freshness: Freshness, source: QueryAnswer.Source, _ sink: (any ObserverSink)?,
        _ reply: (Result<QueryReply, CacheError>) -> Void
    ) async -> QueryMiss? {
        var outcome: QueryMiss?
        var look = Look.again
        while case .again = look {
            do throws(StorageError) {
                look = try await withLoaded({ self.keysToLoad(for: request.key, isWhole: sink != nil) }) {
                    self.answerNow(request, freshness, source: source, sink, reply)
                }
            } catch {
                look = .decided(.unreadable(error))
            }
            if case .decided(let decided) = look { outcome = decided }
        }
        if source == .cache { count(outcome) }
        return outcome
    }

    /// The outcome of one read of a list.
    private enum Look {
        case decided(QueryMiss?)
        /// The list lost elements that are in no tier, and the elements in their place may have to be loaded.
        case again
    }

    private func keysToLoad(for key: QueryKey, isWhole: Bool) -> [StoredKey] {
        guard let status = state.status(of: key, at: clock.now()) else { return [] }
        return state.keysToLoad(ofList: status.query, isWhole: isWhole)
    }

    private func answerNow(
        _ request: QueryRequest, _ freshness: Freshness, source: QueryAnswer.Source, _ sink: (any ObserverSink)?,
        _ reply: (Result<QueryReply, CacheError>) -> Void
    ) -> Look {
        let now = clock.now()
        guard let status = state.status(of: request.key, at: now) else { return .decided(.absent) }
        if let staleSince = status.staleSince, freshness == .asked, !isGoodEnough(staleSince, request, at: now) {
            return .decided(state.isExpired(status.query, at: now) ? .expired : .stale)
        }
        let fields = fields(of: request, type: state.typeName(of: status.query))
        let listed = state.list(
            status.query, fields: fields, isFetched: source == .upstream, at: now, isWhole: sink != nil)
        distribute()
        // A list that is evaluated over the store has lost what the store had lost, and is correct again.
        if listed.isShortened { return .again }
        if let missing = listed.missing {
            return .decided(.partial(missing, wasEvicted: state.wasEvicted(missing.key)))
        }
        var isStale = state.isStale(status.query, at: now)
        // A response that was just fetched is the newest there is, whatever its limit.
        if source == .cache, let expired = expired(listed.keys, fields, request, at: now) {
            guard freshness == .any || isGoodEnough(now - expired.overdue, request, at: now) else {
                return .decided(.tooOld(expired))
            }
            isStale = true
        }
        if let sink { deliverAll(to: sink) }
        if source == .cache { state.noteHit(status.query) }
        let answer = QueryAnswer(
            entities: fields == nil
                ? listed.resources : listed.resources.map { FieldSelection.resource($0, fields: fields) },
            keys: listed.keys,
            source: source, isStale: isStale, asOf: status.asOf, isPending: listed.isPending)
        let subscription = sink.map { sink in
            state.observe(status.query, at: now)
            return observers.add(
                ObserverRegistry.QueryObserver(
                    query: status.query, key: request.key, fields: fields, sink: sink,
                    shownStale: request.refreshes ? isStale : state.isStale(status.query, at: now)))
        }
        if subscription != nil { scheduleExpiry(of: status.query) }
        reply(.success(QueryReply(answer: answer, subscription: subscription)))
        if let subscription, request.refreshes {
            beginRefreshing(
                subscription, ages: request.operationAges, isTooOld: isStale && !state.isStale(status.query, at: now))
        }
        return .decided(nil)
    }

    /// Returns the selected field that is furthest past its age limit; nil when none is.
    private func expired(
        _ keys: [EntityKey], _ fields: Set<[UInt8]>?, _ request: QueryRequest, at now: Int64
    ) -> ExpiredField? {
        let ages = request.operationAges
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return nil }
        return keys.lazy.compactMap { self.state.expired($0, fields: fields, ages: ages, at: now) }
            .max { $0.overdue < $1.overdue }
    }

    private func isGoodEnough(_ staleSince: Int64, _ request: QueryRequest, at now: Int64) -> Bool {
        if let maxStale = request.maxStale { return now.subtractingClamped(staleSince) <= maxStale.wholeMilliseconds }
        return request.allowsStale
    }

    func fields(of request: QueryRequest, type: ByteString) -> Set<[UInt8]>? {
        guard let select = request.select else { return nil }
        let own = select[type] ?? select.first { configuration.typeAliases[$0.key] == type }?.value
        return own.map { Set($0.map(\.bytes)) }
    }

    private func count(_ miss: QueryMiss?) {
        switch miss {
        case nil: countRead(miss: nil)
        case .absent, .unreadable: countRead(miss: .absent)
        case .stale, .expired, .tooOld: countRead(miss: .expired)
        case .partial: countRead(miss: .evicted)
        }
    }

    func error(for miss: QueryMiss) -> CacheError {
        if case .unreadable(let error) = miss { return CacheError(error) }
        return CacheError(
            .cacheMiss, "the cache has no answer (\(miss.reason)): read with another policy, or put one",
            reasons: ["cache": miss.reason])
    }

    // MARK: Putting

    /// Stores a response that no fetch asked for.
    ///
    /// - Throws: ``CacheError``: `invalidParams`, `limitExceeded`, `storageFailed`; then nothing was stored.
    package func store(_ result: QueryResult, for key: QueryKey) async throws(CacheError) {
        let answer = try DecodedResponse(result, for: key, limits: configuration.limits)
        if state.keysToLoad(for: answer.batch, answer.head).isEmpty { return try await store(answer, start: nil) }
        // While the response waits for the disk it counts as under way, like that of a fetch: the log may advance or
        // start again.
        let attempt = fetches.newAttempt()
        let start = beginFetch(attempt, key)
        defer { endFetch(attempt, key) }
        try await store(answer, start: start, fetch: attempt)
    }

    /// Stores a decoded response.
    ///
    /// - Parameters:
    ///   - start: The state when the fetch of the response began; nil for a response that no fetch asked for.
    ///   - fetch: The number of the fetch.
    ///   - attached: The changes of data beside the entities to write in the transaction of the entities.
    /// - Throws: ``CacheError``; then nothing was stored.
    func store(
        _ answer: DecodedResponse, start: FetchStart?, fetch: UInt64? = nil, attached: [any AttachedChange] = []
    ) async throws(CacheError) {
        await waitForRoom()
        var head = answer.head
        head.start = start
        let result: Result<QueryID, FieldResponseError>
        do throws(StorageError) {
            result = try await withChange({ state.keysToLoad(for: answer.batch, head) }) {
                let now = clock.now()
                do throws(FieldResponseError) {
                    let step = RecordedStep.result(answer.result, head.key, fetch: fetch)
                    let query = try recorded(step, of: head.key.library, at: now) { () throws(FieldResponseError) in
                        defer { distribute() }
                        return try state.store(answer.batch, head, at: now)
                    }
                    flushes.add(attached)
                    return .success(query)
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw CacheError(error)
        }
        switch result {
        case .success(let query):
            try await fill(query)
            scheduleFlush()
            scheduleExpiry(of: query)
            followAnswer(of: query)
            await waitForWriting()
        case .failure(let refusal):
            throw refusal.cacheError
        }
    }

    /// Adds the entities that only the journal has to a local query, a page at a time.
    ///
    /// - Throws: ``CacheError`` `storageFailed`; then the query is removed.
    private func fill(_ query: QueryID) async throws(CacheError) {
        guard let fill = state.fill(of: query) else { return }
        turns.loads.begin()
        defer { endLoading() }
        var after: StoredID?
        while true {
            let commit = flushes.commitCount
            let page: LoadedEntities
            do throws(StorageError) {
                page = try await journal.page(
                    library: fill.library, type: fill.type, after: after, countMax: SyncCache.pageCountMax,
                    constraint: fill.constraint)
            } catch {
                state.giveUp(fill, at: clock.now())
                distribute()
                throw CacheError(error)
            }
            // A commit during the read may have made the page older than entities that were evicted from memory since:
            // read it again.
            guard commit == flushes.commitCount else { continue }
            guard let last = page.last else { return state.end(fill) }
            after = last
            let goesOn = state.fill(fill, with: page, at: clock.now())
            distribute()
            if !goesOn { return }
        }
    }

    /// How many entities are read from the journal at once: 1,000.
    static let pageCountMax = 1_000
}
