/// A lock whose turns are given in the order they are asked for; one actor holds it, and its users run on that actor.
///
/// An actor lets calls interleave at every `await`. Work that has to be done one piece after another takes a turn.
/// The waiters are bounded by the number of callers, each of which waits once.
struct FairLock {
    private var isTaken = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var start = 0

    /// Takes the turn if it is free, and tells whether it was.
    mutating func takeAtOnce() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
        waiters.append(continuation)
    }

    /// Gives the turn to the waiter that waits longest.
    mutating func release() {
        guard start < waiters.count else {
            waiters.removeAll(keepingCapacity: true)
            start = 0
            isTaken = false
            return
        }
        let next = waiters[start]
        start += 1
        // When there is always a waiter, the places of served waiters would add up.
        if start > FairLock.spentCountMax, start * 2 > waiters.count {
            waiters.removeFirst(start)
            start = 0
        }
        next.resume()
    }

    /// The number of served waiters above which their places are removed: 64.
    private static let spentCountMax = 64
}
