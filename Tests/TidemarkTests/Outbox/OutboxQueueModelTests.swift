import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// The outbox's queue against a naive model that looks at every request each time.
@Suite(.timeLimit(.minutes(5))) struct OutboxQueueModelTests {
    @Test(arguments: 0..<200) func `random operations leave the queue as the model has it`(seed: Int) throws {
        var walk = OutboxQueueWalk(seed: UInt64(seed))
        for step in 0..<300 {
            walk.step()
            if let difference = walk.difference {
                Issue.record("seed \(seed), step \(step): \(difference)")
                return
            }
        }
        #expect(walk.startCount > 5, "seed \(seed) sends too little to prove anything")
    }
}
