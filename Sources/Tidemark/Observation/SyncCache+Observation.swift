import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Reads an entity and makes an observer of it in the same step.
    ///
    /// - Parameters:
    ///   - fields: The names of the wanted top-level fields; nil for all.
    ///   - sink: Gets the notifications.
    ///   - reply: Called once, on the cache's executor, before any notification of the observer.
    package func observe(
        _ key: EntityKey, fields: [ByteString]?, sink: any ObserverSink,
        reply: @escaping @Sendable (Result<(EntityRead, SubscriptionID), CacheError>) -> Void
    ) async {
        await observe(EntityRequest(key, fields: fields), sink: sink, reply: reply)
    }

    /// Reads an entity and makes an observer of it in the same step. Age limits apply only to this first answer;
    /// notifications give the current state.
    ///
    /// - Parameters:
    ///   - sink: Gets the notifications.
    ///   - reply: Called once, on the cache's executor, before any notification of the observer.
    package func observe(
        _ request: EntityRequest, sink: any ObserverSink,
        reply: @escaping @Sendable (Result<(EntityRead, SubscriptionID), CacheError>) -> Void
    ) async {
        if let refusal = isClosed ? SyncCache.closedRefusal : observerRefusal { return reply(.failure(refusal)) }
        do throws(StorageError) {
            try await withLoaded({ state.keyToLoad(request.key).map { [$0] } ?? [] }) {
                deliverAll(to: sink)
                let read = readNow(request)
                guard let handle = state.observe(request.key) else {
                    return reply(.failure(FieldResponseError.tooManyTypes.cacheError))
                }
                let subscription = observers.add(
                    ObserverRegistry.EntityObserver(
                        handle: handle, key: request.key, fields: request.fields.map { Set($0.map(\.bytes)) },
                        sink: sink))
                reply(.success((read, subscription)))
                if request.refreshes {
                    let isTooOld = read.expired != nil
                    observers.show(subscription, isStale: read.isStale && isTooOld)
                    beginRefreshing(subscription, ages: request.operationAges, isTooOld: isTooOld)
                }
            }
        } catch {
            reply(.failure(CacheError(error)))
        }
    }

    /// Begins to notify a sink when a library's phase or its lost numbers change.
    package func observeLibraries(_ sink: any ObserverSink) {
        state.observeLibraries()
        observers.addLibrarySink(sink)
    }

    /// Ends one observer. It gets no further notification.
    ///
    /// - Throws: ``CacheError`` `unknownSubscription`.
    package func cancel(_ subscription: SubscriptionID) throws(CacheError) {
        refreshes[subscription] = nil
        if let observer = observers.removeQueryObserver(subscription) {
            endLag(of: observer)
            state.stopObserving(observer.query)
        } else if let observer = observers.removeEntityObserver(subscription) {
            state.stopObserving(entity: observer.handle)
        } else if observers.removeLogObserver(subscription) != nil {
            state.stopObservingLog(subscription.rawValue)
        } else if !wings.all.contains(where: { $0.cancel(subscription, in: self) }) {
            throw CacheError(
                .unknownSubscription,
                "there is no subscription \(subscription.rawValue): it was cancelled, or never made")
        }
        state.clearLog()
    }

    /// Ends all observers of a sink.
    package func detach(_ sink: any ObserverSink) {
        for subscription in observers.subscriptions(of: sink) {
            do throws(CacheError) {
                try cancel(subscription)
            } catch {
                preconditionFailure("an observer that is listed is not known: \(error)")
            }
        }
        for wing in wings.all { wing.detach(sink, in: self) }
        observers.removeLibrarySink(sink)
        if observers.librarySinks.isEmpty { state.hasLibraryObservers = false }
        observers.forgetLagging(of: sink)
    }

    // MARK: Places in a log

    /// Returns when a library's cursor has reached a sequence, which losing a gap may cause too. Returns the current
    /// status at the end of the last input and when the cache closes.
    package func caughtUp(to sequence: EventSequence, library: ByteString) async -> LibraryStatus {
        let status = status(of: library)
        if let cursor = status.cursor, cursor >= sequence { return status }
        if isClosed || inputs.hasEnded { return status }
        return await withCheckedContinuation { continuation in
            progress.wait(for: sequence, of: library) { continuation.resume(returning: $0) }
        }
    }

    func wakePositionWaiters() {
        progress.wake { status(of: $0) }
    }

    /// Wakes all waiting callers with the current status, because no more input follows.
    func releasePositionWaiters() {
        progress.release { status(of: $0) }
    }
}

extension SyncCache {
    /// How much lists and observers keep in memory, for tests of its bound.
    ///
    /// - Returns: `namedKeyCount`, the number of keys in the reverse index, and `rememberedCount`, the number of
    ///   elements whose former value is kept for slow observers.
    package var observationSize: (namedKeyCount: Int, rememberedCount: Int) {
        (
            state.namedKeyCount,
            observers.queryObservers.values.reduce(0) { $0 + ($1.lag?.rememberedCount ?? 0) }
        )
    }

    /// How many lists are kept, their bytes, and how many lists are not built, for tests of their bounds.
    package var listCounts: (keptCount: Int, keptByteCount: Int, unbuiltCount: Int) { state.listCounts }
}
