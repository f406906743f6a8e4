import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Reading documents.
///
/// - Source: Protocol/graphql.md, reading; Protocol/queries.md, fetch policies.
extension GraphQLEngine {
    /// Reads a query. Returns after the source of the result has been decided: `reply` has been called, or will be
    /// called when a fetch ends.
    ///
    /// - Parameters:
    ///   - sink: Receives the notifications of a watcher, which is created in the same step as the result.
    ///   - reply: Called once, on the cache's executor.
    ///   - later: Called at most once, after `reply`, with the fetched result of `cacheAndNetwork`.
    package func read(
        _ request: GraphQLReadRequest, observing sink: (any ObserverSink)? = nil, in cache: isolated SyncCache,
        reply: @escaping @Sendable (Result<GraphQLReply, CacheError>) -> Void,
        later: @escaping @Sendable (Result<GraphQLReply, CacheError>) -> Void = { _ in }
    ) async {
        let plan: OperationPlan
        do throws(CacheError) {
            plan = try check(request, sink, in: cache)
        } catch {
            return reply(.failure(error))
        }
        let waiter = GraphQLWaiter(request, sink: sink, stores: true, reply: reply)
        switch request.policy {
        case .cacheOnly:
            if let miss = await answer(request, .asked, plan: plan, sink, in: cache, reply) {
                reply(.failure(miss.error))
            }
        case .cacheFirst:
            if let miss = await answer(request, .asked, plan: plan, sink, in: cache, reply) {
                fetch(waiter.after(miss), in: cache)
            }
        case .networkOnly: fetch(waiter, in: cache)
        case .networkOnlyNoStore:
            fetch(GraphQLWaiter(request, sink: nil, stores: false, reply: reply), in: cache)
        case .cacheAndNetwork:
            if let miss = await answer(request, .any, plan: plan, sink, in: cache, reply) {
                fetch(waiter.after(miss), in: cache)
            } else {
                fetch(GraphQLWaiter(request, sink: nil, stores: true, reply: later), in: cache)
            }
        case .networkFirst:
            var falling = waiter
            falling.fallsBack = true
            fetch(falling, in: cache)
        case .staleWhileRevalidate:
            var wasStale = false
            let miss = await answer(request, .any, plan: plan, sink, in: cache) { result in
                if case .success(let answered) = result { wasStale = answered.result.isStale }
                reply(result)
            }
            if let miss {
                fetch(waiter.after(miss), in: cache)
            } else if wasStale {
                fetch(GraphQLWaiter(request, sink: nil, stores: true) { _ in }, in: cache)
            }
        }
    }

    private func check(_ request: GraphQLReadRequest, _ sink: (any ObserverSink)?, in cache: isolated SyncCache)
        throws(CacheError)
        -> OperationPlan
    {
        if let refusal = cache.closedRefusal { throw refusal }
        let plan = try plan(request.operation)
        guard case .operation(.query) = plan.root else {
            throw CacheError(
                .invalidParams, "the operation is no query: use graphql.mutate, or graphql.observe for a subscription")
        }
        if request.isPartial, request.policy != .cacheOnly {
            throw CacheError(.invalidParams, "partial is for the policy cacheOnly: leave it out, or pass that policy")
        }
        guard sink != nil else { return plan }
        if request.policy == .networkOnlyNoStore {
            throw CacheError(
                .invalidParams, "networkOnlyNoStore stores nothing that could be observed: observe with networkOnly")
        }
        if let refusal = cache.watcherRefusal { throw refusal }
        return plan
    }

    /// How fresh the data of the cache must be.
    enum GraphQLDemand {
        /// As fresh as the request demands.
        case asked
        /// Of any age.
        case any
    }

    /// Why the cache could not answer.
    enum GraphQLRefusal {
        case missed(DocumentMiss)
        case failed(CacheError)

        var error: CacheError {
            switch self {
            case .failed(let error): error
            case .missed(let miss):
                CacheError(
                    .cacheMiss, miss.sentence + ": read with another policy, or write it",
                    reasons: ["cache": miss.reason.rawValue], details: miss.details)
            }
        }

        var reason: String {
            switch self {
            case .failed(let error): error.message
            case .missed(let miss): miss.sentence
            }
        }
    }

