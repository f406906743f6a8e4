import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// A response whose first parts have arrived.
struct GraphQLDelivery {
    /// The response so far.
    var parts: ResponseParts
    /// True while the last part is being stored. Observers are notified afterwards.
    var isEnding = false
}

/// Responses that arrive in parts.
///
/// - Source: Protocol/graphql.md, incremental delivery.
extension GraphQLEngine {
    /// The largest response in parts, in bytes: 64 MiB.
    static let deliveryByteCountMax = 64 << 20

    /// Collects the payloads of a response.
    ///
    /// - Parameter each: Called after each payload except the last one; returns false to stop.
    /// - Returns: The complete response, and the change made by the last payload; nil if `each` stopped the reading.
    /// - Throws: ``UpstreamError`` if the response ends before its last part, or a payload cannot be used.
    func gather(
        _ parts: any GraphQLParts, _ parser: any DeliveryParser, in cache: isolated SyncCache,
        each: (IncrementalResponse, IncrementalResponse.Change) async throws(UpstreamError) -> Bool
    ) async throws(UpstreamError) -> (answer: IncrementalResponse, last: IncrementalResponse.Change)? {
        var answer = IncrementalResponse(parser)
        var byteCount = 0
        while true {
            guard let next = try await parts.next() else {
                throw UpstreamError.delivery("premature_end", "its answer ended before the last part")
            }
            byteCount += next.byteCount
            guard byteCount <= GraphQLEngine.deliveryByteCountMax else {
                throw UpstreamError.delivery("limit_exceeded", "its answer is larger than 64 MiB")
            }
            let change: IncrementalResponse.Change
            do throws(DeliveryError) {
                change = try answer.apply(next.payload)
            } catch {
                throw UpstreamError.delivery("not_graphql", error.message)
            }
            if !answer.hasNext { return (answer, change) }
            guard try await each(answer, change) else { return nil }
        }
    }

    /// Reads the parts of a fetch to the end.
    func follow(
        _ parts: any GraphQLParts, _ parser: any DeliveryParser, _ key: GraphQLFetchKey, _ number: UInt64,
        in cache: isolated SyncCache
    ) async {
        defer { parts.stop() }
        do throws(UpstreamError) {
            let whole = try await gather(parts, parser, in: cache) { (answer, change) throws(UpstreamError) in
                guard let fetch = self.fetches[key], fetch.number == number else { return false }
                self.restartTimer(key, fetch, in: cache)
                if !change.isHeartbeat { try await self.receivePart(answer, change, key, fetch, in: cache) }
                return true
            }
            guard let whole else { return }
            let answer = try ResponseParts.checked(whole.answer)
            for watcher in observers(of: key) { watcher.untoldErrors += whole.last.errors }
            await fetched(.success(answer), key, number, last: whole.last.mask, in: cache)
        } catch {
            // The rest of an unusable response is not needed.
            if fetches[key]?.number == number { upstream?.stop(fetch: number) }
            await fetched(.failure(error), key, number, in: cache)
        }
    }

    /// Restarts the time limit for the next part.
    private func restartTimer(_ key: GraphQLFetchKey, _ fetch: GraphQLFetch, in cache: isolated SyncCache) {
        fetch.timer.cancel()
        guard upstream?.keepsTime == false else { return }
        fetches[key]?.timer = timer(key, fetch.number, in: cache)
    }

    /// Handles the response so far: stores it if parts are to be stored, and notifies observers.
    private func receivePart(
        _ answer: IncrementalResponse, _ change: IncrementalResponse.Change, _ key: GraphQLFetchKey,
        _ fetch: GraphQLFetch,
        in cache: isolated SyncCache
    ) async throws(UpstreamError) {
        let isWatched = !fetch.observers.isEmpty || fetch.waiters.contains { $0.sink != nil }
        guard isWatched || write == .incremental else { return }
        let parts = try ResponseParts.checked(answer)
        fetches[key]?.delivery = GraphQLDelivery(parts: parts)
        for watcher in observers(of: key) { watcher.untoldErrors += change.errors }
        if write == .incremental {
            do throws(CacheError) {
                try await storePart(parts, change.mask, key, fetch, isLast: false, in: cache)
            } catch {
                // Its readers still get the response when it is complete.
                guard error.isCleared else { throw UpstreamError.unusable(error) }
            }
        }
        guard let current = fetches[key], current.number == fetch.number else { return }
        let waiting = current.waiters.filter { $0.sink != nil }
        fetches[key]?.waiters.removeAll { $0.sink != nil }
        for waiter in waiting { await answerPart(parts, to: waiter, key, in: cache) }
        for watcher in observers(of: key) { run(watcher, in: cache) }
        cache.endStep()
    }

