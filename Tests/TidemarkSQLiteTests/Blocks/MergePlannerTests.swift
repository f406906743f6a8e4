import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// The planner of merges: its choices, and what becomes of a store that follows them.
@Suite(.pooled) struct MergePlannerTests {
    private let limits = MergePlanner.Limits(deadShare: 35, deadShareMax: 45, fullByteCount: 1_000)

    @Test func `the blocks with the least live bytes are chosen first, and no more than the debt needs`() {
        var planner = MergePlanner(limits)
        for ordinal in 1...4 { planner.wrote(ordinal, byteCount: 1_000) }
        planner.committed()
        planner.died(in: 1, byteCount: 100)
        planner.died(in: 2, byteCount: 900)
        planner.died(in: 3, byteCount: 600)
        // 1,600 of 4,000 bytes are dead, 1,400 may be.
        #expect(planner.debtByteCount == 200)
        let chosen1 = planner.victims(countMax: 10)
        #expect(chosen1 == [2])
        let chosen2 = planner.victims(countMax: 10)
        #expect(chosen2 == [])
        planner.died(in: 4, byteCount: 700)
        let chosen3 = planner.victims(countMax: 10)
        #expect(chosen3 == [])
        planner.died(in: 3, byteCount: 400)
        planner.died(in: 4, byteCount: 300)
        let chosen4 = planner.victims(countMax: 1)
        #expect(chosen4 == [3])
        planner.checkInvariants()
    }

    @Test func `a block that a small flush left short is merged before a full one with more dead bytes`() {
        var planner = MergePlanner(limits)
        planner.wrote(1, byteCount: 1_000)
        planner.wrote(2, byteCount: 50)
        planner.committed()
        planner.died(in: 1, byteCount: 500)
        planner.died(in: 2, byteCount: 10)
        let chosen5 = planner.victims(countMax: 1)
        #expect(chosen5 == [2])
    }

    @Test func `a block of the transaction under way is not chosen, and one that stays may be chosen again`() {
        var planner = MergePlanner(limits)
        planner.wrote(1, byteCount: 1_000)
        planner.died(in: 1, byteCount: 900)
        let chosen6 = planner.victims(countMax: 1)
        #expect(chosen6 == [])
        planner.committed()
        let chosen7 = planner.victims(countMax: 1)
        #expect(chosen7 == [1])
        #expect(planner.mustWait)
        planner.kept(1)
        #expect(!planner.mustWait)
        let chosen8 = planner.victims(countMax: 1)
        #expect(chosen8 == [1])
        planner.died(in: 1, byteCount: 100)
        planner.gone(1)
        #expect(planner.blockCount == 0)
        #expect(planner.byteCount == 0)
        planner.checkInvariants()
    }

    @Test func `at rest a block of which a third is dead is chosen without any debt`() {
        var planner = MergePlanner(limits)
        for ordinal in 1...20 { planner.wrote(ordinal, byteCount: 1_000) }
        planner.committed()
        planner.died(in: 3, byteCount: 330)
        planner.died(in: 7, byteCount: 340)
        #expect(planner.debtByteCount == 0)
        #expect(planner.looseByteCount == 340)
        let inDebt = planner.victims(countMax: 10)
        #expect(inDebt == [])
        let atRest = planner.victimsAtRest(countMax: 10)
        #expect(atRest == [7])
        let again = planner.victimsAtRest(countMax: 10)
        #expect(again == [])
        planner.checkInvariants()
    }

    @Test func `at rest many short blocks are merged, and those that are left are not merged for ever`() {
        var planner = MergePlanner(limits)
        var last = 0
        func writeShort(_ count: Int) {
            for _ in 0..<count {
                last += 1
                planner.wrote(last, byteCount: 100)
            }
            planner.committed()
        }
        writeShort(limits.shortCountAtRest - 1)
        let few = planner.victimsAtRest(countMax: 1_000)
        #expect(few == [])
        writeShort(1)
        let many = planner.victimsAtRest(countMax: 1_000)
        #expect(many.count == limits.shortCountAtRest)
        for ordinal in many {
            planner.died(in: ordinal, byteCount: 100)
            planner.gone(ordinal)
        }
        // Ten types leave ten short blocks.
        writeShort(10)
        writeShort(limits.shortCountAtRest - 1)
        let left = planner.victimsAtRest(countMax: 1_000)
        #expect(left == [])
        planner.checkInvariants()
    }

