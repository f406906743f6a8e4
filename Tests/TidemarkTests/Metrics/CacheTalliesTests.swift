import TestTraits
import Testing
import TidemarkModel
import TidemarkStore

@testable import Tidemark

@Suite(.pooled) struct CacheTalliesTests {
    @Test func `reads are counted by their outcome, and work on the journal by the second`() {
        var tallies = CacheTallies(metrics: CacheMetrics())
        #expect(tallies.missCounts.count == EntityRead.Miss.allCases.count)
        tallies.answered(miss: nil)
        tallies.answered(miss: nil)
        tallies.answered(miss: .evicted)
        #expect(tallies.hitCount == 2 && tallies.missCounts[.evicted] == 1 && tallies.missCounts[.absent] == 0)
        tallies.read(20, at: 5_000)
        tallies.wrote([], at: 5_000)
        #expect(tallies.reads.perSecond(at: 5_000) == 2 && tallies.writes.perSecond(at: 5_000) == 0)
        #expect(tallies.storedByteCount == 0)
    }
}
