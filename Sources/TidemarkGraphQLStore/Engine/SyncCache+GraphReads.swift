import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Reading documents.
///
/// - Source: Protocol/graphql.md, reading; Protocol/queries.md, fetch policies.
extension SyncCache {
    /// Reads a query. Returns after the source of the result has been decided: `reply` has been called, or will be
    /// called when a fetch ends.
    ///
    /// - Parameters:
    ///   - sink: Receives the notifications of a watcher, which is created in the same step as the result.
    ///   - reply: Called once, on the cache's executor.
    ///   - later: Called at most once, after `reply`, with the fetched result of `cacheAndNetwork`.
    package func readGraph(
        _ request: GraphReadRequest, observing sink: (any ObserverSink)? = nil,
        reply: @escaping @Sendable (Result<GraphReply, CacheError>) -> Void,
        later: @escaping @Sendable (Result<GraphReply, CacheError>) -> Void = { _ in }
    ) async {
        let plan: OperationPlan
        do throws(CacheError) {
            plan = try checkGraph(request, sink)
        } catch {
            return reply(.failure(error))
        }
        let waiter = GraphWaiter(request, sink: sink, stores: true, reply: reply)
        switch request.policy {
        case .cacheOnly:
            if let miss = await answerGraph(request, .asked, plan: plan, sink, reply) { reply(.failure(miss.error)) }
        case .cacheFirst:
            if let miss = await answerGraph(request, .asked, plan: plan, sink, reply) { fetchGraph(waiter.after(miss)) }
        case .networkOnly: fetchGraph(waiter)
        case .networkOnlyNoStore:
            fetchGraph(GraphWaiter(request, sink: nil, stores: false, reply: reply))
        case .cacheAndNetwork:
            if let miss = await answerGraph(request, .any, plan: plan, sink, reply) {
                fetchGraph(waiter.after(miss))
            } else {
                fetchGraph(GraphWaiter(request, sink: nil, stores: true, reply: later))
            }
        case .networkFirst:
            var falling = waiter
            falling.fallsBack = true
            fetchGraph(falling)
        case .staleWhileRevalidate:
            var wasStale = false
            let miss = await answerGraph(request, .any, plan: plan, sink) { result in
                if case .success(let answered) = result { wasStale = answered.result.isStale }
                reply(result)
            }
            if let miss {
                fetchGraph(waiter.after(miss))
            } else if wasStale {
                fetchGraph(GraphWaiter(request, sink: nil, stores: true) { _ in })
            }
        }
    }

    private func checkGraph(_ request: GraphReadRequest, _ sink: (any ObserverSink)?) throws(CacheError)
        -> OperationPlan
    {
        if let closedRefusal { throw closedRefusal }
        let plan = try graph.plan(request.operation)
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
        if let watcherRefusal { throw watcherRefusal }
        return plan
    }

    /// How fresh the data of the cache must be.
    enum GraphDemand {
        /// As fresh as the request demands.
        case asked
        /// Of any age.
        case any
    }

    /// Why the cache could not answer.
    enum GraphRefusal {
        case missed(GraphMiss)
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
    func answerGraph(
        _ request: GraphReadRequest, _ demand: GraphDemand, plan known: OperationPlan? = nil, parts: AnswerParts? = nil,
        delivery: GraphFetchKey? = nil, _ sink: (any ObserverSink)?, _ reply: (Result<GraphReply, CacheError>) -> Void
    ) async -> GraphRefusal? {
        let plan: OperationPlan
        if let known {
            plan = known
        } else {
            do throws(CacheError) { plan = try graph.plan(request.operation) } catch { return .failed(error) }
        }
        let library = request.operation.library
        var outcome = GraphReadOutcome.unloaded([])
        do throws(StorageError) {
            return try await withGraph({ asked in
                var freshness = GraphFreshness(
                    now: now, allowsStale: request.allowsStale, maxStale: request.maxStale)
                if demand == .any {
                    freshness.allowsStale = true
                    freshness.maxStale = nil
                }
                freshness.ignoresAges = parts != nil
                let read = readEntities(
                    plan, library: library, asked: asked, freshness: freshness,
                    completeness: parts == nil ? request.completeness : .deferred,
                    options: .init(notesPlaces: sink != nil, notesEntities: sink != nil))
                outcome = read.outcome
                return read.unloaded
            }) {
                finishGraph(outcome, request, plan, parts, delivery: delivery, sink, reply)
            }
        } catch {
            return .failed(CacheError(.storageFailed, error.description))
        }
    }

