import TestTraits
import Testing
import TidemarkModel
import TidemarkStore

@testable import Tidemark

@Suite(.pooled) struct FlushScheduleTests {
    private struct NumberedChange: AttachedChange {
        let number: Int
    }

    private let policy = FlushPolicy()
    private static let failure = StorageError(.diskFull, "the disk is full", advice: "free some space")

    private func unwritten(_ count: Int, byteCount: Int = 0, tombstoneShare: Double = 0) -> FlushSchedule.Unwritten {
        FlushSchedule.Unwritten(isAny: count > 0, count: count, byteCount: byteCount, tombstoneShare: tombstoneShare)
    }

    private func pending() -> PendingFlush {
        PendingFlush(flush: FlushBatch(), lines: [:], libraries: [:], places: [])
    }

    @Test func `without changes lines are acknowledged at once`() {
        #expect(FlushSchedule().step(unwritten(0), policy: policy, maySetTimer: true) == .acknowledge)
    }

    @Test func `few changes wait for the timer, and many begin a flush`() {
        let schedule = FlushSchedule()
        func step(_ unwritten: FlushSchedule.Unwritten, maySetTimer: Bool = true) -> FlushSchedule.Step {
            schedule.step(unwritten, policy: policy, maySetTimer: maySetTimer)
        }
        #expect(step(unwritten(1)) == .setTimer)
        #expect(step(unwritten(1), maySetTimer: false) == .none)
        #expect(step(unwritten(policy.startCount)) == .begin)
        #expect(step(unwritten(1, byteCount: policy.byteCountMax)) == .begin)
        #expect(step(unwritten(1, tombstoneShare: 0.25)) == .begin)
    }

    @Test func `a flush is under way until it ends, and takes the attached changes that came before it`() {
        var schedule = FlushSchedule()
        let changes = (1...3).map { NumberedChange(number: $0) }
        schedule.add([changes[0]])
        schedule.add([changes[1]])
        #expect(schedule.hasAttachedChanges)
        let taken = schedule.takeAttachedChanges()
        #expect(taken.count == 2 && !schedule.hasAttachedChanges && !schedule.isUnderWay)
        schedule.began(Task {})
        #expect(schedule.isUnderWay)
        schedule.add([changes[2]])
        schedule.putBack(taken)
        schedule.ended()
        #expect(!schedule.isUnderWay)
        let all = schedule.takeAttachedChanges()
        #expect(all.map { ($0 as? NumberedChange)?.number } == [1, 2, 3])
        schedule.record(.milliseconds(3), isCommitted: true)
        schedule.record(.milliseconds(3), isCommitted: false)
        #expect(schedule.times.committedCount == 1 && schedule.times.failedCount == 1)
    }

    @Test func `a failed flush is kept, its cause is new once, and the pauses before its repetition grow`() {
        var schedule = FlushSchedule()
        let isNew = schedule.failed(pending(), Self.failure)
        #expect(isNew && schedule.hasFailed && schedule.error == Self.failure)
        #expect(schedule.step(unwritten(0), policy: policy, maySetTimer: true) == .none)
        var pauses: [Int64] = []
        for _ in 0..<9 {
            pauses.append(schedule.retryDelay)
            let failed = schedule.takeFailed()
            #expect(failed != nil && !schedule.hasFailed)
            let isNewAgain = schedule.failed(pending(), Self.failure)
            #expect(!isNewAgain)
        }
        #expect(pauses == [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
        _ = schedule.takeFailed()
        let isFirst = schedule.committed()
        #expect(isFirst && schedule.error == nil && schedule.commitCount == 1)
        let isFirstAgain = schedule.committed()
        #expect(!isFirstAgain)
        let isNewAfterSuccess = schedule.failed(pending(), Self.failure)
        #expect(isNewAfterSuccess && schedule.retryDelay == 50)
    }

    @Test func `the first flush waits for the opening, and the pauses after its failures grow`() {
        var schedule = FlushSchedule()
        #expect(!schedule.awaitsOpening)
        schedule.waitForOpening()
        #expect(schedule.awaitsOpening)
        schedule.openingFailed(Self.failure)
        #expect(schedule.awaitsOpening && schedule.error == Self.failure && schedule.retryDelay == 50)
        schedule.openingFailed(Self.failure)
        #expect(schedule.retryDelay == 100)
        schedule.openingEnded()
        #expect(!schedule.awaitsOpening && schedule.error == nil && schedule.retryDelay == 50)
        #expect(!schedule.hasFailed && schedule.commitCount == 0)
    }
}
