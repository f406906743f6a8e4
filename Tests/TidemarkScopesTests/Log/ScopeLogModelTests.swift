import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting
import TidemarkViews

@testable import TidemarkScopes

/// The log against one that keeps every version.
@Suite(.pooled, .tags(.model)) struct ScopeLogModelTests {
    private static let keys = (0..<8).map { ViewKey(type: $0 < 4 ? "t" : "u", id: ByteString("\($0)")) }

    private struct Source: ScopeSource {
        let shown: [ViewKey: String]

        func key(of number: UInt32) -> ViewKey { ScopeLogModelTests.keys[Int(number)] }
        func sent(_ key: ViewKey) -> [UInt8]? { shown[key].map { Array($0.utf8) } }
    }

    private func row(_ number: Int) -> UseMoves.Row {
        UseMoves.Row(number: UInt32(number), key: ScopeLogModelTests.keys[number])
    }

    /// Draws a unit; a value that never comes back, so that every version tells.
    private func unit(
        _ shown: inout [ViewKey: String], _ deleted: inout Set<ViewKey>, _ step: Int, _ random: inout SeededGenerator
    ) -> ScopeUnit {
        var unit = ScopeUnit()
        for number in Set(
            (0..<Int.random(in: 1...3, using: &random)).map { _ in Int.random(in: 0...7, using: &random) })
        {
            let key = ScopeLogModelTests.keys[number]
            guard let old = shown[key] else {
                unit.entered.append(row(number))
                shown[key] = "\(step)"
                continue
            }
            let former = ScopeUnit.Former(row: row(number), sent: Array(old.utf8))
            if Bool.random(using: &random) {
                unit.changed.append(former)
                shown[key] = "\(step)"
            } else {
                let isDeleted = Bool.random(using: &random)
                unit.left.append((former, isDeleted ? .deleted : .scope))
                if isDeleted { deleted.insert(key) }
                shown[key] = nil
            }
        }
        return unit
    }

    private func run(seed: UInt64) -> Int {
        var random = SeededGenerator(seed: seed)
        var limits = ScopeLimits()
        limits.historySecondCount = Int64.random(in: 0...30, using: &random)
        limits.historyPercent = Int.random(in: 0...200, using: &random)
        if seed % 4 == 0 { limits.departureCountMax = 3 }
        let first = (0...7).filter { _ in Bool.random(using: &random) }
        var shown = Dictionary(uniqueKeysWithValues: first.map { (ScopeLogModelTests.keys[$0], "0") })
        var naive = NaiveLog(shown, limits: limits)
        var log = ScopeLog(identity: [1], numbers: first.map { UInt32($0) }, limits: limits)
        var stored = log.image(since: nil, Source(shown: shown))
        var (now, compared) = (Int64(100), 0)
        for step in 1...60 {
            now += Int64.random(in: 0...4, using: &random)
            var deleted: Set<ViewKey> = []
            let unit = unit(&shown, &deleted, step, &random)
            log.append(unit, now: now)
            naive.append(shown, deleted: deleted, now: now)
            if Int.random(in: 0...9, using: &random) == 0 {
                stored = log.image(since: nil, Source(shown: shown))
                let numbers = Dictionary(
                    uniqueKeysWithValues: shown.keys.map { key in
                        (key, UInt32(ScopeLogModelTests.keys.firstIndex(of: key) ?? 0))
                    })
                log = ScopeLog(stored, numbers: numbers, limits: limits)
            }
            #expect(log.head.rawValue == naive.head, "seed \(seed), step \(step)")
            let source = Source(shown: shown)
            #expect(
                Set(log.members.numbers.map { source.key(of: $0) }) == Set(shown.keys), "seed \(seed), step \(step)")
            for position in 1...naive.head + 1 {
                let place = "seed \(seed), step \(step), since \(position)"
                let canServe = log.canServe(ScopePosition(position))
                #expect(canServe == naive.canServe(position), "\(place)")
                guard canServe else { continue }
                let difference = log.difference(since: ScopePosition(position))
                let changed = difference.changed.map { source.key(of: $0) }
                #expect(
                    changed.count == Set(changed).count && Set(changed) == naive.changed(since: position), "\(place)")
                let left = Dictionary(difference.left.map { ($0.key, $0.reason) }) { first, _ in first }
                #expect(left.count == difference.left.count && left == naive.left(since: position), "\(place)")
                compared += changed.count + left.count
            }
        }
        return compared
    }

    @Test func `changes and departures since any position are those that comparing all versions finds`() {
        var compared = 0
        for seed in TestScale.seeds(40) { compared += run(seed: seed) }
        #expect(compared > 1_000)
    }

    @Test func `departures of young or few entities are kept`() {
        var limits = ScopeLimits()
        (limits.historySecondCount, limits.historyPercent) = (10, 50)
        var log = ScopeLog(identity: [1], numbers: 0..<6, limits: limits)
        func leave(_ number: Int, now: Int64) {
            log.append(
                ScopeUnit(left: [(ScopeUnit.Former(row: row(number), sent: []), .scope)]), now: now)
        }
        leave(0, now: 0)
        leave(1, now: 5)
        // Old, but two of four entities are half.
        log.append(ScopeUnit(changed: [ScopeUnit.Former(row: row(2), sent: [])]), now: 100)
        #expect(log.canServe(.start))
        leave(2, now: 100)
        #expect(!log.canServe(.start) && !log.canServe(ScopePosition(2)) && log.canServe(ScopePosition(3)))
    }

    @Test func `a reserved position is never used again`() {
        var log = ScopeLog(identity: [1], numbers: 0..<2, limits: ScopeLimits())
        log.append(ScopeUnit(changed: [ScopeUnit.Former(row: row(0), sent: [])]), now: 0)
        var image = log.image(since: nil, Source(shown: [:]))
        image.reserved = ScopePosition(9)
        let numbers = [ScopeLogModelTests.keys[0]: UInt32(0), ScopeLogModelTests.keys[1]: 1]
        let restored = ScopeLog(image, numbers: numbers, limits: ScopeLimits())
        #expect(restored.head == ScopePosition(10))
        #expect((1...11).filter { restored.canServe(ScopePosition($0)) } == [1, 2, 10])
        // Also after it was stored and restored once more.
        let again = ScopeLog(restored.image(since: nil, Source(shown: [:])), numbers: numbers, limits: ScopeLimits())
        #expect((1...11).filter { again.canServe(ScopePosition($0)) } == [1, 2, 10])
    }
}
