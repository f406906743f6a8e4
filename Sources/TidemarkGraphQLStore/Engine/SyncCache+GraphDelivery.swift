import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// A response whose first parts have arrived.
struct GraphDelivery {
    /// The response so far.
    var parts: AnswerParts
    /// True while the last part is being stored. Observers are notified afterwards.
    var isEnding = false
}

/// Responses that arrive in parts.
///
/// - Source: Protocol/graphql.md, incremental delivery.
extension SyncCache {
    /// The largest response in parts, in bytes: 64 MiB.
    static let deliveryByteCountMax = 64 << 20

    /// Collects the payloads of a response.
    ///
    /// - Parameter each: Called after each payload except the last one; returns false to stop.
    /// - Returns: The complete response, and the change made by the last payload; nil if `each` stopped the reading.
    /// - Throws: ``UpstreamError`` if the response ends before its last part, or a payload cannot be used.
    func gatherGraph(
        _ parts: any GraphParts, _ parser: any DeliveryParser,
        each: (IncrementalAnswer, IncrementalAnswer.Change) async throws(UpstreamError) -> Bool
    ) async throws(UpstreamError) -> (answer: IncrementalAnswer, last: IncrementalAnswer.Change)? {
        var answer = IncrementalAnswer(parser)
        var byteCount = 0
        while true {
            guard let next = try await parts.next() else {
                throw UpstreamError.delivery("premature_end", "its answer ended before the last part")
            }
            byteCount += next.byteCount
            guard byteCount <= SyncCache.deliveryByteCountMax else {
                throw UpstreamError.delivery("limit_exceeded", "its answer is larger than 64 MiB")
            }
            let change: IncrementalAnswer.Change
            do throws(DeliveryFault) {
                change = try answer.apply(next.payload)
            } catch {
                throw UpstreamError.delivery("not_graphql", error.message)
            }
            if !answer.hasNext { return (answer, change) }
            guard try await each(answer, change) else { return nil }
        }
    }

    /// Reads the parts of a fetch to the end.
    func followGraph(
        _ parts: any GraphParts, _ parser: any DeliveryParser, _ key: GraphFetchKey, _ number: UInt64
    ) async {
        defer { parts.stop() }
        do throws(UpstreamError) {
            let whole = try await gatherGraph(parts, parser) { (answer, change) throws(UpstreamError) in
                guard let fetch = self.graph.fetches[key], fetch.number == number else { return false }
                self.timeGraph(key, fetch)
                if !change.isHeartbeat { try await self.receivePart(answer, change, key, fetch) }
                return true
            }
            guard let whole else { return }
            let answer = try AnswerParts.checked(whole.answer)
            for watcher in observers(of: key) { watcher.untoldErrors += whole.last.errors }
            await graphFetched(.success(answer), key, number, last: whole.last.mask)
        } catch {
            // The rest of an unusable response is not needed.
            if graph.fetches[key]?.number == number { graph.upstream?.stop(fetch: number) }
            await graphFetched(.failure(error), key, number)
        }
    }

    /// Restarts the time limit for the next part.
    private func timeGraph(_ key: GraphFetchKey, _ fetch: GraphFetch) {
        fetch.timer.cancel()
        guard graph.upstream?.keepsTime == false else { return }
        graph.fetches[key]?.timer = graphTimer(key, fetch.number)
    }

    /// Handles the response so far: stores it if parts are to be stored, and notifies observers.
    private func receivePart(
        _ answer: IncrementalAnswer, _ change: IncrementalAnswer.Change, _ key: GraphFetchKey, _ fetch: GraphFetch
    ) async throws(UpstreamError) {
        let isWatched = !fetch.observers.isEmpty || fetch.waiters.contains { $0.sink != nil }
        guard isWatched || graph.write == .incremental else { return }
        let parts = try AnswerParts.checked(answer)
        graph.fetches[key]?.delivery = GraphDelivery(parts: parts)
        for watcher in observers(of: key) { watcher.untoldErrors += change.errors }
        if graph.write == .incremental {
            do throws(CacheError) {
                try await storePart(parts, change.mask, key, fetch, isLast: false)
            } catch {
                // Its readers still get the response when it is complete.
                guard error.isCleared else { throw UpstreamError.unusable(error) }
            }
        }
        guard let current = graph.fetches[key], current.number == fetch.number else { return }
        let waiting = current.waiters.filter { $0.sink != nil }
        graph.fetches[key]?.waiters.removeAll { $0.sink != nil }
        for waiter in waiting { await answerPart(parts, to: waiter, key) }
        for watcher in observers(of: key) { graph.run(watcher, in: self) }
        endGraphStep()
    }

