import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting
import ViewOracle

@testable import TidemarkViews

/// How often values occur, beside a dictionary.
@Suite(.pooled, .tags(.model)) struct ValueCountsTests {
    @Test func `the least, the greatest and the number of values are right, few or many`() {
        for seed in TestScale.seeds(20) {
            var random = SeededGenerator(seed: seed)
            var counts = ValueCounts()
            var model: [[UInt8]: Int] = [:]
            let span = random.one([2, 40, 900])
            for step in 0..<2_000 {
                let number = random.count(0...span)
                let code =
                    [UInt8(number / 256), UInt8(number % 256)] + Array(repeating: 7, count: number % 3)
                if random.percent(step % 1_000 < 700 ? 75 : 25) {
                    counts.add(code)
                    model[code, default: 0] += 1
                } else {
                    counts.remove(code)
                    if let known = model[code] { model[code] = known == 1 ? nil : known - 1 }
                }
                #expect(counts.distinctCount == model.count, "seed \(seed)")
                guard step % 20 == 0 else { continue }
                let order = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
                #expect(counts.least == order.first && counts.greatest == order.last, "seed \(seed)")
            }
        }
    }
}
