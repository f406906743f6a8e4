import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore

/// A sink that keeps up the lists of its observers by what it is told, and has room when it is told that it has.
package final class FoldingSink: ObserverSink {
    /// What one observer knows.
    package struct Observer: Sendable {
        package var list: [[UInt8]]
        package var isStale: Bool
        /// Notifications that were taken.
        package var toldCount = 0
        package var missedCount = 0
        package var emptyCount = 0
        /// What it knew after each notification, from its answer on; empty unless traces are kept.
        package var trace: [Seen] = []
    }

    /// What an observer knows at one moment.
    package struct Seen: Equatable, Sendable {
        package var list: [[UInt8]]
        package var isStale: Bool

        package init(list: [[UInt8]], isStale: Bool) {
            self.list = list
            self.isStale = isStale
        }
    }

    private struct State {
        /// Notifications that are still taken; nil: all.
        var room: Int?
        var observers: [SubscriptionID: Observer] = [:]
        var entities: [EntityNotification] = []
        var statuses: [LibraryStatus] = []
        var refusedCount = 0
        var problems: [String] = []
    }

    private let state = Mutex(State())

    private let keepsTraces: Bool

    /// - Parameter keepsTraces: Every state of every observer is kept, without a bound: for short tests.
    package init(keepsTraces: Bool = false) {
        self.keepsTraces = keepsTraces
    }

    /// Takes so many notifications more; nil: all.
    package func setRoom(_ count: Int?) { state.withLock { $0.room = count } }

    /// An observer begins with an answer. Call it inside the reply.
    package func begin(_ subscription: SubscriptionID, _ list: [[UInt8]], isStale: Bool) {
        state.withLock {
            $0.observers[subscription] = Observer(list: list, isStale: isStale)
            if keepsTraces { $0.observers[subscription]?.trace = [Seen(list: list, isStale: isStale)] }
        }
    }

    package func observer(_ subscription: SubscriptionID) -> Observer? {
        state.withLock { $0.observers[subscription] }
    }

    package func forget(_ subscription: SubscriptionID) {
        state.withLock { _ = $0.observers.removeValue(forKey: subscription) }
    }

    package var entities: [EntityNotification] { state.withLock { $0.entities } }
    package var statuses: [LibraryStatus] { state.withLock { $0.statuses } }
    package var refusedCount: Int { state.withLock { $0.refusedCount } }
    /// What did not fit to what was told before; empty when nothing.
    package var problems: [String] { state.withLock { $0.problems } }

    package func offer(_ notification: CacheNotification) -> Bool {
        state.withLock { state in
            if let room = state.room {
                guard room > 0 else {
                    state.refusedCount += 1
                    return false
                }
                state.room = room - 1
            }
            take(notification, &state)
            return true
        }
    }

    package func deliver(_ notification: CacheNotification) { state.withLock { take(notification, &$0) } }

    private func take(_ notification: CacheNotification, _ state: inout State) {
        switch notification {
        case .query(let change):
            guard var observer = state.observers[change.subscription] else {
                state.problems.append("told of subscription \(change.subscription.rawValue), which is not known")
                return
            }
            if change.operations.isEmpty, change.isStale == observer.isStale {
                state.problems.append("subscription \(change.subscription.rawValue) was told nothing")
            }
            for operation in change.operations {
                switch operation {
                case .add(let element, let index): observer.list.insert(element, at: index)
                case .remove(let index): observer.list.remove(at: index)
                case .replace(let element, let index):
                    if observer.list[index] == element { state.problems.append("an element was replaced by itself") }
                    observer.list[index] = element
                case .move(let from, let to): observer.list.insert(observer.list.remove(at: from), at: to)
                }
            }
            observer.isStale = change.isStale
            observer.toldCount += 1
            observer.missedCount += change.missed
            if change.operations.isEmpty { observer.emptyCount += 1 }
            if keepsTraces { observer.trace.append(Seen(list: observer.list, isStale: observer.isStale)) }
            state.observers[change.subscription] = observer
        case .entity(let change): state.entities.append(change)
        case .library(let status): state.statuses.append(status)
        }
    }
}
