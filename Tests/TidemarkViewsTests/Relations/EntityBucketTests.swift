import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting
import ViewOracle

@testable import TidemarkViews

/// The entities of a join key, beside a set.
@Suite(.pooled, .tags(.model)) struct EntityBucketTests {
    @Test func `a bucket is the set of its entities, few or many`() {
        for seed in TestScale.seeds(20) {
            var random = SeededGenerator(seed: seed)
            var bucket = EntityBucket.none
            var model: Set<EntityNumber> = []
            // Numbers enough to leave the array, and now and then mostly removals.
            let span = random.one([3, 40, 2_000])
            for step in 0..<3_000 {
                let number = EntityNumber(1 + random.count(0...span))
                if random.percent(step % 1_000 < 700 ? 80 : 30) {
                    #expect(bucket.insert(number) == model.insert(number).inserted, "seed \(seed)")
                } else {
                    #expect(bucket.remove(number) == (model.remove(number) != nil), "seed \(seed)")
                }
                #expect(bucket.count == model.count, "seed \(seed)")
            }
            var found: Set<EntityNumber> = []
            bucket.forEach { #expect(found.insert($0).inserted, "seed \(seed)") }
            #expect(found == model, "seed \(seed)")
        }
    }
}
