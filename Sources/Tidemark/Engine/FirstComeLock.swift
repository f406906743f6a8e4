/// Turns that are given in the order they are asked for; kept by one actor, which is also where its users run.
///
/// An actor lets calls interleave at every `await`. What has to happen one after another takes a turn. Waiters are
/// bounded by the number of callers, each of whom waits once.
struct FirstComeLock {
    private var isTaken = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var start = 0

    /// Whether the turn was free and is now taken.
    mutating func takeAtOnce() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
        waiters.append(continuation)
    }

    /// Gives the turn to whoever waits longest.
    mutating func giveBack() {
        guard start < waiters.count else {
            waiters.removeAll(keepingCapacity: true)
            start = 0
            isTaken = false
            return
        }
        let next = waiters[start]
        start += 1
        // Where somebody always waits the places of those that had their turn would add up.
        if start > FirstComeLock.spentCountMax, start * 2 > waiters.count {
            waiters.removeFirst(start)
            start = 0
        }
        next.resume()
    }

    /// Places of those that had their turn, before they are looked at: 64.
    private static let spentCountMax = 64
}
