import TestTraits
import Testing
import TidemarkModel
import TidemarkStore

@testable import Tidemark

@Suite(.pooled) struct RefreshScheduleTests {
    @Test func `targets are due at their moments, and a moved check is not due at its old one`() {
        var schedule = RefreshSchedule()
        let subscription = SubscriptionID(7)
        schedule[subscription] = Refresh(ages: OperationAges())
        schedule.insertList(3, at: 20, listCount: 1, listMoment: { _ in 20 })
        schedule.insertObserver(subscription, at: 10, listCount: 1, listMoment: { _ in 20 })
        schedule.insertObserver(subscription, at: 30, listCount: 1, listMoment: { _ in 20 })
        #expect(schedule.first == 10)
        let early = schedule.takeDue(at: 20)
        #expect(early.lists == [3] && early.observers.isEmpty)
        let late = schedule.takeDue(at: 30)
        #expect(late.lists.isEmpty && late.observers == [subscription])
        #expect(schedule.first == nil)
    }

    @Test func `entries that are out of date do not accumulate`() {
        var schedule = RefreshSchedule()
        let subscription = SubscriptionID(1)
        schedule[subscription] = Refresh(ages: OperationAges())
        for moment in 0..<10_000 {
            schedule.insertObserver(subscription, at: Int64(moment), listCount: 0, listMoment: { _ in nil })
        }
        var roundCount = 0
        var due: [SubscriptionID] = []
        while let first = schedule.first {
            roundCount += 1
            due += schedule.takeDue(at: first).observers
        }
        #expect(due == [subscription])
        #expect(roundCount <= 67)
    }
}
