import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Fetching documents.
extension GraphQLEngine {
    private func fetchKey(_ request: GraphQLRequest, in cache: isolated SyncCache) throws(CacheError) -> GraphQLFetchKey
    {
        let sent = try sent(request)
        return fetchKey(
            GraphQLFetchKey(
                document: sent.document, operationName: sent.name, variables: sent.variables,
                library: request.library,
                written: try document(request.document).hasConnections ? request : nil), in: cache)
    }

    /// Sends a query to the upstream, or joins a fetch of the same response. If something has happened that this
    /// response cannot include, the query is sent again.
    func fetch(_ waiter: GraphQLWaiter, in cache: isolated SyncCache) {
        if waiter.request.token?.isCancelled == true { return waiter.reply(.failure(GraphQLEngine.cancelledRead)) }
        do throws(CacheError) {
            let key = try fetchKey(waiter.request.operation, in: cache)
            if let fetch = fetches[key] {
                if let parts = fetch.parts, !waiter.stores { return giveUnstored(parts, to: waiter, in: cache) }
                if let delivery = fetch.delivery, waiter.sink != nil, fetch.parts == nil {
                    return join(delivery, key, waiter, in: cache)
                }
                fetches[key]?.waiters.append(waiter)
                return
            }
            try beginFetch(key, waiter.request.operation, [waiter], [], in: cache)
        } catch {
            cache.spawn { await self.fail([waiter], error.message, error.code, in: cache) }
        }
    }

    /// Fetches the data of a watcher again, or joins a fetch of it.
    func refetch(_ watcher: DocumentWatcher, in cache: isolated SyncCache) {
        do throws(CacheError) {
            let key = try fetchKey(watcher.request.operation, in: cache)
            if fetches[key] != nil {
                fetches[key]?.watchers.append(watcher.subscription)
                return
            }
            try beginFetch(key, watcher.request.operation, [], [watcher.subscription], in: cache)
        } catch {
            let subscription = watcher.subscription
            cache.spawn { self.refetched([subscription], error, in: cache) }
        }
    }

    private func beginFetch(
        _ key: GraphQLFetchKey, _ asked: GraphQLRequest, _ waiters: [GraphQLWaiter], _ watchers: [SubscriptionID],
        in cache: isolated SyncCache
    ) throws(CacheError) {
        guard let upstream else {
            throw CacheError(.upstreamFailed, "there is nobody to ask")
        }
        guard fetches.count < cache.configuration.fetchCountMax else {
            throw CacheError(.limitExceeded, "\(fetches.count) fetches are under way: read again later")
        }
        lastFetch += 1
        let number = lastFetch
        let request = GraphQLUpstreamRequest(
            fetch: number, document: key.document, operationName: key.operationName, variables: key.variables,
            kind: .query, pendingID: nil, library: key.library)
        let task = cache.spawn {
            do throws(UpstreamError) {
                switch try await upstream.ask(request) {
                case .whole(let parts): await self.fetched(.success(parts), key, number, in: cache)
                case .parts(let parts, let parser): await self.follow(parts, parser, key, number, in: cache)
                case .stream(let parts, _):
                    parts.stop()
                    throw UpstreamError("the answer to a query came as a subscription")
                }
            } catch {
                await self.fetched(.failure(error), key, number, in: cache)
            }
        }
        begin(
            GraphQLFetch(
                number: number, start: cache.beginFieldFetch(in: key.library), request: asked, waiters: waiters,
                watchers: watchers, task: task, timer: timer(key, number, in: cache)), for: key)
    }

    /// Starts to observe a response of which parts have arrived.
    private func join(
        _ delivery: GraphQLDelivery, _ key: GraphQLFetchKey, _ waiter: GraphQLWaiter, in cache: isolated SyncCache
    ) {
        cache.spawn {
            guard self.fetches[key]?.delivery != nil else { return self.fetch(waiter, in: cache) }
            await self.answerPart(delivery.parts, to: waiter, key, in: cache)
            cache.endStep()
        }
    }