    private func finishGraph(
        _ outcome: GraphReadOutcome, _ request: GraphReadRequest, _ plan: OperationPlan, _ parts: AnswerParts?,
        delivery: GraphFetchKey?, _ sink: (any ObserverSink)?, _ reply: (Result<GraphReply, CacheError>) -> Void
    ) -> GraphRefusal? {
        var result: GraphResult
        let visits: [EntityVisit]
        var places: EntityPlaces?
        var snapshot: GraphSnapshot
        var hasExplainedNulls = false
        switch outcome {
        case .unloaded: preconditionFailure("a read ended before what it needs was loaded")
        case .missed(let miss, let missVisits):
            noteGraphRead([], miss: miss.reason.readMiss)
            guard let parts else { return .missed(miss) }
            // The server's response is returned unchanged, although the cache keeps newer values.
            let projection = AnswerProjector.projection(of: parts, plan)
            result = GraphResult(data: projection.data, source: .upstream)
            result.deferred = projection.deferred
            result = result.with(parts)
            visits = missVisits
            snapshot = GraphSnapshot(data: result.data)
        case .read(let reading):
            if parts == nil {
                noteGraphRead(
                    reading.visits.map { $0.key.entityKey(in: request.operation.library) }, slots: reading.lentSlots,
                    miss: nil)
            }
            result = GraphResult(reading, source: parts == nil ? .cache : .upstream)
            visits = reading.visits
            places = reading.isPartial ? nil : reading.places
            snapshot = GraphSnapshot(reading)
            if let parts {
                if parts.errors != nil {
                    // The cache does not store a null that an error explains, but its fragment is fulfilled.
                    let projection = AnswerProjector.projection(of: parts, plan)
                    result.data = projection.data
                    result.deferred = projection.deferred
                    snapshot = GraphSnapshot(data: result.data)
                    places = nil
                    hasExplainedNulls = true
                }
                result = result.with(parts)
            }
        }
        var expiresAt: Int64?
        if case .read(let reading) = outcome { expiresAt = reading.expiresAt }
        if delivery != nil { result.isPartial = true }
        finishGraph(
            result, snapshot, visits, places, expiresAt: expiresAt, request, plan, failed: parts?.failedFragments ?? [],
            hasExplainedNulls: hasExplainedNulls, delivery: delivery, sink, reply)
        return nil
    }

    /// Returns a result to its reader, and creates the watcher in the same step.
    ///
    /// - Parameters:
    ///   - hasExplainedNulls: True if the result has nulls of the server where the cache may keep good values. The
    ///     watcher is notified of these next.
    ///   - delivery: The fetch whose further parts are reported to the watcher; nil if the response is complete.
    func finishGraph(
        _ result: GraphResult, _ snapshot: GraphSnapshot, _ visits: [EntityVisit], _ places: EntityPlaces? = nil,
        expiresAt: Int64?,
        _ request: GraphReadRequest, _ plan: OperationPlan, failed: [AnswerParts.FailedFragment] = [],
        hasExplainedNulls: Bool = false, delivery: GraphFetchKey?, _ sink: (any ObserverSink)?,
        _ reply: (Result<GraphReply, CacheError>) -> Void
    ) {
        guard let sink else { return reply(.success(GraphReply(result: result, subscription: nil))) }
        deliverAll(to: sink)
        let watcher = GraphWatcher(newSubscription(), request, plan, sink: sink, shown: snapshot)
        watcher.shownStale = result.isStale
        watcher.shownPartial = result.isPartial
        watcher.shownDeferred = result.deferred
        watcher.failed = failed
        if let delivery, let fetch = graph.fetches[delivery], fetch.parts == nil {
            watcher.delivery = delivery
            graph.fetches[delivery]?.observers.append(watcher.subscription)
        }
        graph.add(watcher, visits, in: self)
        // Data too old for a reader does not make the watched data stale; only stale root fields do.
        if watcher.delivery == nil, !plan.hasDeferrals, plan.isAgeless || !result.isStale, let places {
            watcher.shown.replace(snapshot, places: places, isStale: result.isStale, handles: watcher.keys)
        }
        reply(.success(GraphReply(result: result, subscription: watcher.subscription)))
        guard watcher.delivery == nil else { return }
        graph.expect(expiresAt, watcher, in: self)
        if hasExplainedNulls { graph.run(watcher, in: self) }
    }

    // MARK: Fragments

    /// Reads the fields of a fragment of one entity, from the cache alone.
    ///
    /// - Throws: ``CacheError`` `cacheMiss`, `invalidDocument`, `invalidParams`, `storageFailed`.
    package func readFragment(
        _ name: ByteString?, of document: ByteString, variables: ByteString?, key: EntityKey
    ) async throws(CacheError) -> GraphResult {
        let plan = try graph.plan(fragment: name, of: document, variables: variables)
        let type = graph.rules.resourceType(of: key.type)
        let graphKey = GraphKey(type: type, id: key.id)
        var outcome = GraphReadOutcome.unloaded([])
        do throws(StorageError) {
            try await withGraph({ asked in
                let read = readEntities(
                    plan, library: key.library, key: graphKey, asked: asked, freshness: GraphFreshness(now: now),
                    completeness: .deferred)
                outcome = read.outcome
                return read.unloaded
            }) {}
        } catch {
            throw CacheError(.storageFailed, error.description)
        }
        switch outcome {
        case .read(let reading): return GraphResult(reading, source: .cache)
        case .missed(let miss, _): throw GraphRefusal.missed(miss).error
        case .unloaded: preconditionFailure("a read ended before what it needs was loaded")
        }
    }
}

extension GraphMiss {
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

extension GraphMiss.Reason {
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
