import Synchronization
import Tidemark
import TidemarkModel

/// The requests that are answered later than their line: at most ``countMax``; further ones are refused.
package final class WaitingRequests: Sendable {
    /// The goal that a request waits for.
    enum Goal: Sendable {
        case query
        case flush
        /// A read of the disk that delays no other line.
        case inspection
        /// The commit of a change of layers.
        case disk
        case caughtUp(library: ByteString)
    }

    private struct Entry {
        var responder: Responder
        var goal: Goal
        /// The task that waits; nil when the cache does.
        var task: Task<Void, Never>?
    }

    private struct State {
        var nextNumber: UInt64 = 0
        /// The requests by number. Bounded by ``WaitingRequests/countMax``.
        var entries: [UInt64: Entry] = [:]
        /// The number of requests that were removed and are being answered.
        var answeringCount = 0
        /// The waiters for the end. Bounded by the one session.
        var endWaiters: [CheckedContinuation<Void, Never>] = []

        var isEmpty: Bool { entries.isEmpty && answeringCount == 0 }
    }

    static let countMax = 10_000

    private let state = Mutex(State())

    package init() {}

    /// - Returns: The number for finishing the request.
    /// - Throws: ``CacheError`` `limitExceeded`.
    func add(_ responder: Responder, _ goal: Goal) throws(CacheError) -> UInt64 {
        let number: UInt64? = state.withLock { state in
            guard state.entries.count < WaitingRequests.countMax else { return nil }
            defer { state.nextNumber += 1 }
            state.entries[state.nextNumber] = Entry(responder: responder, goal: goal)
            return state.nextNumber
        }
        guard let number else {
            throw CacheError(
                .limitExceeded, "\(WaitingRequests.countMax) requests wait already: ask again when some are answered")
        }
        return number
    }

    /// Sets the task that waits for a request; it is cancelled at once when the request was answered meanwhile.
    func set(_ task: Task<Void, Never>, for number: UInt64) {
        let isWaiting = state.withLock { state in
            guard state.entries[number] != nil else { return false }
            state.entries[number]?.task = task
            return true
        }
        if !isWaiting { task.cancel() }
    }

    /// Removes the request, lets it be answered, and counts it as done only after that: when the wait for the end is
    /// over, no answer may be missing.
    ///
    /// - Parameter answer: Gives the one answer. Not called when another caller has removed the request.
    func finish(_ number: UInt64, _ answer: (Responder) -> Void) {
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

    /// Whether every request was answered.
    var isEmpty: Bool { state.withLock { $0.isEmpty } }

    /// The requests that wait for a library's cursor, in the order they came.
    var caughtUps: [(number: UInt64, library: ByteString)] {
        state.withLock { state in
            state.entries.sorted { $0.key < $1.key }.compactMap { number, entry in
                guard case .caughtUp(let library) = entry.goal else { return nil }
                return (number, library)
            }
        }
    }

    /// Returns when every request was answered.
    func waitUntilEmpty() async {
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