    /// Starts the time limit for a response or its next part, unless the upstream applies it itself.
    func timer(_ key: GraphQLFetchKey, _ number: UInt64, in cache: isolated SyncCache) -> Task<Void, Never> {
        if upstream?.keepsTime == true { return Task {} }
        let timeout = cache.configuration.fetchTimeout.wholeMilliseconds
        let clock = cache.clock
        return cache.spawn {
            do { try await clock.sleep(milliseconds: timeout) } catch { return }
            await self.timedOut(key, number, in: cache)
        }
    }

    private func timedOut(_ key: GraphQLFetchKey, _ number: UInt64, in cache: isolated SyncCache) async {
        guard let fetch = fetches[key], fetch.number == number, fetch.parts == nil else { return }
        fetch.task.cancel()
        if fetch.delivery != nil { upstream?.stop(fetch: number) }
        await fail(
            key, fetch,
            CacheError(
                .upstreamFailed, "no answer within \(cache.configuration.fetchTimeout.wholeMilliseconds) ms"), in: cache
        )
    }

    /// Handles the end of a request to the upstream.
    ///
    /// - Parameter last: The places that the last payload of a response in parts brought.
    func fetched(
        _ result: Result<ResponseParts, UpstreamError>, _ key: GraphQLFetchKey, _ number: UInt64,
        last: PayloadMask = .whole, in cache: isolated SyncCache
    ) async {
        guard let fetch = fetches[key], fetch.number == number else { return }
        fetch.timer.cancel()
        switch result {
        case .failure(let error):
            await fail(key, fetch, CacheError(.upstreamFailed, error.message, details: error.details), in: cache)
        case .success(let parts):
            fetches[key]?.parts = parts
            fetches[key]?.delivery?.isEnding = true
            fetches[key]?.waiters.removeAll { !$0.stores }
            for waiter in fetch.waiters where !waiter.stores { giveUnstored(parts, to: waiter, in: cache) }
            await storeFetched(parts, key, fetch, last, in: cache)
        }
    }

    private func storeFetched(
        _ parts: ResponseParts, _ key: GraphQLFetchKey, _ fetch: GraphQLFetch, _ last: PayloadMask,
        in cache: isolated SyncCache
    ) async {
        let isWanted =
            fetch.waiters.contains { $0.stores } || !fetch.watchers.isEmpty || !fetch.observers.isEmpty
        if isWanted {
            do throws(CacheError) {
                if fetch.delivery != nil, write == .incremental {
                    try await storePart(parts, last, key, fetch, isLast: true, in: cache)
                } else {
                    let plan = try plan(fetch.request)
                    let answer = try FieldResponse.made(of: parts, plan, key.library, start: fetch.start)
                    try await store(answer, for: fetch, in: cache)
                }
            } catch {
                if error.isCleared { return endCleared(parts, key, fetch, error, in: cache) }
                let cause =
                    error.code == .storageFailed
                    ? error
                    : CacheError(
                        error.code == .limitExceeded ? .limitExceeded : .upstreamFailed,
                        "its answer cannot be used: \(error.message)")
                return await fail(key, fetch, cause, in: cache)
            }
        }
        while let waiters = fetches[key]?.waiters, !waiters.isEmpty {
            fetches[key]?.waiters = []
            for waiter in waiters {
                let refusal = await answer(waiter.request, .any, parts: parts, waiter.sink, in: cache, waiter.reply)
                if let refusal { waiter.reply(.failure(refusal.error)) }
            }
        }
        let ended = end(key) ?? fetch
        cache.endFieldFetch(fetch.start.number, in: key.library)
        endDelivery(ended, parts, nil)
        refetched(ended.observers + ended.watchers, nil, in: cache)
    }

    /// Stores a response. Changes that only watchers requested do not reset their counts of fetches.
    func store(_ answer: FieldResponse, for fetch: GraphQLFetch, in cache: isolated SyncCache) async throws(CacheError)
    {
        try await cache.store(answer) { self.isRefetching = $0 && !fetch.watchers.isEmpty }
    }

    /// Ends a fetch whose response may not be stored because the cache was cleared meanwhile. Readers get the response
    /// as it is, observers that would start with it get the error, and watchers fetch again what they miss.
    private func endCleared(
        _ parts: ResponseParts, _ key: GraphQLFetchKey, _ fetch: GraphQLFetch, _ error: CacheError,
        in cache: isolated SyncCache
    ) {
        let ended = end(key) ?? fetch
        cache.endFieldFetch(ended.start.number, in: key.library)
        for waiter in ended.waiters {
            if waiter.sink == nil { giveUnstored(parts, to: waiter, in: cache) } else { waiter.reply(.failure(error)) }
        }
        endDelivery(ended, parts, nil)
        refetched(ended.observers + ended.watchers, nil, in: cache)
    }

