import Synchronization
import Tidemark
import TidemarkModel

/// Requests whose answers are sent later than their line: at most ``countMax``; further ones are refused.
package final class WaitingRequests: Sendable {
    private struct Entry {
        var responder: Responder
        /// The library whose cursor the request waits for; nil if it waits for something else.
        var library: ByteString?
        /// The waiting task; nil if the cache itself will answer.
        var task: Task<Void, Never>?
    }

    private struct State {
        var nextNumber: UInt64 = 0
        /// The requests by number. Bounded by ``WaitingRequests/countMax``.
        var entries: [UInt64: Entry] = [:]
        /// How many requests were removed and are being answered.
        var answeringCount = 0
        /// Waiters for the end; at most one, the session.
        var endWaiters: [CheckedContinuation<Void, Never>] = []

        var isEmpty: Bool { entries.isEmpty && answeringCount == 0 }
    }

    /// The maximum number of waiting requests: 10,000.
    package static let countMax = 10_000

    private let state = Mutex(State())

    /// Creates an empty set.
    package init() {}

    /// Adds a request.
    ///
    /// - Parameter library: The library whose cursor the request waits for; nil if it waits for something else.
    /// - Returns: The number with which to finish the request.
    /// - Throws: ``CacheError`` `limitExceeded`.
    package func add(
        _ responder: Responder, untilCaughtUp library: ByteString? = nil
    ) throws(CacheError) -> UInt64 {
        let number: UInt64? = state.withLock { state in
            guard state.entries.count < WaitingRequests.countMax else { return nil }
            defer { state.nextNumber += 1 }
            state.entries[state.nextNumber] = Entry(responder: responder, library: library)
            return state.nextNumber
        }
        guard let number else {
            throw CacheError(
                .limitExceeded, "\(WaitingRequests.countMax) requests wait already: ask again when some are answered")
        }
        return number
    }

    /// Sets the task that waits on behalf of a request; cancels it if the request was already answered.
    package func set(_ task: Task<Void, Never>, for number: UInt64) {
        let isWaiting = state.withLock { state in
            guard state.entries[number] != nil else { return false }
            state.entries[number]?.task = task
            return true
        }
        if !isWaiting { task.cancel() }
    }

    /// Removes a request and answers it. It counts as done only after its answer, so that ``waitUntilEmpty()`` misses
    /// none.
    ///
    /// - Parameter answer: Gives the one answer. Not called if another caller has removed the request.
    package func finish(_ number: UInt64, _ answer: (Responder) -> Void) {
        let taken = state.withLock { state in
            let entry = state.entries.removeValue(forKey: number)
            if entry != nil { state.answeringCount += 1 }
            return entry
        }
        guard let taken else { return }
        taken.task?.cancel()
        answer(taken.responder)
        let waiters = state.withLock { state in
            state.answeringCount -= 1
            guard state.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.endWaiters = [] }
            return state.endWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// True if every request was answered.
    package var isEmpty: Bool { state.withLock { $0.isEmpty } }

    /// The requests that wait for a library's cursor, in order of arrival.
    package var caughtUps: [(number: UInt64, library: ByteString)] {
        state.withLock { state in
            state.entries.sorted { $0.key < $1.key }.compactMap { number, entry in
                entry.library.map { (number, $0) }
            }
        }
    }

    /// Returns once every request is answered.
    package func waitUntilEmpty() async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                if state.isEmpty { return false }
                state.endWaiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }
}
