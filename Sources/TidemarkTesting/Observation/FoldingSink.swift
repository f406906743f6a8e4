import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore

/// A sink that applies notifications to the lists of its observers, and refuses notifications on request.
package final class FoldingSink: ObserverSink {
    /// The state of one observer.
    package struct Observer: Sendable {
        /// The elements of the list as JSON.
        package var list: [[UInt8]]
        /// True if the list is stale.
        package var isStale: Bool
        /// How many notifications were accepted.
        package var toldCount = 0
        /// How many notifications were merged into others.
        package var missedCount = 0
        /// How many notifications had no operations.
        package var emptyCount = 0
        /// The observer's state after its first answer and after each notification; empty unless traces are kept.
        package var trace: [Seen] = []
    }

    /// An observer's state at one moment.
    package struct Seen: Equatable, Sendable {
        /// The elements of the list as JSON.
        package var list: [[UInt8]]
        /// True if the list is stale.
        package var isStale: Bool

        /// Creates a state.
        package init(list: [[UInt8]], isStale: Bool) {
            self.list = list
            self.isStale = isStale
        }
    }

    private struct State {
        /// How many more notifications are accepted; nil for any number.
        var room: Int?
        var observers: [SubscriptionID: Observer] = [:]
        var entities: [EntityNotification] = []
        var statuses: [LibraryStatus] = []
        var refusedCount = 0
        var problems: [String] = []
    }

    private let state = Mutex(State())

    private let keepsTraces: Bool

    /// Creates a sink without observers.
    ///
    /// - Parameter keepsTraces: True to keep every state of every observer. Traces have no bound: use it only in short
    ///   tests.
    package init(keepsTraces: Bool = false) {
        self.keepsTraces = keepsTraces
    }

    /// Sets how many more notifications are accepted; nil for any number.
    package func setRoom(_ count: Int?) { state.withLock { $0.room = count } }

    /// Registers an observer with its first answer. Call it inside the reply.
    package func begin(_ subscription: SubscriptionID, _ list: [[UInt8]], isStale: Bool) {
        state.withLock {
            $0.observers[subscription] = Observer(list: list, isStale: isStale)
            if keepsTraces { $0.observers[subscription]?.trace = [Seen(list: list, isStale: isStale)] }
        }
    }

    /// Returns the state of an observer; nil if it is unknown.
    package func observer(_ subscription: SubscriptionID) -> Observer? {
        state.withLock { $0.observers[subscription] }
    }

    /// Removes an observer.
    package func forget(_ subscription: SubscriptionID) {
        state.withLock { _ = $0.observers.removeValue(forKey: subscription) }
    }

    /// The notifications about entities, in order.
    package var entities: [EntityNotification] { state.withLock { $0.entities } }
    /// The notifications about libraries, in order.
    package var statuses: [LibraryStatus] { state.withLock { $0.statuses } }
    /// How many notifications were refused.
    package var refusedCount: Int { state.withLock { $0.refusedCount } }
    /// The notifications that did not fit the state before them, in words; empty if all did.
    package var problems: [String] { state.withLock { $0.problems } }

    /// Applies a notification; returns false if there is no room.
    package func offer(_ notification: CacheNotification) -> Bool {
        state.withLock { state in
            if let room = state.room {
                guard room > 0 else {
                    state.refusedCount += 1
                    return false
                }
                state.room = room - 1
            }
            fold(notification, &state)
            return true
        }
    }

    /// Applies a notification even if there is no room.
    package func deliver(_ notification: CacheNotification) { state.withLock { fold(notification, &$0) } }

    private func fold(_ notification: CacheNotification, _ state: inout State) {
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
        case .document, .log: break
        }
    }
}
