import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkStore

/// The memory and the log of a unit, without lists and entities.
@Suite(.pooled) struct ChangeRecorderTests {
    private func change(of query: QueryID, previous: Int?) -> ChangeRecord {
        .query(QueryChange(query: query, steps: [], isStale: true, isPending: false, asOf: nil, previous: previous))
    }

    @Test func `a unit forgets what it remembered when it ends`() {
        var recorder = ChangeRecorder()
        recorder.begin(isMulti: true)
        recorder.noteTouched(3)
        recorder.keep([1, 2], before: 7, isPartial: true)
        recorder.noteChanged(7)
        recorder.noteRenamed(7, to: 8)
        recorder.becomeUncertain()
        recorder.unpinAtEnd(7)
        #expect(recorder.isOpen && recorder.isMulti && recorder.isUncertain && !recorder.isClean)
        #expect(recorder.payloadsBefore[7] == [1, 2] && recorder.partialBefore == [7])
        #expect(recorder.current(7) == 8 && recorder.current(9) == 9)
        recorder.end()
        #expect(!recorder.isOpen && !recorder.isUncertain && recorder.isClean)
        #expect(recorder.payloadsBefore[7] == nil && recorder.partialBefore.isEmpty && recorder.entities.isEmpty)
        #expect(recorder.renamed.isEmpty && recorder.unpins.isEmpty)
    }

    @Test func `an entity that changes twice is logged once, in the order of the first change`() {
        var recorder = ChangeRecorder()
        recorder.begin(isMulti: true)
        for handle: ListHandle in [5, 2, 5, 9, 2] { recorder.noteChanged(handle) }
        #expect(recorder.entities == [5, 2, 9])
    }

    @Test func `queries are logged in the order of their numbers`() {
        var recorder = ChangeRecorder()
        recorder.begin(isMulti: true)
        for query: QueryID in [4, 1, 2] { recorder.noteTouched(query) }
        recorder.sortTouched { [4: 10, 1: 30, 2: 20][$0, default: 0] }
        #expect(recorder.touched == [4, 2, 1])
    }

    @Test func `a handle stays pinned to the end of a larger unit alone`() {
        var recorder = ChangeRecorder()
        #expect(recorder.deferUnpin(of: 1) == false)
        recorder.begin(isMulti: false)
        #expect(recorder.deferUnpin(of: 1) == false)
        recorder.end()
        recorder.begin(isMulti: true)
        #expect(recorder.deferUnpin(of: 1) == true)
        #expect(recorder.deferUnpin(of: 1) == true)
        #expect(recorder.unpins == [1, 1])
    }

    @Test func `lags that begin later know the value that a small unit logged`() {
        var recorder = ChangeRecorder()
        recorder.begin(isMulti: false)
        recorder.keep([1], before: 6, isPartial: false)
        recorder.noteKnown([.remove(5, at: 0)])
        #expect(recorder.knownHandle == nil)
        recorder.noteKnown([.remove(6, at: 0)])
        #expect(recorder.knownHandle == 6)
        recorder.noteKnown([.replace(4, at: 0)])
        #expect(recorder.knownHandle == 4)
        recorder.end()
        recorder.begin(isMulti: true)
        recorder.noteKnown([.replace(4, at: 0)])
        #expect(recorder.knownHandle == nil)
    }

    @Test func `ended layers are given once, each once, ascending`() {
        var recorder = ChangeRecorder()
        recorder.noteEnded([4, 2])
        recorder.noteEnded([2, 3])
        #expect(recorder.removeEndedLayers() == [2, 3, 4])
        #expect(recorder.removeEndedLayers() == [])
    }

    @Test func `a query is listed once for all its changes in the log`() {
        var recorder = ChangeRecorder()
        recorder.append(change(of: 3, previous: nil))
        recorder.append(change(of: 3, previous: 0))
        recorder.append(change(of: 1, previous: nil))
        #expect(recorder.logged == [3, 1] && recorder.log.count == 3)
        recorder.clearLog()
        #expect(recorder.logged.isEmpty && recorder.log.isEmpty)
    }

    @Test func `the late event is known while it is applied`() {
        var recorder = ChangeRecorder()
        recorder.beginLate(EventSequence(5))
        #expect(recorder.lateSequence == EventSequence(5))
        recorder.endLate()
        #expect(recorder.lateSequence == nil)
    }
}
