import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting
import ViewOracle

@testable import TidemarkViews

/// A set of usually few elements, beside a set.
@Suite(.pooled, .tags(.model)) struct FewSetTests {
    @Test func `a small set has its elements, few or many`() {
        for seed in TestScale.seeds(20) {
            var random = SeededGenerator(seed: seed)
            var few = FewSet<UInt64>()
            var model: Set<UInt64> = []
            for _ in 0..<200 {
                let element = UInt64(random.count(0...random.one([5, 30])))
                if random.percent(65) {
                    few.insert(element)
                    model.insert(element)
                } else {
                    few.remove(element)
                    model.remove(element)
                }
                #expect(few.count == model.count && few.isEmpty == model.isEmpty, "seed \(seed)")
                #expect(few.contains(element) == model.contains(element), "seed \(seed)")
                #expect(few.isDisjoint(with: [1, 2]) == model.isDisjoint(with: [1, 2]), "seed \(seed)")
            }
            #expect(few.sorted() == model.sorted(), "seed \(seed)")
            var again = FewSet<UInt64>()
            for element in model.sorted().reversed() { again.insert(element) }
            #expect(again == few, "seed \(seed)")
            again.insert(99)
            #expect(again != few, "seed \(seed)")
        }
    }
}
