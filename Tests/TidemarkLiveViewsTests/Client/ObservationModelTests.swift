import TestTraits
import Testing
import TidemarkTestKit

/// Random rules, observed over random events, edits, moves of windows and slow readers: every sequence leads to what a
/// read returns, and its steps to its rows.
@Suite(.pooled, .tags(.model)) struct ObservationModelTests {
    @Test func `sequences of views lead to what reads return, step by step`() async throws {
        var (updateCount, changeCount, missedCount) = (0, 0, 0)
        for seed in TestScale.seeds(40) {
            var walk = try await ObservationWalk(seed: seed)
            try await walk.run()
            updateCount += walk.updateCount
            changeCount += walk.changeCount
            missedCount += walk.missedCount
        }
        #expect(updateCount > 100 && changeCount > 100 && missedCount > 0, "the walks showed too little")
    }
}
