import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Fetching documents.
extension SyncCache {
    private func fetchKey(_ request: GraphRequest) throws(CacheError) -> GraphFetchKey {
        let sent = try graph.sent(request)
        return graph.fetchKey(
            GraphFetchKey(
                document: sent.document, operationName: sent.name, variables: sent.variables,
                library: request.library,
                written: try graph.document(request.document).hasConnections ? request : nil), in: self)
    }

    /// Sends a query to the upstream, or joins a fetch of the same response. If something has happened that this
    /// response cannot include, the query is sent again.
    func fetchGraph(_ waiter: GraphWaiter) {
        if waiter.request.token?.isCancelled == true { return waiter.reply(.failure(SyncCache.cancelledRead)) }
        do throws(CacheError) {
            let key = try fetchKey(waiter.request.operation)
            if let fetch = graph.fetches[key] {
                if let parts = fetch.parts, !waiter.stores { return giveUnstored(parts, to: waiter) }
                if let delivery = fetch.delivery, waiter.sink != nil, fetch.parts == nil {
                    return join(delivery, key, waiter)
                }
                graph.fetches[key]?.waiters.append(waiter)
                return
            }
            try beginGraphFetch(key, waiter.request.operation, [waiter], [])
        } catch {
            spawnGraph { await self.failGraph([waiter], error.message, error.code) }
        }
    }

    /// Fetches the data of a watcher again, or joins a fetch of it.
    func refetchGraph(_ watcher: GraphWatcher) {
        do throws(CacheError) {
            let key = try fetchKey(watcher.request.operation)
            if graph.fetches[key] != nil {
                graph.fetches[key]?.watchers.append(watcher.subscription)
                return
            }
            try beginGraphFetch(key, watcher.request.operation, [], [watcher.subscription])
        } catch {
            let subscription = watcher.subscription
            spawnGraph { self.refetched([subscription], error) }
        }
    }

    private func beginGraphFetch(
        _ key: GraphFetchKey, _ asked: GraphRequest, _ waiters: [GraphWaiter], _ watchers: [SubscriptionID]
    ) throws(CacheError) {
        guard let upstream = graph.upstream else {
            throw CacheError(.upstreamFailed, "there is nobody to ask")
        }
        guard graph.fetches.count < graphConfiguration.fetchCountMax else {
            throw CacheError(.limitExceeded, "\(graph.fetches.count) fetches are under way: read again later")
        }
        graph.lastFetch += 1
        let number = graph.lastFetch
        let request = GraphUpstreamRequest(
            fetch: number, document: key.document, operationName: key.operationName, variables: key.variables,
            kind: .query, pendingID: nil, library: key.library)
        let task = spawnGraph {
            do throws(UpstreamError) {
                switch try await upstream.ask(request) {
                case .whole(let parts): await self.graphFetched(.success(parts), key, number)
                case .parts(let parts, let parser): await self.followGraph(parts, parser, key, number)
                case .stream(let parts, _):
                    parts.stop()
                    throw UpstreamError("the answer to a query came as a subscription")
                }
            } catch {
                await self.graphFetched(.failure(error), key, number)
            }
        }
        graph.begin(
            GraphFetch(
                number: number, start: beginGraphFetch(in: key.library), request: asked, waiters: waiters,
                watchers: watchers, task: task, timer: graphTimer(key, number)), for: key)
    }

    /// Starts to observe a response of which parts have arrived.
    private func join(_ delivery: GraphDelivery, _ key: GraphFetchKey, _ waiter: GraphWaiter) {
        spawnGraph {
            guard self.graph.fetches[key]?.delivery != nil else { return self.fetchGraph(waiter) }
            await self.answerPart(delivery.parts, to: waiter, key)
            self.endGraphStep()
        }
    }

    /// Starts the time limit for a response or its next part, unless the upstream applies it itself.
    func graphTimer(_ key: GraphFetchKey, _ number: UInt64) -> Task<Void, Never> {
        if graph.upstream?.keepsTime == true { return Task {} }
        let timeout = graphConfiguration.fetchTimeout.wholeMilliseconds
        let clock = graphClock
        return spawnGraph {
            do { try await clock.sleep(milliseconds: timeout) } catch { return }
            await self.graphTimedOut(key, number)
        }
    }

    private func graphTimedOut(_ key: GraphFetchKey, _ number: UInt64) async {
        guard let fetch = graph.fetches[key], fetch.number == number, fetch.parts == nil else { return }
        fetch.task.cancel()
        if fetch.delivery != nil { graph.upstream?.stop(fetch: number) }
        await endGraph(
            key, fetch,
            CacheError(
                .upstreamFailed, "no answer within \(graphConfiguration.fetchTimeout.wholeMilliseconds) ms"))
    }

    /// Handles the end of a request to the upstream.
    ///
    /// - Parameter last: The places that the last payload of a response in parts brought.
    func graphFetched(
        _ result: Result<AnswerParts, UpstreamError>, _ key: GraphFetchKey, _ number: UInt64,
        last: PayloadMask = .whole
    ) async {
        guard let fetch = graph.fetches[key], fetch.number == number else { return }
        fetch.timer.cancel()
        switch result {
        case .failure(let error):
            await endGraph(key, fetch, CacheError(.upstreamFailed, error.message, details: error.details))
        case .success(let parts):
            graph.fetches[key]?.parts = parts
            graph.fetches[key]?.delivery?.isEnding = true
            graph.fetches[key]?.waiters.removeAll { !$0.stores }
            for waiter in fetch.waiters where !waiter.stores { giveUnstored(parts, to: waiter) }
            await storeGraphFetched(parts, key, fetch, last)
        }
    }

