import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// The outbox's queue against a naive model that looks at every request each time.
@Suite(.pooled, .tags(.model)) struct OutboxQueueModelTests {
    @Test(arguments: TestScale.seeds(200))
    func `random operations leave the queue as the model has it`(seed: UInt64) throws {
        var walk = OutboxQueueWalk(seed: seed)
        var run = RandomWalk(seed: seed)
        while run.next(of: 300) {
            walk.step()
            try run.check(walk.difference.map { [$0] } ?? [])
        }
        #expect(walk.startCount > 5, "seed \(seed) sends too little to prove anything")
    }
}
