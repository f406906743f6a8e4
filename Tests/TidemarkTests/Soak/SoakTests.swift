import Foundation
import TestTraits
import Testing
import TidemarkTestKit

/// Mixed traffic on databases, for the number of minutes in `TIDEMARK_SCALE=minutes=10`; a few seconds without it.
///
/// A failure names its seed: `TIDEMARK_SCALE=seed=12` begins with that one. The machine decides the order of tasks.
@Suite(.pooled(minutes: 600)) struct SoakTests {
    /// The number of databases in use at once.
    private static let laneCount = 2

    @Test func `after any concurrent operations the cache ends in the right state`() async throws {
        let minutes = TestScale.minutes.number
        let firstSeed = UInt64(TestScale.seed.number ?? 1)
        let start = ContinuousClock.now
        let end = start + .seconds((minutes ?? 0) * 60)
        let size = minutes == nil ? SoakSize.small : .full
        let progress = SoakProgress(seed: firstSeed)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.laneCount {
                group.addTask {
                    // Each lane runs at least one session.
                    while let seed = progress.next(isOver: ContinuousClock.now >= end) {
                        var problems: [String] = []
                        var lineCount: Int64 = 0
                        do {
                            (problems, lineCount) = try await SoakSession(seed: seed, size: size).run()
                        } catch {
                            problems = ["\(error)"]
                        }
                        #expect(problems == [], "TIDEMARK_SCALE=seed=\(seed)")
                        let text = progress.add(
                            lineCount, isSound: problems.isEmpty, elapsed: ContinuousClock.now - start)
                        if minutes != nil, let text { FileHandle.standardError.write(Data(text.utf8)) }
                    }
                }
            }
        }
        #expect(progress.sessionCount >= Self.laneCount)
    }
}