    private func observers(of key: GraphQLFetchKey) -> [DocumentWatcher] {
        fetches[key]?.observers.compactMap { watchers[$0] } ?? []
    }

    /// Stores the fields that one payload brought.
    func storePart(
        _ parts: ResponseParts, _ mask: PayloadMask, _ key: GraphQLFetchKey, _ fetch: GraphQLFetch, isLast: Bool,
        in cache: isolated SyncCache
    ) async throws(CacheError) {
        let plan = try plan(fetch.request)
        var options = ResponseNormalizer.Options()
        options.mask = mask
        var answer = try FieldResponse.made(of: parts, plan, key.library, options: options, start: fetch.start)
        // The types that later payloads name count for the root fields, too.
        if isLast, !mask.isWhole {
            answer.roots = try FieldResponse.made(of: parts, plan, key.library, start: fetch.start).roots
        }
        guard !answer.entities.isEmpty || !answer.roots.isEmpty else { return }
        try await store(answer, for: fetch, in: cache)
    }

    /// Starts an observer with the response so far.
    func answerPart(
        _ parts: ResponseParts, to waiter: GraphQLWaiter, _ key: GraphQLFetchKey, in cache: isolated SyncCache
    )
        async
    {
        if write == .incremental {
            let refusal = await answer(
                waiter.request, .any, parts: parts, delivery: key, waiter.sink, in: cache, waiter.reply)
            if let refusal { waiter.reply(.failure(refusal.error)) }
            return
        }
        do throws(CacheError) {
            let plan = try plan(waiter.request.operation)
            let projection = ResponseProjector.projection(of: parts, plan)
            var result = DocumentResult(data: projection.data, source: .upstream).with(parts)
            result.isPartial = true
            result.deferred = projection.deferred
            finish(
                result, GraphQLSnapshot(data: result.data), [], expiresAt: nil, waiter.request, plan, delivery: key,
                waiter.sink, in: cache, waiter.reply)
        } catch {
            waiter.reply(.failure(error))
        }
    }

    /// Ends the delivery for its observers, before each runs on what is now stored, or is notified of the failure.
    func endDelivery(_ fetch: GraphQLFetch, _ parts: ResponseParts?, _ error: CacheError?) {
        for subscription in fetch.observers + fetch.watchers {
            guard let watcher = watchers[subscription] else { continue }
            if watcher.delivery != nil { watcher.isFetching = true }
            watcher.delivery = nil
            watcher.failed = parts?.failedFragments ?? []
            if error != nil { watcher.shownDeferred = watcher.shownDeferred.ended }
        }
    }

    /// Removes an observer from a fetch, and ends the fetch if nobody else needs it.
    func abandon(_ subscription: SubscriptionID, _ key: GraphQLFetchKey, in cache: isolated SyncCache) {
        fetches[key]?.observers.removeAll { $0 == subscription }
        abandonUnwanted(key, in: cache)
    }

    /// Ends a fetch and its request, unless a reader or an observer still waits for it, or its response is being
    /// stored.
    func abandonUnwanted(_ key: GraphQLFetchKey, in cache: isolated SyncCache) {
        guard let fetch = fetches[key], fetch.parts == nil, fetch.observers.isEmpty, fetch.waiters.isEmpty,
            fetch.watchers.isEmpty
        else { return }
        end(key)
        fetch.timer.cancel()
        fetch.task.cancel()
        upstream?.stop(fetch: fetch.number)
        cache.endFieldFetch(fetch.start.number, in: key.library)
    }
}

extension ResponseParts {
    /// Converts a response in parts, as far as it has arrived.
    static func checked(_ answer: IncrementalResponse) throws(UpstreamError) -> ResponseParts {
        do throws(ResponseError) {
            return try ResponseParts(answer)
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