    private func giveUnstored(_ parts: ResponseParts, to waiter: GraphQLWaiter, in cache: isolated SyncCache) {
        do throws(CacheError) {
            let plan = try plan(waiter.request.operation)
            // A response that does not fit its document is refused even so.
            _ = try FieldResponse.made(of: parts, plan, waiter.request.operation.library)
            waiter.reply(
                .success(
                    GraphQLReply(
                        result: DocumentResult(data: ResponseProjector.data(of: parts, plan), source: .upstream).with(
                            parts),
                        subscription: nil)))
        } catch {
            cache.spawn {
                await self.fail([waiter], "its answer cannot be used: \(error.message)", .upstreamFailed, in: cache)
            }
        }
    }

    /// Ends a fetch that failed.
    private func fail(_ key: GraphQLFetchKey, _ fetch: GraphQLFetch, _ error: CacheError, in cache: isolated SyncCache)
        async
    {
        let ended = end(key) ?? fetch
        ended.timer.cancel()
        cache.endFieldFetch(ended.start.number, in: key.library)
        await fail(ended.waiters, error.message, error.code, error.details, in: cache)
        endDelivery(ended, nil, error)
        refetched(ended.observers + ended.watchers, error, in: cache)
    }

    /// Runs watchers again after a fetch for them, and notifies those whose data is still incomplete.
    private func refetched(_ subscriptions: [SubscriptionID], _ error: CacheError?, in cache: isolated SyncCache) {
        for subscription in subscriptions {
            guard let watcher = watchers[subscription], watcher.isFetching else { continue }
            watcher.isFetching = false
            if let error {
                watcher.failed = []
                if watcher.expiresAt.map({ $0 <= cache.now }) == true { tellStale(watcher, in: cache) }
                tellFailure(of: watcher, error, in: cache)
            } else {
                run(watcher, in: cache)
            }
        }
        cache.endStep()
    }

    private func fail(
        _ waiters: [GraphQLWaiter], _ reason: String, _ code: CacheError.Code, _ details: [CacheError.Detail] = [],
        in cache: isolated SyncCache
    ) async {
        for waiter in waiters {
            var cacheReason = waiter.cacheReason
            if waiter.fallsBack {
                let refusal = await answer(waiter.request, .any, waiter.sink, in: cache, waiter.reply)
                guard let refusal else { continue }
                cacheReason = refusal.reason
            }
            if code == .storageFailed {
                waiter.reply(.failure(CacheError(code, reason)))
                continue
            }
            var reasons = ["upstream": reason]
            reasons["cache"] = cacheReason
            let cache = cacheReason.map { "; \($0)" } ?? ""
            waiter.reply(
                .failure(
                    CacheError(
                        code == .limitExceeded ? .limitExceeded : .upstreamFailed,
                        "the upstream gave no answer (\(reason))\(cache): read again later", reasons: reasons,
                        details: details)))
        }
    }
}

extension GraphQLEngine {
    func tellFailure(of watcher: DocumentWatcher, _ error: CacheError, in cache: isolated SyncCache) {
        let read = readEntities(
            watcher.plan, library: watcher.library, asked: [],
            freshness: GraphQLFreshness(now: cache.now, allowsStale: true, ignoresAges: true), in: cache)
        guard case .missed(let miss, let visits) = read.outcome else { return run(watcher, in: cache) }
        depend(watcher, on: visits, in: cache)
        tell(watcher, WatcherMiss(miss: miss, error: error), isForced: false, in: cache)
    }

    /// Fails all fetches of documents, after storing the responses that have arrived.
    package func failFetches(_ reason: String, in cache: isolated SyncCache) async {
        let open = fetches.sorted { $0.value.number < $1.value.number }
        for (key, fetch) in open where fetch.parts == nil {
            fetch.task.cancel()
            await fail(key, fetch, CacheError(.upstreamFailed, reason), in: cache)
        }
        for (_, fetch) in open where fetch.parts != nil { await fetch.task.value }
    }
}
