/// The timers of a cache. Each is nil while it is not set.
struct CacheTimers {
    /// A timer for a moment. Setting it for an earlier moment replaces it.
    struct Alarm {
        /// The moment at which the timer fires, in milliseconds since 1970.
        var moment: Int64
        var task: Task<Void, Never>
    }

    /// Fires at the end of the flush interval.
    var flush: Task<Void, Never>?
    /// Fires at the end of the reorder window.
    var gap: Task<Void, Never>?
    /// Fires when nothing was written for ``CacheConfiguration/spareMemoryInterval``; spare memory is freed then.
    var spareMemory: Task<Void, Never>?
    /// Fires when the next request for lost numbers is due.
    private(set) var healing: Alarm?
    /// Fires at the earliest moment of the refresh schedule.
    private(set) var expiry: Alarm?
    /// Fires when the next waiting request is due to be sent.
    private(set) var outbox: Alarm?

    /// Sets the timer for lost numbers, unless it is set for the same moment or an earlier one.
    mutating func setHealing(at moment: Int64, _ start: () -> Task<Void, Never>) {
        CacheTimers.set(&healing, at: moment, start)
    }

    /// Sets the timer for refreshes, unless it is set for the same moment or an earlier one.
    mutating func setExpiry(at moment: Int64, _ start: () -> Task<Void, Never>) {
        CacheTimers.set(&expiry, at: moment, start)
    }

    /// Sets the timer for the next waiting request of an edit, unless it is set for the same moment or an earlier one.
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
