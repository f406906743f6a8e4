import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// Things a second over the last ten seconds.
@Suite(.pooled) struct RateWindowTests {
    @Test func `things of the last ten seconds count, older ones do not`() {
        var window = RateWindow()
        window.add(100, at: 1_000_000)
        window.add(50, at: 1_005_999)
        #expect(window.perSecond(at: 1_005_999) == 15)
        #expect(window.perSecond(at: 1_009_999) == 15)
        #expect(window.perSecond(at: 1_010_000) == 5)
        #expect(window.perSecond(at: 1_014_999) == 5)
        #expect(window.perSecond(at: 1_015_000) == 0)
        #expect(window.perSecond(at: .max) == 0)
    }

    @Test func `a clock that goes back stands still`() {
        var window = RateWindow()
        window.add(30, at: 50_000)
        window.add(20, at: 10_000)
        #expect(window.perSecond(at: 1_000) == 5)
        #expect(window.perSecond(at: 59_999) == 5)
        #expect(window.perSecond(at: 60_000) == 0)
    }

    /// Compared with a list of all things and their times.
    @Test(arguments: TestScale.seeds(4)) func `random times agree with a list of everything`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var window = RateWindow()
        var things: [(second: Int64, count: Int)] = []
        var now: Int64 = 1_700_000_000_000
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 2_000) {
            let step = random.below(10) == 0 ? random.below(40_000) : random.below(900)
            now += Int64(step)
            let count = random.below(1_000)
            window.add(count, at: now)
            things.append((now / 1_000, count))
            let asked = now + Int64(random.below(15_000))
            let recent = things.filter { $0.second > asked / 1_000 - RateWindow.secondCount }
            #expect(
                window.perSecond(at: asked) == Int64(recent.reduce(0) { $0 + $1.count }) / RateWindow.secondCount,
                "\(walk)")
        }
    }
}
