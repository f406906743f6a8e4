import TestTraits
import Testing
import TidemarkTestKit

/// Random histories of a server with scopes: what a client holds is what the oracle says it may see, and no byte of
/// anything else was ever written to it.
@Suite(.pooled, .tags(.model)) struct ScopeHistoryTests {
    private static let partCount: UInt64 = 8

    @Test(arguments: 0..<partCount)
    func `clients of random histories hold what they may see, and nothing leaks`(part: UInt64) throws {
        var (count, lines, resumptions) = (0, 0, 0)
        for seed in TestScale.seeds(1_000) where seed % ScopeHistoryTests.partCount == part {
            var history = try ScopeHistory(seed: seed)
            let problems = try history.run(stepCount: 60)
            #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(3))")
            if !problems.isEmpty { return }
            count += 1
            lines += history.world.lineCount
            resumptions += history.world.resumptionCount
        }
        // Histories in which nothing is sent would prove nothing.
        #expect(lines > 20 * count && resumptions > count)
    }
}
