/// A lock that serves its waiters in the order of arrival. It belongs to one actor, and only code on that actor uses
/// it.
///
/// An actor lets calls interleave at every `await`; work that must not interleave takes this lock. The number of
/// waiters is bounded by the number of callers, each of which waits once.
struct FairLock {
    private var isTaken = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var start = 0

    /// Takes the lock if it is free.
    ///
    /// - Returns: True if the lock was free.
    mutating func takeAtOnce() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
        waiters.append(continuation)
    }

    /// Passes the lock to the caller that has waited longest, or frees it.
    mutating func release() {
        guard start < waiters.count else {
            waiters.removeAll(keepingCapacity: true)
            start = 0
            isTaken = false
            return
        }
        let next = waiters[start]
        start += 1
        // While there is always a waiter, the array would keep the places of all waiters that were served.
        if start > FairLock.spentCountMax, start * 2 > waiters.count {
            waiters.removeFirst(start)
            start = 0
        }
        next.resume()
    }

    /// The number of served waiters above which their places are removed: 64.
    private static let spentCountMax = 64
}
