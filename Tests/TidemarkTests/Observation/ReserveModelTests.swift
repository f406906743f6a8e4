import TestTraits
import Testing
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// Observers of lists that are evaluated over the store, while entities are evicted, deleted by the hundred, sorted
/// anew, edited and edits rolled back, over a real file. Laws: L2, L6, L9, L10.
@Suite(.pooled, .tags(.model)) struct ReserveModelTests {
    @Test(arguments: TestScale.seeds(20))
    func `observers of lists with a reserve see what a naive recomputation gives`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        var walk = try await ReserveWalk(path: folder.path("cache.db"), seed: seed)
        while walk.run.next(of: 60) {
            try await walk.step()
            try walk.run.check(walk.problems)
        }
        try await walk.end()
        try walk.run.check(walk.problems)
        #expect(walk.toldCount > 0, "seed \(seed)")
    }
}