    private func observers(of key: GraphFetchKey) -> [GraphWatcher] {
        graph.fetches[key]?.observers.compactMap { graph.watchers[$0] } ?? []
    }

    /// Stores the fields that one payload brought.
    func storePart(
        _ parts: AnswerParts, _ mask: PayloadMask, _ key: GraphFetchKey, _ fetch: GraphFetch, isLast: Bool
    ) async throws(CacheError) {
        let plan = try graph.plan(fetch.request)
        var options = AnswerNormalizer.Options()
        options.mask = mask
        var answer = try graphAnswer(parts, plan, key.library, options: options, start: fetch.start)
        // The types that later payloads name count for the root fields, too.
        if isLast, !mask.isWhole {
            answer.roots = try graphAnswer(parts, plan, key.library, start: fetch.start).roots
        }
        guard !answer.entities.isEmpty || !answer.roots.isEmpty else { return }
        try await store(answer, isRefetch: !fetch.watchers.isEmpty)
    }

    /// Starts an observer with the response so far.
    func answerPart(_ parts: AnswerParts, to waiter: GraphWaiter, _ key: GraphFetchKey) async {
        if graph.write == .incremental {
            let refusal = await answerGraph(
                waiter.request, .any, parts: parts, delivery: key, waiter.sink, waiter.reply)
            if let refusal { waiter.reply(.failure(refusal.error)) }
            return
        }
        do throws(CacheError) {
            let plan = try graph.plan(waiter.request.operation)
            let projection = AnswerProjector.projection(of: parts, plan)
            var result = GraphResult(data: projection.data, source: .upstream).with(parts)
            result.isPartial = true
            result.deferred = projection.deferred
            finishGraph(
                result, GraphSnapshot(data: result.data), [], expiresAt: nil, waiter.request, plan, delivery: key,
                waiter.sink, waiter.reply)
        } catch {
            waiter.reply(.failure(error))
        }
    }

    /// Ends the delivery for its observers, before each runs on what is now stored, or is notified of the failure.
    func endDelivery(_ fetch: GraphFetch, _ parts: AnswerParts?, _ error: CacheError?) {
        for subscription in fetch.observers + fetch.watchers {
            guard let watcher = graph.watchers[subscription] else { continue }
            if watcher.delivery != nil { watcher.isFetching = true }
            watcher.delivery = nil
            watcher.failed = parts?.failedFragments ?? []
            if error != nil { watcher.shownDeferred = watcher.shownDeferred.ended }
        }
    }

    /// Removes an observer from a fetch, and ends the fetch if nobody else needs it.
    func abandonGraph(_ subscription: SubscriptionID, _ key: GraphFetchKey) {
        graph.fetches[key]?.observers.removeAll { $0 == subscription }
        abandonUnwanted(key)
    }

    /// Ends a fetch and its request, unless a reader or an observer still waits for it, or its response is being
    /// stored.
    func abandonUnwanted(_ key: GraphFetchKey) {
        guard let fetch = graph.fetches[key], fetch.parts == nil, fetch.observers.isEmpty, fetch.waiters.isEmpty,
            fetch.watchers.isEmpty
        else { return }
        graph.end(key)
        fetch.timer.cancel()
        fetch.task.cancel()
        graph.upstream?.stop(fetch: fetch.number)
        endGraphFetch(fetch.start.number, in: key.library)
    }
}

extension AnswerParts {
    /// Converts a response in parts, as far as it has arrived.
    static func checked(_ answer: IncrementalAnswer) throws(UpstreamError) -> AnswerParts {
        do throws(AnswerFault) {
            return try AnswerParts(answer)
        } catch {
            throw UpstreamError.delivery("not_graphql", "its answer \(error.message)")
        }
    }
}

extension UpstreamError {
    /// Creates the error for a response in parts that cannot be used.
    package static func delivery(_ reason: String, _ message: String) -> UpstreamError {
        var error = UpstreamError("the answer in parts: \(message)", code: reason)
        error.details = [CacheError.Detail("reason", json: Array("\"\(reason)\"".utf8))]
        return error
    }

    static func unusable(_ error: CacheError) -> UpstreamError {
        var own = UpstreamError("its answer cannot be used: \(error.message)", code: error.code.rawValue)
        own.details = error.details
        return own
    }
}
