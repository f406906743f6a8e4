import Synchronization

/// The items of one observation that its reader has not read yet.
///
/// At most `notificationCountMax` notifications wait. Then the cache merges changes until ``SyncCache/resume(_:)``,
/// which the reader calls when nothing is left. A closed mailbox drops every item and returns none.
package final class ObserverMailbox: ObserverSink {
    /// The limit allows a burst of single changes; merged notifications serve a slower reader better.
    package static let notificationCountMax = 16

    package enum Item: Sendable {
        /// The first item of an observed query.
        case query(QueryAnswer)
        /// The first item of an observed entity.
        case entity(EntityRead)
        case notification(CacheNotification)
        /// The fetch that went on beside an answer from the cache failed; the observation continues.
        case fetchFailed(CacheError)
        /// The observation could not begin.
        case failed(CacheError)
    }

    package enum Taken: Sendable {
        case item(Item)
        /// The mailbox is empty, and a notification was refused.
        case roomAgain
        case nothing
        case closed
    }

    private struct State {
        var items: [Item] = []
        /// Whether a notification was refused since ``Taken/roomAgain`` was last returned.
        var hasRefused = false
        var isClosed = false
        /// The waiting reader; at most one, because an observation has one reader.
        var waiter: CheckedContinuation<Void, Never>?
        /// Writers that wait for room. Bounded by the subscriptions that feed one mailbox.
        var writers: [CheckedContinuation<Void, Never>] = []

        mutating func takeWriters() -> [CheckedContinuation<Void, Never>] {
            defer { writers = [] }
            return writers
        }

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

    /// Puts in an item of a kind that is never refused: an answer, an error, or at most one merged notification.
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

    /// Removes and returns the oldest item, or the reason why there is none.
    package func take() -> Taken {
        let (taken, writers) = state.withLock { state -> (Taken, [CheckedContinuation<Void, Never>]) in
            if state.isClosed { return (.closed, state.takeWriters()) }
            if !state.items.isEmpty { return (.item(state.items.removeFirst()), state.takeWriters()) }
            if state.hasRefused {
                state.hasRefused = false
                return (.roomAgain, [])
            }
            return (.nothing, [])
        }
        for writer in writers { writer.resume() }
        return taken
    }

    package func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.isClosed || state.items.count < ObserverMailbox.notificationCountMax { return true }
                state.writers.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// Returns when there is an item, or when the mailbox is closed. Cancelling the task closes the mailbox.
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

    /// Drops all waiting items and closes the mailbox. The reader then gets ``Taken/closed``.
    package func close() {
        let (waiter, writers) = state.withLock { state in
            state.isClosed = true
            state.items = []
            return (state.takeWaiter(), state.takeWriters())
        }
        waiter?.resume()
        for writer in writers { writer.resume() }
    }
}
