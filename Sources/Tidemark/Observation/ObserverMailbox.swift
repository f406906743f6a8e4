import Synchronization

/// The items of one observation that its reader has not read yet.
///
/// At most `notificationCountMax` notifications wait here. After that the cache merges changes until the reader has
/// emptied the mailbox and calls ``SyncCache/resume(_:)``. A closed mailbox drops all items.
package final class ObserverMailbox: ObserverSink {
    /// How many notifications wait: 16, enough for a burst of single changes. Merged ones serve a slower reader better.
    package static let notificationCountMax = 16

    /// What waits in a mailbox.
    package enum Item: Sendable {
        /// The first item of an observed query.
        case query(QueryAnswer)
        /// The first item of an observed entity.
        case entity(EntityRead)
        /// A change since the last item.
        case notification(CacheNotification)
        /// A fetch beside an answer from the cache failed; the observation continues.
        case fetchFailed(CacheError)
        /// The observation could not begin.
        case failed(CacheError)
    }

    /// What ``take()`` returns.
    package enum Taken: Sendable {
        /// The oldest item, which was removed.
        case item(Item)
        /// The mailbox is empty, and has refused a notification before.
        case roomAgain
        /// The mailbox is empty.
        case nothing
        /// The mailbox is closed.
        case closed
    }

    private struct State {
        var items: [Item] = []
        /// True if a notification was refused since ``Taken/roomAgain`` was last returned.
        var hasRefused = false
        var isClosed = false
        /// The reader that waits; at most one, because an observation has one reader.
        var waiter: CheckedContinuation<Void, Never>?
        /// The writers that wait for room. Bounded by the subscriptions that feed one mailbox.
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

    /// Adds a notification if there is room, and wakes the reader.
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

    /// Adds a notification even without room, and wakes the reader.
    package func deliver(_ notification: CacheNotification) {
        _ = put(.notification(notification))
    }

    /// Adds an item that is never refused: an answer, an error, or one merged notification.
    ///
    /// - Returns: False when the mailbox is closed.
    package func put(_ item: Item) -> Bool {
        let (isOpen, waiter) = state.withLock { state in
            if state.isClosed { return (false, state.takeWaiter()) }
            state.items.append(item)
            return (true, state.takeWaiter())
        }
        waiter?.resume()
        return isOpen
    }

    /// Removes and returns the oldest item, or why there is none.
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

    /// Returns when a notification has room, or when the mailbox is closed.
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

    /// Drops all items and closes the mailbox. Its reader then gets ``Taken/closed``.
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
