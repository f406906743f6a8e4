import TestTraits
import Testing
import TidemarkTestKit

@Suite(.pooled) struct RandomWalkTests {
    @Test func `a walk has as many steps as it is given, numbered from 1`() {
        var run = RandomWalk(seed: 7)
        var steps: [Int] = []
        while run.next(of: 3) { steps.append(run.step) }
        #expect(steps == [1, 2, 3])
        #expect(!run.next(of: 3) && run.next(of: 4))
        #expect(run.description == "seed 7, step 4")
    }

    @Test func `a difference ends the walk with the last notes and the seed`() throws {
        var run = RandomWalk(seed: 7)
        try run.check([])
        while run.next(of: 500) { run.note("note \(run.step)") }
        let failure = try #require(throws: RandomWalk.Failure.self) { try run.check(["2, not 3", "4, not 5"]) }
        var lines = failure.description.split(separator: "\n").map(String.init)
        #expect(lines.prefix(4) == ["seed 7, step 500:", "2, not 3", "4, not 5", "after:"])
        #expect(lines.removeLast() == "TIDEMARK_SCALE=seed=7 begins there")
        #expect(Array(lines.dropFirst(4)) == (471...500).map { "note \($0)" })
    }
}
