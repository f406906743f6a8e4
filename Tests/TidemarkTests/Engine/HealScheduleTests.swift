import TestTraits
import Testing
import TidemarkModel
import TidemarkStore

@testable import Tidemark

/// The moments at which lost numbers are asked for again, without a cache or a clock.
@Suite(.pooled) struct HealScheduleTests {
    private let lost = [LostRange(first: EventSequence(2), last: EventSequence(3))]
    private let minute: Int64 = 60_000

    @Test func `everything is due when the cache is opened, later losses after ten minutes`() {
        var schedule = HealSchedule()
        schedule.follow([0, 2], at: 5)
        schedule.makeAllDue(at: 5)
        #expect(schedule.due(at: 5) == [0, 2])
        schedule.follow([0, 1, 2], at: 7)
        #expect(schedule.due(at: 7) == [0, 2])
        #expect(schedule.due(at: 7 + 10 * minute) == [0, 1, 2])
        #expect(schedule.due(at: 6 + 10 * minute) == [0, 2])
    }

    @Test func `pauses double without progress, up to a day, and begin anew after some`() {
        var schedule = HealSchedule()
        schedule.follow([4], at: 0)
        schedule.makeAllDue(at: 0)
        var now: Int64 = 0
        var pauses: [Int64] = []
        for _ in 0..<10 {
            #expect(schedule.due(at: now) == [4])
            schedule.asked(4, lost: lost)
            #expect(schedule.due(at: .max) == [] && schedule.nextDue == nil)
            schedule.answered(4, lost: lost, at: now)
            let next = schedule.nextDue ?? 0
            pauses.append((next - now) / minute)
            now = next
        }
        #expect(pauses == [10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440])
        schedule.asked(4, lost: lost)
        schedule.answered(4, lost: [LostRange(first: EventSequence(3), last: EventSequence(3))], at: now)
        #expect(schedule.nextDue == now + 10 * minute)
    }

    @Test func `a library without lost numbers is not asked for`() {
        var schedule = HealSchedule()
        schedule.follow([1], at: 0)
        schedule.makeDue(1, at: 3)
        schedule.asked(1, lost: lost)
        schedule.answered(1, lost: [], at: 4)
        #expect(schedule.isEmpty && schedule.nextDue == nil)
        schedule.follow([1], at: 0)
        schedule.follow([], at: 1)
        #expect(schedule.isEmpty)
    }

    @Test func `a reachable upstream makes all libraries due, except those being asked for`() {
        var schedule = HealSchedule()
        schedule.follow([1, 2], at: 0)
        schedule.makeDue(1, at: 0)
        schedule.asked(1, lost: lost)
        schedule.makeAllDue(at: 9)
        #expect(schedule.due(at: 9) == [2])
        #expect(schedule.isAsking(1) && !schedule.isAsking(2) && !schedule.isAsking(3))
        schedule.postpone(2, at: 9)
        #expect(schedule.due(at: 9) == [] && schedule.due(at: 1_009) == [2])
    }
}
