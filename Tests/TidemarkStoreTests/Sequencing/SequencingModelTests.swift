import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// The parts of sequencing against sets and dictionaries. Laws: L4, L8.
@Suite(.tags(.model)) struct SequencingModelTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a gate applies everything once and in order, and loses missing events`(seed: UInt64) throws {
        try GateConformance().run(seed: seed)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `lost ranges equal a set of lost numbers, with adjacent ranges joined`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let countMax = random.pick([1, 3, 1_000])
        var lost = LostRanges(countMax: countMax)
        var numbers: Set<Int64> = []
        for step in 0..<200 {
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
                    #expect(lost == before && before.ranges.count == countMax, "seed \(seed), step \(step)")
                }
            }
            let own = lost.ranges.flatMap { Array($0.first.rawValue...$0.last.rawValue) }
            #expect(lost.ranges.count <= countMax, "seed \(seed), step \(step)")
            #expect(Set(own).isSuperset(of: numbers), "seed \(seed), step \(step)")
            if countMax == 1_000 { #expect(own == numbers.sorted(), "seed \(seed), step \(step)") }
            let areApart = zip(lost.ranges, lost.ranges.dropFirst()).allSatisfy { $0.last.successor < $1.first }
            #expect(areApart, "seed \(seed), step \(step)")
            let probe = Int64(random.below(210))
            #expect(lost.contains(EventSequence(probe)) == own.contains(probe), "seed \(seed), step \(step)")
            #expect(
                lost.first(from: EventSequence(probe))?.rawValue == own.first { $0 >= probe },
                "seed \(seed), step \(step)")
            // Ranges joined at the bound lose more numbers than were lost; from there on these count as lost.
            numbers = Set(own)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a reorder buffer returns its events in order, each sequence once`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var limits = Limits()
        limits.heldEventCountMax = 40
        limits.heldByteCountMax = 300
        var buffer = ReorderBuffer(limits: limits)
        var model: [Int64: HeldEvent] = [:]
        for step in 0..<600 {
            let sequence = Int64(random.below(random.pick([30, 400])))
            switch random.below(10) {
            case 0..<6:
                let held = event(sequence, byteCount: 1 + random.below(20))
                let wanted: ReorderBuffer.Insertion = model[sequence] == nil ? .added : .duplicate
                #expect(buffer.insert(held) == wanted, "seed \(seed), step \(step)")
                if wanted != .duplicate { model[sequence] = held }
            case 6..<9:
                let first = model.keys.min()
                #expect(buffer.takeFirst() === first.flatMap { model[$0] }, "seed \(seed), step \(step)")
                if let first { model[first] = nil }
            default:
                if random.chance(50) {
                    buffer.removeAll()
                    model = [:]
                }
            }
            let byteCount = model.values.reduce(0) { $0 + $1.byteCount }
            #expect(buffer.all.map(\.sequence.rawValue) == model.keys.sorted(), "seed \(seed), step \(step)")
            #expect(buffer.event(at: EventSequence(sequence)) === model[sequence])
            #expect(buffer.byteCount == byteCount)
            #expect(buffer.isOver == (model.count > 40 || byteCount > 300))
        }
    }

    private func event(_ sequence: Int64, byteCount: Int) -> HeldEvent {
        HeldEvent(
            event: ChangeEvent(kind: .changed, line: 0), members: [], bytes: [], sequence: EventSequence(sequence),
            previous: EventSequence(sequence - 1), source: .upstream, offset: 0, byteCount: byteCount, heldAt: 0)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `tombstones are the newest and not too old, and flushes write all their changes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var limits = Limits()
        limits.tombstoneCountMax = random.pick([1, 5, 50])
        limits.tombstoneAgeMax = random.pick([10, 100, 10_000])
        var store = TombstoneStore(limits: limits)
        var model: [(key: StoredKey, tombstone: Tombstone)] = []
        var journal: [StoredKey: Tombstone] = [:]
        for step in 0..<600 as Range<Int64> {
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
                #expect(isEqual, "seed \(seed), step \(step)")
            }
            #expect(store.count == model.count, "seed \(seed), step \(step)")
            #expect(store[key] == model.first { $0.key == key }?.tombstone, "seed \(seed), step \(step)")
        }
        var reopened = TombstoneStore(limits: limits, recovered: model)
        reopened.markAllChanged()
        let changes = reopened.takeChanges().map { "\($0.key) \(String(describing: $0.tombstone))" }
        #expect(changes == model.map { "\($0.key) \(String(describing: Optional($0.tombstone)))" })
    }
}
