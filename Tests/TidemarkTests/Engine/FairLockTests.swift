import TestTraits
import Testing
import TidemarkTestKit

@testable import Tidemark

@Suite(.pooled) struct FairLockTests {
    /// An actor with one lock, as a cache has it.
    private actor Owner {
        private var turns = CallTurns()
        private(set) var served: [Int] = []
        private(set) var waitingCount = 0

        func hold() {
            let isFree = turns.changes.takeAtOnce()
            #expect(isFree)
        }

        func release() { turns.changes.release() }

        func serve(_ number: Int) async {
            if !turns.changes.takeAtOnce() {
                waitingCount += 1
                await withCheckedContinuation { turns.changes.wait($0) }
            }
            served.append(number)
            turns.changes.release()
        }
    }

    @Test func `turns are given in the order of asking, also after many`() async {
        let owner = Owner()
        await owner.hold()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask { await owner.serve(number) }
                // The next caller asks when this one waits.
                #expect(await eventually { await owner.waitingCount == number + 1 })
            }
            await owner.release()
            await group.waitForAll()
        }
        #expect(await owner.served == Array(0..<300))
        // The turn is free again.
        await owner.hold()
        await owner.release()
    }
}
