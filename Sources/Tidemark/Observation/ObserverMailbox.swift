import Synchronization

/// What one observation was told and has not read yet.
///
/// At most `notificationCountMax` notifications wait. Then the cache keeps changes together until
/// ``SyncCache/resume(_:)``, which whoever reads calls when nothing is left. Closed, it takes and gives nothing.
package final class ObserverMailbox: ObserverSink {
    /// Enough for a burst of single changes; a reader that is further behind is better served with merged ones.
    package static let notificationCountMax = 16

    package enum Item: Sendable {
        /// The first one.
        case query(QueryAnswer)
        /// The first one.
        case entity(EntityRead)
        case notification(CacheNotification)
        /// The fetch beside an answer from the cache failed; the observation goes on.
        case fetchFailed(CacheError)
        /// There is no observation.
        case failed(CacheError)
    }

    package enum Taken: Sendable {
        case item(Item)
        /// Nothing is left, and something was refused.
        case roomAgain
        case nothing
        case closed
    }

    private struct State {
        var items: [Item] = []
        /// Something was refused since ``Taken/roomAgain`` was last given.
        var hasRefused = false
        var isClosed = false
        /// One at most: an observation has one reader.
        var waiter: CheckedContinuation<Void, Never>?

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Mutex(State())

    package init() {}

    package func offer(_ notification: CacheNotification) -> Bool {
        let (isTaken, waiter) = state.withLock { state in
            if state.isClosed { return (true, state.takeWaiter()) }
            if state.items.count >= ObserverMailbox.notificationCountMax {
                state.hasRefused = true
                return (false, nil)
            }
            state.items.append(.notification(notification))
            return (true, state.takeWaiter())
        }
        waiter?.resume()
        return isTaken
    }

    package func deliver(_ notification: CacheNotification) {
        _ = put(.notification(notification))
    }

    /// Puts in what is never refused: answers, errors, and at most one merged notification.
    ///
    /// - Returns: false when the mailbox is closed.
    package func put(_ item: Item) -> Bool {
        let (isOpen, waiter) = state.withLock { state in
            if state.isClosed { return (false, state.takeWaiter()) }
            state.items.append(item)
            return (true, state.takeWaiter())
        }
        waiter?.resume()
        return isOpen
    }

    /// The oldest item, or why there is none.
    package func take() -> Taken {
        state.withLock { state in
            if state.isClosed { return .closed }
            if !state.items.isEmpty { return .item(state.items.removeFirst()) }
            if state.hasRefused {
                state.hasRefused = false
                return .roomAgain
            }
            return .nothing
        }
    }

    /// Returns when there is something to take, or the mailbox is closed, which cancelling the task does.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.isClosed || !state.items.isEmpty { return true }
                    precondition(state.waiter == nil, "two tasks read one observation; give each its own iterator")
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            close()
        }
    }

    /// Forgets what waits. Whoever reads is told that it is over.
    package func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            state.items = []
            return state.takeWaiter()
        }
        waiter?.resume()
    }
}
