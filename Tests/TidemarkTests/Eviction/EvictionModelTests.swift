import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

extension SyncCache {
    /// The keys of all entities in memory, as `type:id`.
    fileprivate var residents: Set<String> {
        var found: Set<String> = []
        state.forEachEntity { key, _, _ in found.insert(key.text.description) }
        return found
    }
}

/// The content of both tiers.
private struct Tiers: Equatable {
    var residents: Set<String>
    var memoryByteCount: Int
    var entityCount: Int
    /// The number of entities when none could be evicted.
    var crowdedCount: Int
}

/// The tier of each entity after each step, to the byte and in the order of use. Laws: L8, L9.
@Suite(.pooled, .tags(.model)) struct EvictionModelTests {
    @Test(arguments: TestScale.seeds(24))
    func `both tiers have the content of a naive model, and reads agree`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed ^ 0x7135)
        let idCount = random.pick([2, 5, 12])
        let memoryMax = random.pick([0, 600, 2_500, 1 << 20])
        let entityMax = random.pick([0, 4, 15, 1_000])
        let store = MemoryJournal.Store()
        let clock = ManualClock()
        func reopened() async throws -> QueryFixture {
            try await QueryFixture.open(MemoryJournal(store: store), clock: clock, hasUpstream: false) {
                $0.memoryByteCountMax = memoryMax
                $0.eviction.entityCountMax = Int64(entityMax)
                $0.eviction.keptTypes = ["tag"]
                $0.eviction.keptFields = ["card": ["v0", "v1"]]
                $0.diskExcludedTypes = ["mem"]
                $0.memoryExcludedTypes = ["disk"]
                // A flush begins only when the test asks for one, and no step is cut short.
                $0.flush.interval = .milliseconds(1 << 40)
                $0.flush.busyInterval = .milliseconds(1 << 40)
                $0.stepClock = { 0 }
            }
        }
        var fixture = try await reopened()
        var model = NaiveEviction(memoryMax: memoryMax, entityMax: entityMax)
        var sinks: [(name: NaiveEviction.Name, subscription: SubscriptionID)] = []
        func key(_ name: NaiveEviction.Name) -> EntityKey {
            EntityKey(library: "a", type: ByteString(name.type), id: ByteString("k\(name.id)"))
        }
        var run = RandomWalk(seed: seed)
        let weights = (0..<6).map { _ in 1 + random.below(8) }
        while run.next(of: 160) {
            if random.chance(500) { clock.advance(milliseconds: Int64(random.below(3))) }
            let name = NaiveEviction.Name(
                type: random.pick(["file", "card", "tag", "mem", "disk"]), id: random.below(idCount))
            let place = "\(run), \(name), memory \(memoryMax), entities \(entityMax)"
            let draw = random.weighted(weights)
            run.note("\(clock.now()) \(draw) \(name.type):\(name.id)")
            switch draw {
            case 0:
                let fields = (0..<4).filter { _ in random.chance(700) }.map {
                    (name: "v\($0)", value: random.pick(["1", "1234567", "\"\(String(repeating: "x", count: 60))\""]))
                }
                let merges = random.chance(400)
                run.note("\(merges ? "merge" : "whole") \(fields.map(\.name))")
                model.change(name, fields, merges: merges, at: clock.now())
                try await fixture.input.feed([
                    EventLine.change(
                        NaiveEviction.text(name.id, fields), type: name.type, metadata: merges ? "{}" : "null",
                        library: "a")
                ])
            case 1 where random.chance(300):
                run.note("delete")
                model.delete(name)
                try await fixture.input.feed([EventLine.delete("k\(name.id)", type: name.type, library: "a")])
            case 1, 2:
                let wanted: Set<String>? = random.pick([nil, ["v0"], ["v0", "v1"], ["v2"]])
                let expected = model.read(name, wanted)
                let read = try await fixture.cache.read(key(name), fields: wanted?.map { ByteString($0) })
                #expect(
                    (read.entity.map { String(decoding: $0, as: UTF8.self) } ?? read.miss?.rawValue) == expected,
                    "\(place), \(wanted ?? [])")
            case 3:
                model.settle()
                try await fixture.cache.enforceLimits()
            case 4 where random.chance(150):
                run.note("restart")
                try await fixture.cache.close()
                sinks = []
                model.restart()
                fixture = try await reopened()
                try await fixture.cache.enforceLimits()
                model.settle()
            case 4 where sinks.count < 3 && model.memory[name] != nil && !model.observed.contains(name):
                run.note("observe")
                _ = model.read(name, nil)
                let reply = WatchReply()
                await fixture.cache.observe(key(name), fields: nil, sink: FoldingSink()) { reply.take($0) }
                sinks.append((name, try #require(try reply.subscription())))
                model.observe(name)
            case 5 where !sinks.isEmpty:
                let (name, subscription) = sinks.removeLast()
                run.note("cancel \(name)")
                try await fixture.cache.cancel(subscription)
                model.cancel(name)
            default: continue
            }
            let statistics = await fixture.cache.statistics()
            let found = Tiers(
                residents: await fixture.cache.residents, memoryByteCount: statistics.memoryByteCount,
                entityCount: Int(statistics.entityCount),
                crowdedCount: Int(await fixture.cache.eviction.pressure.blockedCount))
            let expected = Tiers(
                residents: Set(model.memory.keys.map { "\($0.type):k\($0.id)" }),
                memoryByteCount: model.memoryByteCount, entityCount: model.names.count,
                crowdedCount: model.crowded)
            try run.check(found == expected ? [] : ["\(place): \(found), not \(expected)"])
            // After every step the entities that can be evicted exceed the limit by a tenth and the last batch, which
            // has one event.
            if draw == 0 { #expect(found.entityCount <= model.bound + 1, "\(place)") }
            await fixture.cache.checkInvariants()
        }
        try await fixture.cache.enforceLimits()
        model.settle()
        // The entities beyond the limits are those that must not be evicted.
        let movable = model.names.filter { name in
            let row = model.memory[name] ?? model.disk[name]
            return name.type != "tag" && !model.observed.contains(name) && row?.known != .reduced
        }
        #expect(model.names.count <= entityMax || movable.isEmpty, "seed \(seed)")
        try await fixture.cache.close()
    }
}
