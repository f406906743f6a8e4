/// The timers of a cache; each is nil while it is not set.
struct CacheTimers {
    /// A timer for a moment that an earlier one may replace.
    struct Alarm {
        /// Milliseconds since 1970.
        var moment: Int64
        var task: Task<Void, Never>
    }

    /// The end of the flush interval.
    var flush: Task<Void, Never>?
    /// The end of the reorder window.
    var gap: Task<Void, Never>?
    /// The end of the time without writes after which spare memory is freed.
    var spareMemory: Task<Void, Never>?
    /// The next request for lost numbers.
    private(set) var healing: Alarm?
    /// The earliest moment of the refresh schedule.
    private(set) var expiry: Alarm?
    /// The next attempt to send a request that waits.
    private(set) var outbox: Alarm?

    /// Sets the timer for lost numbers, unless it is set for the same moment or an earlier one.
    mutating func setHealing(at moment: Int64, _ start: () -> Task<Void, Never>) {
        CacheTimers.set(&healing, at: moment, start)
    }

    /// Sets the timer for refreshes, unless it is set for the same moment or an earlier one.
    mutating func setExpiry(at moment: Int64, _ start: () -> Task<Void, Never>) {
        CacheTimers.set(&expiry, at: moment, start)
    }

    /// Sets the timer for requests of edits, unless it is set for the same moment or an earlier one.
    mutating func setOutbox(at moment: Int64, _ start: () -> Task<Void, Never>) {
        CacheTimers.set(&outbox, at: moment, start)
    }

    /// - Parameter moment: The moment of the timer that fired; another one may be set by now.
    mutating func outboxFired(at moment: Int64) {
        if outbox?.moment == moment { outbox = nil }
    }

    mutating func healingFired() { healing = nil }

    /// - Parameter moment: The moment of the timer that fired; another one may be set by now.
    mutating func expiryFired(at moment: Int64) {
        if expiry?.moment == moment { expiry = nil }
    }

    mutating func cancelFlush() {
        flush?.cancel()
        flush = nil
    }

    /// Cancels the timers that cause changes or requests, when the cache begins to close.
    func cancelInput() {
        gap?.cancel()
        healing?.task.cancel()
        expiry?.task.cancel()
        outbox?.task.cancel()
        spareMemory?.cancel()
    }

    private static func set(_ alarm: inout Alarm?, at moment: Int64, _ start: () -> Task<Void, Never>) {
        if let alarm, alarm.moment <= moment { return }
        alarm?.task.cancel()
        alarm = Alarm(moment: moment, task: start())
    }
}
