import Logging
import TidemarkModel
import TidemarkStore

/// Loads what came into the reserves of observed lists, and tells observers that had to wait for it. Laws: L6, L9.
///
/// An observer that sees what is not in memory yet falls behind as one does whose sink is full: it is told of everything at once when
/// the entities are there.
extension SyncCache {
    /// Begins to load, unless it is under way.
    func loadReserves() {
        guard reserveTask == nil, !isClosed else { return }
        reserveTask = spawn { await self.loadUntilNothingIsAwaited() }
    }

    private func loadUntilNothingIsAwaited() async {
        var failureCount = 0
        while !isClosed, state.isAwaiting || observers.isHeldBack {
            do throws(StorageError) {
                try await withLoaded({ state.keysToLoadForReserves() }) {
                    guard !isShut else { return }
                    state.settleReserves(at: clock.now())
                    distribute()
                }
                failureCount = 0
            } catch {
                failureCount += 1
                if failureCount == 1 {
                    configuration.logger.error("observers of a list wait for the journal: \(error)")
                }
                // Cut short when the cache closes.
                do { try await clock.sleep(milliseconds: SyncCache.retryDelay(afterFailures: failureCount)) } catch {}
            }
        }
        reserveTask = nil
    }

    /// An observer with a lag is told when what it sees is in memory, whether its sink asks or not.
    func holdBack(_ observer: ObserverRegistry.QueryObserver, _ lag: QueryLag) {
        lag.wasHeldBack = true
        observers.holdBack(observer.query)
    }

    /// Tells observers that were held back, as far as what they see is in memory now.
    func catchUpHeldBack() {
        for query in observers.takeHeldBack() {
            guard !state.isHeldBack(query) else {
                observers.holdBack(query)
                continue
            }
            for observer in observers.observers(of: query) where observer.lag?.wasHeldBack == true {
                // A sink without room says when it has some.
                guard catchUp(observer.subscription, isForced: false) else { continue }
                observers.forgetLag(observer.subscription, of: observer.sink)
            }
        }
    }

    func isHeldBack(_ subscription: SubscriptionID) -> Bool {
        guard let observer = observers.queryObservers[subscription], observer.lag != nil else { return false }
        return state.isHeldBack(observer.query)
    }
}
