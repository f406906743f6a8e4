import TestTraits
import Testing
import TidemarkModel
import TidemarkStore

@testable import Tidemark

/// The requests to an upstream, without a cache, a clock or an upstream.
@Suite(.pooled) struct UpstreamRequestsTests {
    private let lost = [LostRange(first: EventSequence(2), last: EventSequence(3))]
    private let minute: Int64 = 60_000

    @Test func `the end of an attempt leaves the task of the attempt that replaced it`() {
        var requests = UpstreamRequests()
        #expect(requests.isEmpty && requests.first == nil && requests.all.isEmpty)
        let library = LibraryIndex(rawValue: 3)
        let old = Task {}
        let new = Task {}
        requests.began(1, of: library, old)
        requests.cancel(library)
        requests.began(2, of: library, new)
        #expect(old.isCancelled && !new.isCancelled)
        requests.ended(1, of: library)
        #expect(requests.task(of: library) == new && requests.first == new && requests.all == [new])
        requests.ended(2, of: LibraryIndex(rawValue: 4))
        #expect(requests.task(of: library) == new)
        requests.ended(2, of: library)
        #expect(requests.isEmpty && requests.task(of: library) == nil)
    }

    @Test func `a cache that closes cancels the tasks of all libraries`() {
        var requests = UpstreamRequests()
        let started = (0..<3).map { _ in Task {} }
        for (index, task) in started.enumerated() { requests.began(1, of: LibraryIndex(rawValue: UInt16(index)), task) }
        requests.cancelAll()
        #expect(started.allSatisfy(\.isCancelled) && requests.all.count == 3)
    }

    @Test func `the schedule changes only when numbers were lost since`() {
        var requests = UpstreamRequests()
        let first = requests.followLosses(lossCount: 1, lossy: { [0] }, at: { 0 })
        #expect(first && requests.nextHealing == 10 * minute)
        let again = requests.followLosses(lossCount: 1, lossy: { [0, 1] }, at: { minute })
        #expect(!again)
        requests.wantAllHealing(at: minute)
        expectDue([0], in: &requests, lossy: [0], at: minute)
        let second = requests.followLosses(lossCount: 2, lossy: { [0, 1] }, at: { minute })
        #expect(second)
        requests.wantHealing(of: [1], at: minute)
        expectDue([0, 1], in: &requests, lossy: [0, 1], at: minute)
        expectDue([1], in: &requests, lossy: [1], at: minute)
    }

    @Test func `a library that cannot be asked for lost numbers now is asked a little later`() {
        var requests = lossy([4])
        requests.wantAllHealing(at: 0)
        let isSent = requests.beginsHealing(4, lost: nil, at: 0)
        #expect(!isSent && requests.nextHealing == 1_000)
        expectDue([], in: &requests, lossy: [4], at: 0)
        let isSentLater = requests.beginsHealing(4, lost: lost, at: 1_000)
        #expect(isSentLater && requests.nextHealing == nil)
    }

    @Test func `the end of another request ends no request for lost numbers`() {
        var requests = lossy([4])
        let isSent = requests.beginsHealing(4, lost: lost, at: 0)
        #expect(isSent)
        requests.followHealing(
            of: 4, isAnswered: true, isHealing: true, lost: { lost }, lossy: { [4] }, at: 0)
        #expect(requests.nextHealing == nil)
        requests.followHealing(
            of: 4, isAnswered: true, isHealing: false, lost: { lost }, lossy: { [4] }, at: 0)
        #expect(requests.nextHealing == 10 * minute)
        requests.followHealing(of: 4, isAnswered: false, isHealing: false, lost: { [] }, lossy: { [] }, at: 0)
        #expect(requests.nextHealing == nil)
    }

    @Test func `an answer to one library makes those due that the upstream did not answer`() {
        var requests = lossy([1, 2])
        let isSent = requests.beginsHealing(1, lost: lost, at: 0)
        #expect(isSent)
        requests.unreached(1)
        requests.followHealing(
            of: 1, isAnswered: false, isHealing: false, lost: { lost }, lossy: { [1, 2] }, at: 0)
        #expect(requests.nextHealing == 10 * minute)
        requests.followHealing(
            of: 2, isAnswered: true, isHealing: false, lost: { lost }, lossy: { [1, 2] }, at: 5)
        expectDue([1], in: &requests, lossy: [1, 2], at: 5)
    }

    /// Requests to an upstream of libraries that lost numbers at the time 0.
    private func lossy(_ libraries: [LibraryIndex]) -> UpstreamRequests {
        var requests = UpstreamRequests()
        let isUpdated = requests.followLosses(lossCount: 1, lossy: { libraries }, at: { 0 })
        #expect(isUpdated)
        return requests
    }

    private func expectDue(
        _ wanted: [LibraryIndex], in requests: inout UpstreamRequests, lossy: [LibraryIndex], at now: Int64
    ) {
        let due = requests.dueHealings(lossy: lossy, at: now)
        #expect(due == wanted)
    }
}
