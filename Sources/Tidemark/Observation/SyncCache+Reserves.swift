import Logging
import TidemarkModel
import TidemarkStore

/// Loads entities that entered the reserves of observed lists, and notifies observers that had to wait for them. Laws:
/// L6, L9.
///
/// An observer of an entity that is not in memory yet falls behind like one whose sink is full: once the entities are
/// loaded, it gets one notification of all changes.
extension SyncCache {
    /// Begins a load, unless one is under way.
    func loadReserves() {
        guard observers.reserveLoad == nil, !isClosed else { return }
        observers.setReserveLoad(spawn { await self.loadUntilNothingIsAwaited() })
    }

    private func loadUntilNothingIsAwaited() async {
        var failureCount = 0
        while !isClosed, state.isAwaiting || observers.isHeldBack {
            await untilActive()
            do throws(StorageError) {
                try await withLoaded({ state.keysToLoadForReserves() }) {
                    guard lifeCycle.acceptsChanges else { return }
                    state.resumeReserves(at: clock.now())
                    distribute()
                }
                failureCount = 0
            } catch {
                guard error.code != .suspended else { continue }
                failureCount += 1
                if failureCount == 1 {
                    configuration.logger.error("observers of a list wait for the journal: \(error)")
                }
                // Closing the cache ends the pause early.
                do { try await clock.sleep(milliseconds: FlushSchedule.retryDelay(afterFailures: failureCount)) } catch
                {}
            }
        }
        observers.setReserveLoad(nil)
    }

    /// Marks an observer with a lag to be notified as soon as the entities that it sees are in memory, even if its sink
    /// does not ask for more.
    func holdBack(_ observer: ObserverRegistry.QueryObserver, _ lag: QueryLag) {
        lag.wasHeldBack = true
        observers.holdBack(observer.query)
    }

    /// Notifies the observers that were held back and whose entities are in memory now.
    func catchUpHeldBack() {
        for query in observers.takeHeldBack() {
            guard !state.isHeldBack(query) else {
                observers.holdBack(query)
                continue
            }
            for observer in observers.observers(of: query) where observer.lag?.wasHeldBack == true {
                // A sink without room asks for more as soon as it has some.
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