    /// A store of entities in blocks that updates at random and merges as the planner says, with the reads of victims
    /// one transaction behind.
    @Test(arguments: 1...8) func `a store that follows it stays within its limits, and loses no entity`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var planner = MergePlanner(limits)
        var blocks: [Int: [Int]] = [:]
        var places: [Int: Int] = [:]
        var last = 0
        let entityByteCount = 20
        func write(_ entities: [Int]) {
            var rest = entities[...]
            while !rest.isEmpty {
                last += 1
                let members = Array(rest.prefix(limits.fullByteCount / entityByteCount))
                rest = rest.dropFirst(members.count)
                planner.wrote(last, byteCount: members.count * entityByteCount)
                blocks[last] = members
                for entity in members {
                    if let before = places.updateValue(last, forKey: entity) {
                        planner.died(in: before, byteCount: entityByteCount)
                    }
                }
            }
        }
        let entityCount = 5_000
        write(Array(0..<entityCount))
        planner.committed()
        var isBeingRead: [Int] = []
        let hotCount = random.below(2) == 0 ? entityCount : entityCount / 10
        var walk = RandomWalk(seed: UInt64(seed))
        while walk.next(of: 150) {
            write(Set((0..<400).map { _ in random.below(hotCount) }).sorted())
            // A block may lose all that is live in it after it was chosen; copies are made of what still is.
            write(isBeingRead.flatMap { ordinal in (blocks[ordinal] ?? []).filter { places[$0] == ordinal } })
            for ordinal in isBeingRead {
                blocks[ordinal] = nil
                planner.gone(ordinal)
            }
            planner.committed()
            isBeingRead = planner.victims(countMax: 200)
            planner.checkInvariants()
            #expect(
                planner.deadByteCount * 100 <= planner.byteCount * (limits.deadShareMax + 5),
                "\(walk)")
        }
        // At rest merging ends, and leaves no block of which a third is dead.
        var roundCount = 0
        repeat {
            write(isBeingRead.flatMap { ordinal in (blocks[ordinal] ?? []).filter { places[$0] == ordinal } })
            for ordinal in isBeingRead {
                blocks[ordinal] = nil
                planner.gone(ordinal)
            }
            planner.committed()
            isBeingRead = planner.victimsAtRest(countMax: 20)
            roundCount += 1
        } while !isBeingRead.isEmpty && roundCount < 1_000
        #expect(isBeingRead.isEmpty)
        #expect(planner.looseByteCount == 0)
        #expect(planner.liveByteCount == entityCount * entityByteCount)
        for entity in 0..<entityCount {
            #expect(places[entity].flatMap { blocks[$0] }?.contains(entity) == true, "seed \(seed)")
        }
    }

    /// The choice against sorting everything by hand.
    @Test(arguments: 1...5) func `the choice is that of a list in order`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(100 + seed))
        var planner = MergePlanner(limits)
        var model: [(ordinal: Int, byteCount: Int, dead: Int)] = []
        for ordinal in 1...300 {
            let byteCount = 100 + random.below(1_200)
            planner.wrote(ordinal, byteCount: byteCount)
            model.append((ordinal, byteCount, random.below(3) == 0 ? 0 : random.below(byteCount + 1)))
        }
        planner.committed()
        for block in model where block.dead > 0 { planner.died(in: block.ordinal, byteCount: block.dead) }
        let all = model.reduce(0) { $0 + $1.byteCount }
        var debt = model.reduce(0) { $0 + $1.dead } - all * 35 / 100
        var wanted: [Int] = []
        let order = model.filter { $0.dead > 0 }.map { block in
            ((block.byteCount - block.dead) * 1_000 / max(1_000, block.byteCount), block)
        }.sorted { ($0.0, $0.1.ordinal) < ($1.0, $1.1.ordinal) }
        for (_, block) in order where debt > 0 && wanted.count < 50 {
            wanted.append(block.ordinal)
            debt -= block.dead
        }
        let chosen9 = planner.victims(countMax: 50)
        #expect(chosen9 == wanted.sorted(), "seed \(seed)")
    }
}
