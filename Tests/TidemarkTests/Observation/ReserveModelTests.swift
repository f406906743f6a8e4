import Testing
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// Observers of lists that are evaluated over the store, while entities are evicted, deleted by the hundred, sorted anew, edited and edits rolled
/// back, over a real file. Laws: L2, L6, L9, L10.
@Suite(.tags(.model)) struct ReserveModelTests {
    @Test(arguments: TestScale.seeds(20))
    func `observers of lists with a reserve see what a naive recomputation gives`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        var walk = try await ReserveWalk(path: folder.path("cache.db"), seed: seed)
        for step in 0..<60 {
            try await walk.step()
            #expect(
                walk.problems == [], "seed \(seed), step \(step)\n\(walk.history.suffix(12).joined(separator: "\n"))")
            // What follows from one difference is of no interest.
            if !walk.problems.isEmpty { return }
        }
        try await walk.end()
        #expect(walk.problems == [], "seed \(seed)\n\(walk.history.suffix(12).joined(separator: "\n"))")
        #expect(walk.toldCount > 0, "seed \(seed)")
    }
}
