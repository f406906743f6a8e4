import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore

/// The state of each observer of one sink: its first answer with all its notifications applied. The sink has room for
/// few notifications, so that the cache holds others back.
final class RaceSink: ObserverSink {
    /// The state of one observer.
    enum Seen: Equatable {
        case list([[UInt8]], isStale: Bool)
        case entity([UInt8]?)
        case cancelled
    }

    fileprivate struct State {
        var seen: [SubscriptionID: Seen] = [:]
        var subjects: [SubscriptionID: String] = [:]
        var room: Int
        var problems: [String] = []
    }

    private let state: Mutex<State>

    init(room: Int) {
        state = Mutex(State(room: room))
    }

    /// Sets the first answer of an observer, inside the step that made it.
    ///
    /// - Parameter subject: The observed list or entity.
    func begin(_ subscription: SubscriptionID?, of subject: String, _ first: Seen) {
        state.withLock { state in
            guard let subscription else { return state.problems.append("an answer came without a subscription") }
            guard state.seen[subscription] == nil else {
                return state.problems.append("\(subscription) was told something before its answer, or has two")
            }
            state.seen[subscription] = first
            state.subjects[subscription] = subject
        }
    }

    /// Ends an observer: no notification may come for it any more.
    func end(_ subscription: SubscriptionID) {
        state.withLock { $0.seen[subscription] = .cancelled }
    }

    func makeRoom(_ count: Int) {
        state.withLock { $0.room = count }
    }

    var subscriptions: [SubscriptionID] {
        state.withLock { $0.seen.filter { $0.value != .cancelled }.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    /// The state of each observer that was not cancelled, with its subject.
    var seen: [(subject: String, seen: Seen)] {
        state.withLock { state in
            state.seen.filter { $0.value != .cancelled }.map { (state.subjects[$0.key] ?? "", $0.value) }
        }
    }

    var problems: [String] { state.withLock { $0.problems } }

    func offer(_ notification: CacheNotification) -> Bool {
        state.withLock { state in
            guard state.room > 0 else { return false }
            state.room -= 1
            state.take(notification)
            return true
        }
    }

    func deliver(_ notification: CacheNotification) {
        state.withLock { $0.take(notification) }
    }
}

extension RaceSink.State {
    fileprivate mutating func take(_ notification: CacheNotification) {
        switch notification {
        case .query(let change):
            guard case .list(var list, _)? = seen[change.subscription] else {
                return problems.append("\(change) for one that sees \(String(describing: seen[change.subscription]))")
            }
            for operation in change.operations where !fold(operation, &list) {
                return problems.append("\(change) cannot be applied to \(list.count) elements")
            }
            seen[change.subscription] = .list(list, isStale: change.isStale)
        case .entity(let change):
            guard case .entity? = seen[change.subscription] else {
                return problems.append("\(change) for one that sees \(String(describing: seen[change.subscription]))")
            }
            seen[change.subscription] = .entity(change.entity)
        case .library, .document, .log:
            problems.append("nobody asked for \(notification)")
        }
    }

    private func fold(_ operation: ListOperation<[UInt8]>, _ list: inout [[UInt8]]) -> Bool {
        switch operation {
        case .add(let element, let index):
            guard index <= list.count else { return false }
            list.insert(element, at: index)
        case .remove(let index):
            guard index < list.count else { return false }
            list.remove(at: index)
        case .replace(let element, let index):
            guard index < list.count else { return false }
            list[index] = element
        case .move(let from, let to):
            guard from < list.count, to < list.count else { return false }
            list.insert(list.remove(at: from), at: to)
        }
        return true
    }
}
