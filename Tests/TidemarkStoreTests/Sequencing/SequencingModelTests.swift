import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// The parts of sequencing against sets and dictionaries. Laws: L4, L8.
@Suite(.pooled, .tags(.model)) struct SequencingModelTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a gate applies everything once and in order, and loses missing events`(seed: UInt64) throws {
        try GateConformance().run(seed: seed)
    }

    @Test(arguments: TestScale.seeds(20))
    func `lost ranges equal a set of lost numbers, with adjacent ranges joined`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let countMax = random.pick([1, 3, 1_000])
        var lost = LostRanges(countMax: countMax)
        var numbers: Set<Int64> = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 200) {
            if random.chance(700) {
                let first = Int64(random.below(200))
                let last = first + Int64(random.below(6))
                lost.insert(LostRange(first: EventSequence(first), last: EventSequence(last)))
                numbers.formUnion(first...last)
            } else {
                let number = Int64(random.below(200))
                let last = number + Int64(random.below(4))
                let before = lost
                if lost.remove(LostRange(first: EventSequence(number), last: EventSequence(last))) {
                    numbers.subtract(number...last)
                } else {
                    #expect(lost == before && before.ranges.count == countMax, "\(walk)")
                }
            }
            let own = lost.ranges.flatMap { Array($0.first.rawValue...$0.last.rawValue) }
            #expect(lost.ranges.count <= countMax, "\(walk)")
            #expect(Set(own).isSuperset(of: numbers), "\(walk)")
            if countMax == 1_000 { #expect(own == numbers.sorted(), "\(walk)") }
            let areApart = zip(lost.ranges, lost.ranges.dropFirst()).allSatisfy { $0.last.successor < $1.first }
            #expect(areApart, "\(walk)")
            let probe = Int64(random.below(210))
            #expect(lost.contains(EventSequence(probe)) == own.contains(probe), "\(walk)")
            #expect(lost.first(from: EventSequence(probe))?.rawValue == own.first { $0 >= probe }, "\(walk)")
            // Ranges joined at the bound lose more numbers than were lost; from there on these count as lost.
            numbers = Set(own)
        }
    }

    @Test(arguments: TestScale.seeds(20))
    func `a reorder buffer returns its events in order, each sequence once`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var limits = Limits()
        limits.heldEventCountMax = 40
        limits.heldByteCountMax = 300
        var buffer = ReorderBuffer(limits: limits)
        var model: [Int64: HeldEvent] = [:]
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 600) {
            let sequence = Int64(random.below(random.pick([30, 400])))
            switch random.below(10) {
            case 0..<6:
                let held = event(sequence, byteCount: 1 + random.below(20))
                let wanted: ReorderBuffer.Insertion = model[sequence] == nil ? .added : .duplicate
                #expect(buffer.insert(held) == wanted, "\(walk)")
                if wanted != .duplicate { model[sequence] = held }
            case 6..<9:
                let first = model.keys.min()
                #expect(buffer.takeFirst() === first.flatMap { model[$0] }, "\(walk)")
                if let first { model[first] = nil }
            default:
                if random.chance(50) {
                    buffer.removeAll()
                    model = [:]
                }
            }
            let byteCount = model.values.reduce(0) { $0 + $1.byteCount }
            #expect(buffer.all.map(\.sequence.rawValue) == model.keys.sorted(), "\(walk)")
            #expect(buffer.event(at: EventSequence(sequence)) === model[sequence], "\(walk)")
            #expect(buffer.byteCount == byteCount, "\(walk)")
            #expect(buffer.isOver == (model.count > 40 || byteCount > 300), "\(walk)")
        }
    }

    private func event(_ sequence: Int64, byteCount: Int) -> HeldEvent {
        HeldEvent(
            event: ChangeEvent(kind: .changed, line: 0), members: [], bytes: [], sequence: EventSequence(sequence),
            previous: EventSequence(sequence - 1), source: .upstream, offset: 0, byteCount: byteCount, heldAt: 0)
    }

    @Test(arguments: TestScale.seeds(20))
    func `tombstones are the newest and not too old, and flushes write all their changes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var limits = Limits()
        limits.tombstoneCountMax = random.pick([1, 5, 50])
        limits.tombstoneAgeMax = random.pick([10, 100, 10_000])
        var store = TombstoneStore(limits: limits)
        var model: [(key: StoredKey, tombstone: Tombstone)] = []
        var journal: [StoredKey: Tombstone] = [:]
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 600) {
            let step = Int64(walk.step)
            let key = StoredKey(library: 0, type: 0, id: .text(ByteString("\(random.below(80))")))
            switch random.below(10) {
            case 0..<6:
                let tombstone = Tombstone(
                    sequence: EventSequence(step), generation: UInt32(random.below(2)), deletedAt: step)
                store.insert(tombstone, for: key)
                model.removeAll { $0.key == key }
                model.append((key, tombstone))
                model.removeAll { step - $0.tombstone.deletedAt > limits.tombstoneAgeMax }
                model.removeFirst(max(0, model.count - limits.tombstoneCountMax))
            case 6..<8:
                store.remove(key)
                model.removeAll { $0.key == key }
            default:
                for change in store.takeChanges() { journal[change.key] = change.tombstone }
                let isEqual = journal == Dictionary(model.map { ($0.key, $0.tombstone) }, uniquingKeysWith: { $1 })
                #expect(isEqual, "\(walk)")
            }
            #expect(store.count == model.count, "\(walk)")
            #expect(store[key] == model.first { $0.key == key }?.tombstone, "\(walk)")
        }
        var reopened = TombstoneStore(limits: limits, recovered: model)
        reopened.markAllChanged()
        let changes = reopened.takeChanges().map { "\($0.key) \(String(describing: $0.tombstone))" }
        #expect(changes == model.map { "\($0.key) \(String(describing: Optional($0.tombstone)))" })
    }
}
