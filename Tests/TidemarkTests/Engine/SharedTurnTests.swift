import TestTraits
import Testing

@testable import Tidemark

@Suite(.pooled) struct SharedTurnTests {
    @Test func `callers share the turn that lasts, and the end of an old one leaves the turn that follows`() async {
        var turn = SharedTurn<Int>()
        var begunCount = 0
        func join() -> Task<Int, Never> {
            turn.join {
                begunCount += 1
                return Task { [begunCount] in begunCount }
            }
        }
        let first = join()
        #expect(join() == first && begunCount == 1)
        turn.ended(first)
        let second = join()
        #expect(second != first && begunCount == 2)
        turn.ended(first)
        #expect(join() == second && begunCount == 2)
        #expect(await first.value == 1)
        #expect(await second.value == 2)
    }
}
