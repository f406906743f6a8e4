import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting
import ViewOracle

@testable import TidemarkViews

/// Random rules over random entities: what observers fold equals a read, a fresh evaluation and the naive model.
@Suite(.pooled, .tags(.model)) struct ViewModelTests {
    /// Runs one world; returns the operations of its patches, nil if its rule was refused.
    private func run(seed: UInt64) throws -> Int? {
        var random = SeededGenerator(seed: seed)
        var rules = RandomRule(seed: seed &* 31, hasParameters: random.percent(50))
        let rule = rules.view()
        guard let checked = try? ViewRule(json: Array(rule.utf8)) else { return nil }
        let names = checked.parameters.map(\.description)
        var world = ViewWorld()
        for _ in 0..<random.count(0...25) {
            world.apply(states: RandomEntities.changes(world.entities.states, &random))
        }
        let uses = names.isEmpty ? 1 : random.count(1...3)
        for _ in 0..<uses {
            let step = random.one([1, 2, 3, 1_000])
            try world.observe(
                rule, rules.values(names), offset: random.percent(20) ? random.count(0...2) : nil,
                limit: random.percent(20) ? random.count(1...3) : nil, step: step
            ) { world in
                if random.percent(40) { world.apply(states: RandomEntities.changes(world.entities.states, &random)) }
            }
        }
        try world.check("seed \(seed), at first: \(rule)")
        for step in 0..<20 {
            if random.percent(8), let window = world.observers.keys.sorted().first {
                world.move(window, offset: random.percent(60) ? random.count(0...3) : nil, limit: random.count(1...4))
            } else {
                let changes = RandomEntities.changes(world.entities.states, &random)
                let slow = random.percent(10) ? world.observers.keys.sorted().first : nil
                if let slow { world.suspend(slow) }
                world.apply(states: changes)
                if let slow {
                    world.apply(states: RandomEntities.changes(world.entities.states, &random))
                    world.resume(slow)
                }
            }
            try world.check("seed \(seed), step \(step): \(rule)")
        }
        try world.checkExplanations("seed \(seed): \(rule)")
        let count = world.operationCount
        for window in world.observers.keys { world.close(window) }
        // Nothing is kept for views that nobody has.
        #expect(world.views.shapes.isEmpty && world.views.indexes.table.count == 0, "seed \(seed)")
        #expect(world.views.dependents.byteCount == 0, "seed \(seed)")
        return count
    }

    @Test func `random views follow random changes as the model does`() throws {
        let seeds = TestScale.seeds(200)
        var (accepted, operations) = (0, 0)
        for seed in seeds {
            guard let found = try run(seed: seed) else { continue }
            accepted += 1
            operations += found
        }
        // Most rules are accepted, and most worlds change more than once.
        #expect(accepted * 2 > seeds.count)
        #expect(seeds.count == 1 || operations > 2 * accepted)
    }
}
