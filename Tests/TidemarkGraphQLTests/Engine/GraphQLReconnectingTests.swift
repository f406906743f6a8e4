import TestTraits
import Testing

@testable import TidemarkGraphQL

@Suite(.pooled) struct GraphQLReconnectingTests {
    @Test func `pauses double up to a bound, and are spread over their upper half`() {
        let reconnecting = GraphQLReconnecting()
        #expect(
            (1...8).map { reconnecting.pause(attempt: $0, random: 1) } == [
                1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
            ])
        #expect(reconnecting.pause(attempt: 3, random: 0) == 2_000)
        #expect(reconnecting.pause(attempt: 1_000_000, random: 0.5) == 45_000)
    }
}
