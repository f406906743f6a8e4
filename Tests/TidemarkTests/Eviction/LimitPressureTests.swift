import TestTraits
import Testing

@testable import Tidemark

@Suite(.pooled) struct LimitPressureTests {
    @Test func `input is delayed above the limit and a tenth`() {
        let pressure = LimitPressure()
        #expect(!pressure.delaysInput(entityCount: 1_100, countMax: 1_000))
        #expect(pressure.delaysInput(entityCount: 1_101, countMax: 1_000))
        #expect(!pressure.delaysInput(entityCount: .max, countMax: nil))
        #expect(!pressure.delaysInput(entityCount: .max, countMax: .max))
    }

    @Test func `after a wait in vain input is delayed again when an eighth more entities have come`() {
        var pressure = LimitPressure()
        pressure.waited(countBefore: 0, entityCount: 2_000)
        #expect(!pressure.delaysInput(entityCount: 2_250, countMax: 1_000))
        #expect(pressure.delaysInput(entityCount: 2_251, countMax: 1_000))
        pressure.evicted(1)
        pressure.waited(countBefore: 0, entityCount: 1_500)
        #expect(pressure.blockedCount == 1_500)
        pressure.met()
        #expect(pressure.blockedCount == 0)
    }

    @Test func `a crowded disk delays input until an eviction is in vain`() {
        var pressure = LimitPressure()
        pressure.passedDiskLimit()
        pressure.evicted(3)
        let isFruitful = pressure.ended(countBefore: 0, isAboveDiskLimit: true, entityCount: 10)
        #expect(isFruitful && pressure.isDiskCrowded && pressure.isDiskWanted)
        #expect(pressure.delaysInput(entityCount: 0, countMax: nil))
        pressure.begin()
        #expect(!pressure.isDiskCrowded && pressure.isDiskWanted)
        let isFruitfulAgain = pressure.ended(countBefore: 3, isAboveDiskLimit: true, entityCount: 10)
        #expect(!isFruitfulAgain && !pressure.isDiskCrowded && !pressure.isDiskWanted)
    }

    @Test func `the goal of the disk ends an eviction for it`() {
        var pressure = LimitPressure()
        pressure.passedDiskLimit()
        pressure.reachedDiskGoal()
        #expect(!pressure.isDiskWanted)
    }
}
