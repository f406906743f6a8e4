/// Where the cache's own tasks wait while it is suspended. It belongs to one actor, and only code on that actor uses
/// it.
///
/// The number of waiters is bounded by the tasks of a cache: one for each input, request, attempt and timer.
struct ActivityGate {
    private var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { waiters.append(continuation) }

    /// Wakes all waiters, in the order of arrival.
    mutating func open() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter.resume() }
    }
}