    /// Answers from the cache if its data is complete and fresh enough, and creates the watcher in the same step.
    ///
    /// - Parameters:
    ///   - known: The plan of the request; nil to look it up.
    ///   - parts: The server's response that was just stored; nil to answer from the cache.
    /// - Returns: nil if `reply` was called; otherwise why it was not.
    func answer(
        _ request: GraphQLReadRequest, _ demand: GraphQLDemand, plan known: OperationPlan? = nil,
        parts: ResponseParts? = nil,
        delivery: GraphQLFetchKey? = nil, _ sink: (any ObserverSink)?, in cache: isolated SyncCache,
        _ reply: (Result<GraphQLReply, CacheError>) -> Void
    ) async -> GraphQLRefusal? {
        let plan: OperationPlan
        if let known {
            plan = known
        } else {
            do throws(CacheError) { plan = try self.plan(request.operation) } catch { return .failed(error) }
        }
        let library = request.operation.library
        var outcome = GraphQLReadOutcome.unloaded([])
        do throws(StorageError) {
            return try await cache.readWhenLoaded({ asked in
                var freshness = GraphQLFreshness(
                    now: cache.now, allowsStale: request.allowsStale, maxStale: request.maxStale)
                if demand == .any {
                    freshness.allowsStale = true
                    freshness.maxStale = nil
                }
                freshness.ignoresAges = parts != nil
                let read = readEntities(
                    plan, library: library, asked: asked, freshness: freshness,
                    completeness: parts == nil ? request.completeness : .deferred,
                    options: .init(notesPlaces: sink != nil, notesEntities: sink != nil), in: cache)
                outcome = read.outcome
                return read.unloaded
            }) {
                finish(outcome, request, plan, parts, delivery: delivery, sink, in: cache, reply)
            }
        } catch {
            return .failed(CacheError(error))
        }
    }

    private func finish(
        _ outcome: GraphQLReadOutcome, _ request: GraphQLReadRequest, _ plan: OperationPlan, _ parts: ResponseParts?,
        delivery: GraphQLFetchKey?, _ sink: (any ObserverSink)?, in cache: isolated SyncCache,
        _ reply: (Result<GraphQLReply, CacheError>) -> Void
    ) -> GraphQLRefusal? {
        var result: DocumentResult
        let visits: [EntityVisit]
        var places: EntityPlaces?
        var snapshot: GraphQLSnapshot
        var hasExplainedNulls = false
        switch outcome {
        case .unloaded: preconditionFailure("a read ended before what it needs was loaded")
        case .missed(let miss, let missVisits):
            cache.noteRead([], miss: miss.reason.readMiss)
            guard let parts else { return .missed(miss) }
            // The server's response is returned unchanged, although the cache keeps newer values.
            let projection = ResponseProjector.projection(of: parts, plan)
            result = DocumentResult(data: projection.data, source: .upstream)
            result.deferred = projection.deferred
            result = result.with(parts)
            visits = missVisits
            snapshot = GraphQLSnapshot(data: result.data)
        case .read(let reading):
            if parts == nil {
                cache.noteRead(
                    reading.visits.map { $0.key.entityKey(in: request.operation.library) }, slots: reading.lentSlots,
                    miss: nil)
            }
            result = DocumentResult(reading, source: parts == nil ? .cache : .upstream)
            visits = reading.visits
            places = reading.isPartial ? nil : reading.places
            snapshot = GraphQLSnapshot(reading)
            if let parts {
                if parts.errors != nil {
                    // The cache does not store a null that an error explains, but its fragment is fulfilled.
                    let projection = ResponseProjector.projection(of: parts, plan)
                    result.data = projection.data
                    result.deferred = projection.deferred
                    snapshot = GraphQLSnapshot(data: result.data)
                    places = nil
                    hasExplainedNulls = true
                }
                result = result.with(parts)
            }
        }
        var expiresAt: Int64?
        if case .read(let reading) = outcome { expiresAt = reading.expiresAt }
        if delivery != nil { result.isPartial = true }
        finish(
            result, snapshot, visits, places, expiresAt: expiresAt, request, plan, failed: parts?.failedFragments ?? [],
            hasExplainedNulls: hasExplainedNulls, delivery: delivery, sink, in: cache, reply)
        return nil
    }

