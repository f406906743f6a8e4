import Logging
import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// What a reader takes from the cache.
    enum Freshness {
        /// As the request says.
        case asked
        /// Whatever there is.
        case any
    }

    /// Reads a query.
    ///
    /// Returns when it is decided where the answer comes from and nothing that later lines must not overtake is left to
    /// do: `reply` was called, or will be when a fetch is over.
    ///
    /// - Parameters:
    ///   - sink: Gets the notifications of an observer that is made in the same step as the answer.
    ///   - reply: Called once, on the cache's executor; everything that earlier changes caused was delivered to `sink`.
    ///   - later: Called at most once, after `reply`: what `cacheAndNetwork` fetched.
    package func read(
        _ request: QueryRequest, observing sink: (any ObserverSink)?,
        reply: @escaping @Sendable (Result<QueryReply, CacheError>) -> Void,
        later: @escaping @Sendable (Result<QueryAnswer, CacheError>) -> Void = { _ in }
    ) async {
        if let refusal = refusal(of: request, sink) { return reply(.failure(refusal)) }
        let fetchReply = FetchWaiter(request: request, sink: sink, storesAnswer: true, reply: reply)
        if state.status(of: request.key, at: clock.now())?.isLocal == true {
            // It is as true as the store: nobody knows better.
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
        guard observers.count >= configuration.limits.observerCountMax else { return nil }
        return CacheError(.limitExceeded, "there are \(observers.count) observers: cancel some first")
    }

    // MARK: From the cache

    /// Why the cache cannot answer a query.
    enum QueryMiss {
        case absent
        case stale
        case expired
        /// A selected field of some listed entity.
        case tooOld(ExpiredField)
        /// A listed entity is in no tier, or not whole.
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

    /// Answers from the cache if that is good enough, and makes the observer in the same step.
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

    /// What came of one look at a list.
    private enum Look {
        case decided(QueryMiss?)
        /// The list lost elements that are in no tier: those that took their places may have to be loaded.
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
        // What is evaluated over the store has lost what the store had lost, and is right again.
        if listed.isShortened { return .again }
        if let missing = listed.missing {
            return .decided(.partial(missing, wasEvicted: state.wasEvicted(missing.key)))
        }
        var isStale = state.isStale(status.query, at: now)
        // What was just fetched is as new as it gets, whatever its limit.
        if source == .cache, let expired = expired(listed.keys, fields, request, at: now) {
            guard freshness == .any || isGoodEnough(now - expired.overdue, request, at: now) else {
                return .decided(.tooOld(expired))
            }
            isStale = true
        }
        if let sink { settle(sink) }
        let answer = QueryAnswer(
            entities: fields == nil
                ? listed.resources : listed.resources.map { Selection.resource($0, fields: fields) }, keys: listed.keys,
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

    /// The selected field that is longest past its age.
    private func expired(
        _ keys: [EntityKey], _ fields: Set<[UInt8]>?, _ request: QueryRequest, at now: Int64
    ) -> ExpiredField? {
        let ages = request.operationAges
        guard !configuration.policy.types.isEmpty || !ages.isEmpty else { return nil }
        return keys.lazy.compactMap { self.state.expired($0, fields: fields, ages: ages, at: now) }
            .max { $0.overdue < $1.overdue }
    }

    private func isGoodEnough(_ staleSince: Int64, _ request: QueryRequest, at now: Int64) -> Bool {
        if let maxStale = request.maxStale { return now.subtractingClamped(staleSince) <= maxStale }
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
        if case .unreadable(let error) = miss { return CacheError(.storageFailed, error.description) }
        return CacheError(
            .cacheMiss, "the cache has no answer (\(miss.reason)): read with another policy, or put one",
            reasons: ["cache": miss.reason])
    }

    // MARK: Putting

    /// Stores an answer that nobody asked for, as it stands now.
    ///
    /// - Throws: ``CacheError``: `invalidParams`, `limitExceeded`, `storageFailed`; nothing was stored.
    package func store(_ result: QueryResult, for key: QueryKey) async throws(CacheError) {
        let answer = try DecodedAnswer(result, for: key, limits: configuration.limits)
        if state.keysToLoad(for: answer.batch, answer.head).isEmpty { return try await store(answer, start: nil) }
        // While it waits for the disk it is on its way, as what a fetch brings: the log may move on, or begin anew.
        nextFetch += 1
        let attempt = nextFetch
        let start = beginFetch(attempt, key)
        defer { endFetch(attempt, key) }
        try await store(answer, start: start, fetch: attempt)
    }

    /// - Parameters:
    ///   - start: When the fetch that brought it began; nil for what nobody asked for.
    ///   - fetch: The fetch's number.
    /// - Throws: ``CacheError``; nothing was stored.
    func store(_ answer: DecodedAnswer, start: FetchStart?, fetch: UInt64? = nil) async throws(CacheError) {
        await waitForRoom()
        var head = answer.head
        head.start = start
        let result: Result<UInt32, AnswerRefusal>
        do throws(StorageError) {
            result = try await withChange({ state.keysToLoad(for: answer.batch, head) }) {
                let now = clock.now()
                do throws(AnswerRefusal) {
                    let step = RecordedStep.result(answer.result, head.key, fetch: fetch)
                    let query = try recorded(step, of: head.key.library, at: now) { () throws(AnswerRefusal) in
                        defer { distribute() }
                        return try state.store(answer.batch, head, at: now)
                    }
                    return .success(query)
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw CacheError(.storageFailed, error.description)
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

    /// Brings a local query what only the journal has, page by page.
    ///
    /// - Throws: ``CacheError`` `storageFailed`; the query is gone then.
    private func fill(_ query: UInt32) async throws(CacheError) {
        guard let fill = state.fill(of: query) else { return }
        loadingCount += 1
        defer { endLoading() }
        var after: StoredID?
        while true {
            let commit = commitCount
            let page: LoadedEntities
            do throws(StorageError) {
                page = try await journal.page(
                    library: fill.library, type: fill.type, after: after, countMax: SyncCache.pageCountMax,
                    constraint: fill.constraint)
            } catch {
                state.giveUp(fill, at: clock.now())
                distribute()
                throw CacheError(.storageFailed, error.description)
            }
            // A page that a commit overtook may be older than what was dropped from memory since: read it again.
            guard commit == commitCount else { continue }
            guard let last = page.last else { return state.end(fill) }
            after = last
            let goesOn = state.fill(fill, with: page, at: clock.now())
            distribute()
            if !goesOn { return }
        }
    }

    /// Entities that are read from the journal at once: 1,000.
    static let pageCountMax = 1_000
}

extension LoadedEntities {
    /// The last id of a page, stored or damaged, in key order.
    var last: StoredID? {
        let last = [entities.last?.key.id, damaged.last?.key.id].compactMap { $0 }
        return last.max { $0.text < $1.text }
    }
}
