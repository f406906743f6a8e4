import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Edits that a killed session sends by itself. `TIDEMARK_SCALE=kills=500` sets the number of kills; a failure names
/// the seed of the database.
@Suite(.pooled(minutes: 600), .tags(.crash, .process)) struct OutboxCrashTests {
    /// The number of kills before the next database.
    private static let killsOfOneDatabase = 5

    @Test func `after SIGKILL every answered edit reaches the server once, in order, and the cache equals the server`()
        async throws
    {
        let killCount = TestScale.kills.number ?? 10
        var performed = 0
        for first in stride(from: 0, to: max(1, killCount), by: OutboxCrashTests.killsOfOneDatabase) {
            let kills = min(OutboxCrashTests.killsOfOneDatabase, killCount - first)
            let folder = try TemporaryFolder()
            let path = folder.path("a.db")
            let outcome: (count: Int, problems: [String]) = try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    var run = OutboxKillRun(path, seed: UInt64(first))
                    continuation.resume(with: Result { try run.play(killCount: kills) })
                }
            }
            #expect(outcome.problems == [], "seed \(first)")
            performed += outcome.count
            KillProgress.tell(first + kills, of: killCount, "sessions, \(performed) edits performed")
        }
        // Otherwise nothing was tried.
        #expect(performed > killCount)
    }
}
