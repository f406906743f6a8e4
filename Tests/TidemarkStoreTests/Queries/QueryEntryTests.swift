import TidemarkModel
import TestTraits
import Testing

@testable import TidemarkStore

/// One query by itself, without a store.
@Suite(.pooled) struct QueryEntryTests {
    private func entry() -> QueryEntry {
        QueryEntry(key: QueryKey(library: "home", method: "files.list", canonicalInput: "{}"), library: 0, number: 7)
    }

    @Test func `a row is removed once, and a query that has none removes nothing`() {
        var entry = entry()
        let result1 = entry.voidRow()
        #expect(result1 == nil)
        entry.noteRowWritten()
        let result2 = entry.voidRow()
        #expect(result2 == 7)
        let result3 = entry.voidRow()
        #expect(result3 == nil)
    }

    @Test func `a query is dirty once until a flush has looked at it`() {
        var entry = entry()
        #expect(entry.markDirty() == true)
        #expect(entry.markDirty() == false)
        entry.markClean()
        #expect(entry.markDirty() == true)
    }

    @Test func `the first and the last observer are known, and a lagging one needs no change as it happens`() {
        var entry = entry()
        #expect(entry.beginObserving(at: 0) == true)
        #expect(entry.beginObserving(at: 0) == false)
        entry.beginLag(1, isWhole: true)
        #expect(entry.observerCount == 2 && entry.listenerCount == 1 && entry.lastLag == 1)
        entry.endLag(isWhole: true)
        #expect(entry.endObserving() == false)
        #expect(entry.endObserving() == true)
        #expect(entry.listenerCount == 0)
    }

    @Test func `a rewind lowers only what is above it`() {
        var entry = entry()
        let record = QueryRecord(
            number: 7, library: 0, type: 0, method: "files.list", input: "{}", tags: "", membership: "",
            isLocal: false, timeToLive: nil, asOf: EventSequence(9), storedAt: 5, staleSince: nil, horizon: nil,
            elements: [])
        entry.restore(record, nil)
        #expect(entry.rewind(to: EventSequence(9)) == false)
        #expect(entry.rewind(to: EventSequence(4)) == true)
        #expect(entry.asOf == EventSequence(4) && entry.listedThrough == EventSequence(4))
        entry.endLog()
        #expect(entry.listedThrough == nil && entry.asOf == EventSequence(4))
    }

    @Test func `an answer that contradicts itself was stale from the start, unless it was stale before`() {
        var entry = entry()
        entry.becomeStored()
        entry.becomeStaleSinceStored()
        #expect(entry.staleSince == 0)
        var other = self.entry()
        other.becomeStale(because: .event, at: 12)
        other.becomeStaleSinceStored()
        #expect(other.staleSince == 12)
    }

    @Test func `marks of layers and elements go together`() {
        var entry = entry()
        let first = entry.insertElement(3, sortKey: [1], marks: [.isLayered], at: 0)
        let second = entry.insertElement(4, sortKey: [2], marks: [], at: 1)
        #expect(entry.layeredNodes == [first])
        entry.setMarks(of: second, [.isLayered])
        #expect(entry.layeredNodes == [first, second])
        entry.removeElement(first)
        #expect(entry.layeredNodes == [second])
        entry.setMarks(of: second, [])
        #expect(entry.layeredNodes.isEmpty && entry.list.count == 1)
    }

    @Test func `a unit whose replacements need no record is counted, any other gives its steps`() {
        var entry = entry()
        _ = entry.beginObserving(at: 0)
        entry.beginUnit(isMulti: false)
        entry.noteUnlogged()
        #expect(entry.endUnitUnlogged(isStale: true) == true)
        #expect(entry.unloggedCount == 1 && !entry.isTouched && !entry.isUnlogged)
        entry.beginUnit(isMulti: false)
        entry.noteUnlogged()
        _ = entry.steps.append(.add(3, at: 0))
        #expect(entry.endUnitUnlogged(isStale: true) == false)
        #expect(entry.endUnit() == [.add(3, at: 0)])
        #expect(!entry.isTouched && entry.steps.isEmpty && entry.unloggedCount == 1)
        let result16 = entry.noteLogged(isStale: false, at: 5)
        #expect(result16 == nil)
        let result17 = entry.noteLogged(isStale: true, at: 8)
        #expect(result17 == 5)
        entry.noteLogCleared()
        #expect(entry.lastChange == nil)
    }

    @Test func `a scan for an answer's list needs only entities of its log that were written later`() {
        func stamp(_ sequence: EventSequence?, _ generation: UInt32) -> EntityStamp {
            EntityStamp(sequence: sequence, generation: generation, writtenAt: 0)
        }
        var fill = FillProgress()
        fill.begin(1)
        #expect(fill.needs(stamp(nil, 0)) && fill.needs(stamp(EventSequence(1), 3)))
        fill.begin(2, after: EventSequence(5), generation: 3)
        #expect(fill.needs(stamp(EventSequence(6), 3)))
        #expect(!fill.needs(stamp(EventSequence(5), 3)))
        #expect(!fill.needs(stamp(EventSequence(6), 2)))
        #expect(!fill.needs(stamp(nil, 3)))
        fill.end()
        #expect(fill.number == nil)
    }
}
