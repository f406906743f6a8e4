import TestTraits
import Testing

@testable import Tidemark

@Suite(.pooled) struct LifeCycleTests {
    @Test func `calls under way may change the state until the last flush, new ones may not`() {
        var lifeCycle = LifeCycle.open
        #expect(lifeCycle.isOpen && lifeCycle.acceptsChanges)
        let isFirst = lifeCycle.beginClosing()
        #expect(isFirst && !lifeCycle.isOpen && lifeCycle.acceptsChanges)
        let isSecond = lifeCycle.beginClosing()
        lifeCycle.seal()
        #expect(!isSecond && !lifeCycle.isOpen && !lifeCycle.acceptsChanges)
    }

    @Test func `a suspended cache accepts no new changes, and can be resumed or closed`() {
        var lifeCycle = LifeCycle.open
        let isFirst = lifeCycle.beginSuspending()
        #expect(isFirst && !lifeCycle.isOpen && !lifeCycle.isSuspended && !lifeCycle.isClosed)
        let isSecond = lifeCycle.beginSuspending()
        lifeCycle.rest()
        #expect(!isSecond && lifeCycle.isSuspended && !lifeCycle.isClosed && lifeCycle.acceptsChanges)
        lifeCycle.resume()
        #expect(lifeCycle.isOpen && !lifeCycle.isSuspended)
        _ = lifeCycle.beginSuspending()
        lifeCycle.rest()
        let isClosing = lifeCycle.beginClosing()
        #expect(isClosing && lifeCycle.isClosed && !lifeCycle.isSuspended)
        let isSuspending = lifeCycle.beginSuspending()
        #expect(!isSuspending)
    }

    @Test func `evictions wait until every load has ended`() {
        var loads = LoadTurns()
        let isTaken = loads.takeAtOnce()
        let isTakenTwice = loads.takeAtOnce()
        #expect(isTaken && !isTakenTwice)
        loads.begin()
        loads.begin()
        let isFirstLast = loads.end()
        #expect(!isFirstLast && loads.isLoading)
        let isSecondLast = loads.end()
        #expect(isSecondLast && !loads.isLoading)
        loads.release()
        let isTakenAgain = loads.takeAtOnce()
        #expect(isTakenAgain)
    }
}
