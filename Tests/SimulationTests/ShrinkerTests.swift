import TestTraits
import Testing
import TidemarkSimulation
import TidemarkTesting

@Suite(.pooled) struct ShrinkerTests {
    @Test func `shrinking keeps exactly the inputs that cause the failure`() async throws {
        for seed in 1...20 {
            var random = SeededGenerator(seed: UInt64(seed))
            let guilty = Set((0...random.below(3)).map { _ in random.below(200) })
            let left = try await Shrinker().shrunk(Array(0..<200)) { guilty.isSubset(of: $0) }
            #expect(Set(left) == guilty, "seed \(seed)")
            #expect(left == left.sorted())
        }
    }

    @Test func `shrinking ends after the last attempt with the smallest failing inputs`() async throws {
        var shrinker = Shrinker()
        shrinker.attemptCountMax = 5
        var attemptCount = 0
        let left = try await shrinker.shrunk(Array(0..<200)) { kept in
            attemptCount += 1
            return kept.contains(3) && kept.contains(150)
        }
        #expect(attemptCount == 5)
        #expect(left.contains(3) && left.contains(150))
    }
}