    /// Returns a result to its reader, and creates the watcher in the same step.
    ///
    /// - Parameters:
    ///   - hasExplainedNulls: True if the result has nulls of the server where the cache may keep good values. The
    ///     watcher is notified of these next.
    ///   - delivery: The fetch whose further parts are reported to the watcher; nil if the response is complete.
    func finish(
        _ result: DocumentResult, _ snapshot: GraphQLSnapshot, _ visits: [EntityVisit], _ places: EntityPlaces? = nil,
        expiresAt: Int64?,
        _ request: GraphQLReadRequest, _ plan: OperationPlan, failed: [ResponseParts.FailedFragment] = [],
        hasExplainedNulls: Bool = false, delivery: GraphQLFetchKey?, _ sink: (any ObserverSink)?,
        in cache: isolated SyncCache,
        _ reply: (Result<GraphQLReply, CacheError>) -> Void
    ) {
        guard let sink else { return reply(.success(GraphQLReply(result: result, subscription: nil))) }
        cache.deliverAll(to: sink)
        let watcher = DocumentWatcher(cache.newSubscription(), request, plan, sink: sink, shown: snapshot)
        watcher.shownStale = result.isStale
        watcher.shownPartial = result.isPartial
        watcher.shownDeferred = result.deferred
        watcher.failed = failed
        if let delivery, let fetch = fetches[delivery], fetch.parts == nil {
            watcher.delivery = delivery
            fetches[delivery]?.observers.append(watcher.subscription)
        }
        add(watcher, visits, in: cache)
        // Data too old for a reader does not make the watched data stale; only stale root fields do.
        if watcher.delivery == nil, !plan.hasDeferrals, plan.isAgeless || !result.isStale, let places {
            watcher.shown.replace(snapshot, places: places, isStale: result.isStale, handles: watcher.keys)
        }
        reply(.success(GraphQLReply(result: result, subscription: watcher.subscription)))
        guard watcher.delivery == nil else { return }
        expect(expiresAt, watcher, in: cache)
        if hasExplainedNulls { run(watcher, in: cache) }
    }

    // MARK: Fragments

    /// Reads the fields of a fragment of one entity, from the cache alone.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `cacheMiss`, `invalidDocument`, `invalidParams`, `storageFailed`.
    package func readFragment(
        _ name: ByteString?, of document: ByteString, variables: ByteString?, key: EntityKey,
        in cache: isolated SyncCache
    ) async throws(CacheError) -> DocumentResult {
        let plan = try plan(fragment: name, of: document, variables: variables)
        let type = rules.resourceType(of: key.type)
        let graphKey = GraphQLKey(type: type, id: key.id)
        var outcome = GraphQLReadOutcome.unloaded([])
        do throws(StorageError) {
            try await cache.readWhenLoaded({ asked in
                let read = readEntities(
                    plan, library: key.library, key: graphKey, asked: asked,
                    freshness: GraphQLFreshness(now: cache.now),
                    completeness: .deferred, in: cache)
                outcome = read.outcome
                return read.unloaded
            }) {}
        } catch {
            throw CacheError(error)
        }
        switch outcome {
        case .read(let reading): return DocumentResult(reading, source: .cache)
        case .missed(let miss, _): throw GraphQLRefusal.missed(miss).error
        case .unloaded: preconditionFailure("a read ended before what it needs was loaded")
        }
    }
}

extension DocumentMiss {
    /// The details of the error `cacheMiss`.
    var details: [CacheError.Detail] {
        var path = JSONLine()
        self.path.appendJSON(to: &path)
        var details = [
            CacheError.Detail("path", json: path.bytes),
            CacheError.Detail("reason", json: Array("\"\(reason.rawValue)\"".utf8)),
        ]
        var key = Array("null".utf8)
        if let own = self.key {
            key = []
            CanonicalString.append(own.text.bytes, to: &key)
        }
        details.append(CacheError.Detail("key", json: key))
        if let expired {
            var line = JSONLine()
            line.object { line in
                line.member("field", Optional(expired.field))
                line.member("written_at", expired.writtenAt)
                line.member("max_age", expired.maxAge)
            }
            details.append(CacheError.Detail("expired", json: line.bytes))
        }
        return details
    }
}

extension DocumentMiss.Reason {
    /// The kind under which statistics count the miss.
    var readMiss: EntityRead.Miss {
        switch self {
        case .absent: .absent
        case .expired, .stale: .expired
        case .evicted: .evicted
        case .deleted: .deleted
        }
    }
}
