import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Reads an entity and makes an observer in the same step.
    ///
    /// - Parameter reply: Called once, on the cache's executor, before any notification of the observer.
    package func observe(
        _ key: EntityKey, fields: [ByteString]?, sink: any ObserverSink,
        reply: @escaping @Sendable (Result<(EntityRead, SubscriptionID), CacheError>) -> Void
    ) async {
        await observe(EntityRequest(key, fields: fields), sink: sink, reply: reply)
    }

    /// Reads an entity and makes an observer in the same step. Only this first answer may be too old: what is told later
    /// is what there is.
    ///
    /// - Parameter reply: Called once, on the cache's executor, before any notification of the observer.
    package func observe(
        _ request: EntityRequest, sink: any ObserverSink,
        reply: @escaping @Sendable (Result<(EntityRead, SubscriptionID), CacheError>) -> Void
    ) async {
        if let refusal = isClosed ? SyncCache.closedRefusal : observerRefusal { return reply(.failure(refusal)) }
        do throws(StorageError) {
            try await withLoaded({ state.keyToLoad(request.key).map { [$0] } ?? [] }) {
                settle(sink)
                let read = readNow(request)
                guard let handle = state.observe(request.key) else {
                    return reply(.failure(AnswerRefusal.tooManyTypes.cacheError))
                }
                let subscription = observers.add(
                    ObserverRegistry.EntityObserver(
                        handle: handle, key: request.key, fields: request.fields.map { Set($0.map(\.bytes)) },
                        sink: sink))
                reply(.success((read, subscription)))
                if request.refreshes {
                    let isTooOld = read.expired != nil
                    observers.entityObservers[subscription]?.shownStale = read.isStale && isTooOld
                    beginRefreshing(subscription, ages: request.operationAges, isTooOld: isTooOld)
                }
            }
        } catch {
            reply(.failure(CacheError(.storageFailed, error.description)))
        }
    }

    /// Tells a sink from now on when a library's phase, or what it lost, changes.
    package func observeLibraries(_ sink: any ObserverSink) {
        state.observeLibraries()
        observers.librarySinks.append(sink)
    }

    /// Ends one observer; nothing is told of it after this.
    ///
    /// - Throws: ``CacheError`` `unknownSubscription`.
    package func cancel(_ subscription: SubscriptionID) throws(CacheError) {
        refreshes[subscription] = nil
        if let observer = observers.removeQueryObserver(subscription) {
            endLag(of: observer)
            state.stopObserving(observer.query)
        } else if let observer = observers.removeEntityObserver(subscription) {
            state.stopObserving(entity: observer.handle)
        } else {
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
        observers.librarySinks.removeAll { $0 === sink }
        if observers.librarySinks.isEmpty { state.hasLibraryObservers = false }
        observers.forgetLagging(of: sink)
    }

    // MARK: Places in a log

    /// Somebody who waits for a place in a library's log.
    struct PositionWaiter {
        let library: ByteString
        let sequence: EventSequence
        let continuation: CheckedContinuation<LibraryStatus, Never>
    }

    /// Returns when the library's cursor reached a sequence, or its gap was declared lost; at the end of the last input
    /// as it is then.
    package func caughtUp(to sequence: EventSequence, library: ByteString) async -> LibraryStatus {
        let status = status(of: library)
        if let cursor = status.cursor, cursor >= sequence { return status }
        if isClosed || hasInputEnded { return status }
        return await withCheckedContinuation { continuation in
            positionWaiters.append(
                PositionWaiter(library: library, sequence: sequence, continuation: continuation))
        }
    }

    func wakePositionWaiters() {
        positionWaiters.removeAll { waiter in
            let status = status(of: waiter.library)
            guard let cursor = status.cursor, cursor >= waiter.sequence else { return false }
            waiter.continuation.resume(returning: status)
            return true
        }
    }

    /// Nothing comes any more: everybody who waits hears where things stand.
    func releasePositionWaiters() {
        let waiters = positionWaiters
        positionWaiters = []
        for waiter in waiters { waiter.continuation.resume(returning: status(of: waiter.library)) }
    }
}

extension SyncCache {
    /// What lists and observers take, for those who check that it is bounded.
    ///
    /// - Returns: `namedKeyCount`: keys in the reverse index; `rememberedCount`: elements whose former look is kept for
    ///   slow observers.
    package var observationSize: (namedKeyCount: Int, rememberedCount: Int) {
        (
            state.namedKeyCount,
            observers.queryObservers.values.reduce(0) { $0 + ($1.lag?.rememberedCount ?? 0) }
        )
    }

    /// What is kept of lists that were read, and what of lists is not built: for those who check that it is bounded.
    package var listCounts: (keptCount: Int, keptByteCount: Int, unbuiltCount: Int) { state.listCounts }
}
