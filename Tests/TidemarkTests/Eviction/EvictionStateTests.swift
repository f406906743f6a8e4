import TestTraits
import Testing

@testable import Tidemark

@Suite(.pooled) struct EvictionStateTests {
    @Test func `evictions of both kinds are counted together, and only those from both tiers ease the pressure`() {
        var state = EvictionState()
        state.evictedFromMemory(3)
        #expect(state.evictedCount == 3 && state.pressure.evictedCount == 0)
        state.evictedFromBothTiers(4)
        #expect(state.evictedCount == 7 && state.pressure.evictedCount == 4)
    }
}
