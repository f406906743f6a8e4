import TestTraits
import Testing

@testable import Tidemark

@Suite(.pooled) struct CacheTimersTests {
    @Test func `an alarm is replaced by an earlier one alone`() {
        var timers = CacheTimers()
        var started = 0
        func start() -> Task<Void, Never> {
            started += 1
            return Task {}
        }
        timers.setExpiry(at: 100, start)
        let first = timers.expiry?.task
        timers.setExpiry(at: 100, start)
        timers.setExpiry(at: 200, start)
        #expect(started == 1 && timers.expiry?.moment == 100)
        timers.setExpiry(at: 50, start)
        #expect(started == 2 && timers.expiry?.moment == 50 && first?.isCancelled == true)
        // The alarm for another moment has fired: the current one stays.
        timers.expiryFired(at: 100)
        #expect(timers.expiry?.moment == 50)
        timers.expiryFired(at: 50)
        #expect(timers.expiry == nil)
    }

    @Test func `a cache that begins to close cancels the timers that cause changes, and leaves the flush timer`() {
        var timers = CacheTimers()
        timers.flush = Task {}
        timers.gap = Task {}
        timers.spareMemory = Task {}
        timers.setHealing(at: 1) { Task {} }
        timers.setOutbox(at: 1) { Task {} }
        timers.setExpiry(at: 1) { Task {} }
        timers.cancelInput()
        let cancelled = [
            timers.gap, timers.spareMemory, timers.healing?.task, timers.outbox?.task, timers.expiry?.task,
        ].map { $0?.isCancelled }
        #expect(cancelled == [true, true, true, true, true] && timers.flush?.isCancelled == false)
        timers.cancelFlush()
        #expect(timers.flush == nil)
        timers.outboxFired(at: 2)
        #expect(timers.outbox != nil)
        timers.outboxFired(at: 1)
        timers.healingFired()
        #expect(timers.outbox == nil && timers.healing == nil)
    }
}
