import TestTraits
import Testing
import TidemarkTestKit

/// Random histories over real sockets. A thousand more go through the value that decides everything, see
/// `TidemarkScopesTests`.
@Suite(.pooled, .ownThreads) struct ServedScopeHistoryTests {
    @Test(arguments: TestScale.seeds(20))
    func `clients hold what they may see, and nothing else was written to them`(seed: UInt64) async throws {
        var history = try await ServedScopeHistory(seed: seed)
        try await history.run(stepCount: 60)
        #expect(history.problems == [], "seed \(seed)")
    }
}
