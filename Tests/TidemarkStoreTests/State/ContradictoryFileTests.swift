import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkStore

/// Records of a data file, and limits of a recording, that contradict themselves: whoever can compute a checksum writes
/// any.
@Suite(.pooled) struct ContradictoryFileTests {
    private func recovered(cursor: EventSequence? = EventSequence(9)) -> RecoveredState {
        var state = RecoveredState()
        state.libraries = [
            LibraryRecord(
                index: 0, name: "a", epoch: nil, generation: 0, cursor: cursor, isStale: false, lost: [], entityCount: 0
            )
        ]
        state.types = ["file"]
        return state
    }

    @Test func `a list that names an entity twice lists it once, is stale, and is written anew`() {
        var recovered = recovered()
        let elements = ["x", "y", "x", "x", "z", "y"].map { QueryElement(id: .text($0)) }
        recovered.queries = [
            QueryRecord(
                number: 1, library: 0, type: 0, method: "files", input: "{}", tags: "", membership: "", isLocal: false,
                timeToLive: nil, asOf: nil, storedAt: 5, staleSince: nil, horizon: nil, elements: elements)
        ]
        recovered.lastQuery = 1
        var state = CacheState(configuration: CacheStateConfiguration(), recovered: recovered, seed: 1)
        state.beginUnit(isMulti: true)
        state.endUnit(at: 7)
        state.queries.checkInvariants()
        let record = state.takeFlush().queries.first
        #expect(record?.elements.map(\.id) == [.text("x"), .text("y"), .text("z")])
        #expect(record?.staleSince == 5)
    }

    @Test func `lost numbers without a cursor are asked for as any others, and again after a delay`() {
        var recovered = recovered(cursor: nil)
        recovered.libraries[0].lost = [LostRange(first: EventSequence(3), last: EventSequence(4))]
        var state = CacheState(
            configuration: CacheStateConfiguration(hasUpstream: true), recovered: recovered, seed: 1)
        let asked = ReconcileRequest.ask(library: 0, from: EventSequence(3), attempt: 1)
        #expect(state.beginHealing(0, at: 0) == [asked])
        #expect(
            state.postponeReconcile(of: 0, attempt: 1)
                == [.wait(library: 0, attempt: 1, milliseconds: ReconcileMachine.postponeDelay)])
        #expect(
            state.resumeReconcile(of: 0, attempt: 1, at: 1)
                == [.ask(library: 0, from: EventSequence(3), attempt: 2)])
    }

    @Test func `room for no lost range is room for one`() {
        var lost = LostRanges(countMax: 0)
        lost.insert(LostRange(first: EventSequence(3), last: EventSequence(4)))
        lost.insert(LostRange(first: EventSequence(9), last: EventSequence(9)))
        #expect(lost.ranges == [LostRange(first: EventSequence(3), last: EventSequence(9))])
    }
}