    private func storeGraphFetched(
        _ parts: AnswerParts, _ key: GraphFetchKey, _ fetch: GraphFetch, _ last: PayloadMask
    ) async {
        let isWanted =
            fetch.waiters.contains { $0.stores } || !fetch.watchers.isEmpty || !fetch.observers.isEmpty
        if isWanted {
            do throws(CacheError) {
                if fetch.delivery != nil, graph.write == .incremental {
                    try await storePart(parts, last, key, fetch, isLast: true)
                } else {
                    let plan = try graph.plan(fetch.request)
                    let answer = try graphAnswer(parts, plan, key.library, start: fetch.start)
                    try await store(answer, isRefetch: !fetch.watchers.isEmpty)
                }
            } catch {
                if error.isCleared { return endCleared(parts, key, fetch, error) }
                let cause =
                    error.code == .storageFailed
                    ? error
                    : CacheError(
                        error.code == .limitExceeded ? .limitExceeded : .upstreamFailed,
                        "its answer cannot be used: \(error.message)")
                return await endGraph(key, fetch, cause)
            }
        }
        while let waiters = graph.fetches[key]?.waiters, !waiters.isEmpty {
            graph.fetches[key]?.waiters = []
            for waiter in waiters {
                let refusal = await answerGraph(waiter.request, .any, parts: parts, waiter.sink, waiter.reply)
                if let refusal { waiter.reply(.failure(refusal.error)) }
            }
        }
        let ended = graph.end(key) ?? fetch
        endGraphFetch(fetch.start.number, in: key.library)
        endDelivery(ended, parts, nil)
        refetched(ended.observers + ended.watchers, nil)
    }

    /// Ends a fetch whose response may not be stored because the cache was cleared meanwhile. Readers get the response
    /// as it is, observers that would start with it get the error, and watchers fetch again what they miss.
    private func endCleared(_ parts: AnswerParts, _ key: GraphFetchKey, _ fetch: GraphFetch, _ error: CacheError) {
        let ended = graph.end(key) ?? fetch
        endGraphFetch(ended.start.number, in: key.library)
        for waiter in ended.waiters {
            if waiter.sink == nil { giveUnstored(parts, to: waiter) } else { waiter.reply(.failure(error)) }
        }
        endDelivery(ended, parts, nil)
        refetched(ended.observers + ended.watchers, nil)
    }

    private func giveUnstored(_ parts: AnswerParts, to waiter: GraphWaiter) {
        do throws(CacheError) {
            let plan = try graph.plan(waiter.request.operation)
            // A response that does not fit its document is refused even so.
            _ = try graphAnswer(parts, plan, waiter.request.operation.library)
            waiter.reply(
                .success(
                    GraphReply(
                        result: GraphResult(data: AnswerProjector.data(of: parts, plan), source: .upstream).with(parts),
                        subscription: nil)))
        } catch {
            spawnGraph {
                await self.failGraph([waiter], "its answer cannot be used: \(error.message)", .upstreamFailed)
            }
        }
    }

    /// Ends a fetch that failed.
    private func endGraph(_ key: GraphFetchKey, _ fetch: GraphFetch, _ error: CacheError) async {
        let ended = graph.end(key) ?? fetch
        ended.timer.cancel()
        endGraphFetch(ended.start.number, in: key.library)
        await failGraph(ended.waiters, error.message, error.code, error.details)
        endDelivery(ended, nil, error)
        refetched(ended.observers + ended.watchers, error)
    }

    /// Runs watchers again after a fetch for them, and notifies those whose data is still incomplete.
    private func refetched(_ subscriptions: [SubscriptionID], _ error: CacheError?) {
        for subscription in subscriptions {
            guard let watcher = graph.watchers[subscription], watcher.isFetching else { continue }
            watcher.isFetching = false
            if let error {
                watcher.failed = []
                if watcher.expiresAt.map({ $0 <= now }) == true { graph.tellStale(watcher, in: self) }
                graph.tellFailure(of: watcher, error, in: self)
            } else {
                graph.run(watcher, in: self)
            }
        }
        endGraphStep()
    }

    private func failGraph(
        _ waiters: [GraphWaiter], _ reason: String, _ code: CacheError.Code, _ details: [CacheError.Detail] = []
    ) async {
        for waiter in waiters {
            var cacheReason = waiter.cacheReason
            if waiter.fallsBack {
                let refusal = await answerGraph(waiter.request, .any, waiter.sink, waiter.reply)
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

extension GraphEngine {
    func tellFailure(of watcher: GraphWatcher, _ error: CacheError, in cache: isolated SyncCache) {
        let read = cache.readEntities(
            watcher.plan, library: watcher.library, asked: [],
            freshness: GraphFreshness(now: cache.now, allowsStale: true, ignoresAges: true))
        guard case .missed(let miss, let visits) = read.outcome else { return run(watcher, in: cache) }
        depend(watcher, on: visits, in: cache)
        tell(watcher, GraphWatcherMiss(miss: miss, error: error), isForced: false, in: cache)
    }

    /// Fails all fetches of documents, after storing the responses that have arrived.
    package func failFetches(_ reason: String, in cache: isolated SyncCache) async {
        await cache.failGraphFetches(reason)
    }
}

extension SyncCache {
    /// Fails all fetches of documents, after storing the responses that have arrived.
    func failGraphFetches(_ reason: String) async {
        let open = graph.fetches.sorted { $0.value.number < $1.value.number }
        for (key, fetch) in open where fetch.parts == nil {
            fetch.task.cancel()
            await endGraph(key, fetch, CacheError(.upstreamFailed, reason))
        }
        for (_, fetch) in open where fetch.parts != nil { await fetch.task.value }
    }
}
