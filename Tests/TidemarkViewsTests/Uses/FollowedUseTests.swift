import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting
import ViewOracle

@testable import TidemarkViews

/// Followed uses keep no rows: their moves, folded, are the rows of a use that is held.
@Suite(.pooled, .tags(.model)) struct FollowedUseTests {
    /// How many rows begin with each entity, as a follower counts them.
    private struct Follower {
        var counts: [ViewKey: Int] = [:]

        mutating func fold(_ moves: UseMoves) {
            for row in moves.left { change(row.key, by: -1) }
            for row in moves.entered { change(row.key, by: 1) }
        }

        private mutating func change(_ key: ViewKey, by difference: Int) {
            let count = (counts[key] ?? 0) + difference
            counts[key] = count == 0 ? nil : count
        }
    }

    /// Runs one world; returns the number of comparisons with rows, nil if its rule cannot be followed.
    private func run(seed: UInt64) throws -> Int? {
        var random = SeededGenerator(seed: seed)
        var rules = RandomRule(seed: seed &* 31, hasParameters: random.percent(70))
        let text = rules.view()
        guard let rule = try? ViewRule(json: Array(text.utf8)) else { return nil }
        if case .groups = rule.body.output { return nil }
        let names = rule.parameters.map(\.description)
        var world = ViewWorld()
        for _ in 0..<random.count(0...25) {
            world.apply(states: RandomEntities.changes(world.entities.states, &random))
        }
        var followers: [ViewUseID: Follower] = [:]
        var bindings: [ViewUseID: ViewBinding] = [:]
        func fold(_ world: inout ViewWorld) {
            for (use, moves) in world.views.takeMoves() { followers[use, default: Follower()].fold(moves) }
        }
        for _ in 0..<(names.isEmpty ? 1 : random.count(1...3)) {
            let binding = try ViewBinding(Array(rules.values(names).utf8), for: rule)
            let followed = world.views.follow(rule, binding)
            let use = try #require(followed)
            bindings[use] = binding
            let step = random.one([1, 2, 1_000])
            while !world.views.fill(use, world.entities, countMax: step) {
                fold(&world)
                if random.percent(40) {
                    world.apply(states: RandomEntities.changes(world.entities.states, &random))
                    fold(&world)
                }
            }
            fold(&world)
        }
        var count = 0
        for step in 0..<20 {
            world.apply(states: RandomEntities.changes(world.entities.states, &random))
            fold(&world)
            for (use, binding) in bindings {
                let expected = try rows(rule, binding, world)
                let found = followers[use]?.counts ?? [:]
                #expect(found == expected, "seed \(seed), step \(step): \(text)")
                count += expected.count
                for key in world.entities.states.keys {
                    let shown = world.views.followedUses(showing: key, world.entities).contains(use)
                    #expect(shown == (expected[key] != nil), "seed \(seed), step \(step), \(key.text): \(text)")
                }
            }
        }
        return count
    }

    /// The first entities of a use's rows, by a set of views that computes them afresh.
    private func rows(
        _ rule: ViewRule, _ binding: ViewBinding, _ world: ViewWorld
    ) throws -> [ViewKey: Int] {
        var views = ViewSet()
        let held = views.hold(rule, binding)
        let use = try #require(held)
        while !views.fill(use, world.entities, countMax: 1_000) {}
        let opened = views.open(use, offset: 0, limit: 1_000, world.entities)
        let window = try #require(opened)
        let result = try #require(views.result(window))
        var counts: [ViewKey: Int] = [:]
        for case .entities(let keys) in result.keys {
            if let first = keys.first, let key = first { counts[key, default: 0] += 1 }
        }
        return counts
    }

    @Test func `folded moves of random followed uses are the rows of held ones`() throws {
        var (followed, compared) = (0, 0)
        for seed in TestScale.seeds(100) {
            guard let count = try run(seed: seed) else { continue }
            followed += 1
            compared += count
        }
        #expect(followed > 20 && compared > followed)
    }

    @Test func `a prepared rule keeps its relations while nobody uses it`() throws {
        var world = ViewWorld()
        world.apply([("t:1", #"{"id":"1","a":1}"#), ("u:1", #"{"id":"1","t":"1"}"#)])
        let text = #"{"from":"t","joins":[{"type":"u","kind":"exists","on":{"/t":"t@key"}}]}"#
        let rule = try ViewRule(json: Array(text.utf8))
        world.views.prepare(rule)
        while !world.views.fillRules(world.entities, countMax: 1) {}
        for _ in 0..<2 {
            world.apply([("t:2", #"{"id":"2"}"#), ("u:2", #"{"id":"2","t":"2"}"#)])
            let followed = world.views.follow(rule, try ViewBinding(nil, for: rule))
            let use = try #require(followed)
            while !world.views.fill(use, world.entities, countMax: 10) {}
            let moves = world.views.takeMoves()
            #expect(Set(moves[use]?.entered.map(\.key.id) ?? []) == ["1", "2"])
            world.views.release(use)
            #expect(world.views.indexes.table.count == 4)
            world.apply([("t:2", nil), ("u:2", nil)])
        }
        world.views.abandon(rule)
        #expect(world.views.shapes.isEmpty && world.views.indexes.table.count == 0)
    }

    @Test func `a held use and a followed use of one rule are separate`() throws {
        var world = ViewWorld()
        let rule = try ViewRule(json: Array(#"{"from":"t"}"#.utf8))
        let binding = try ViewBinding(nil, for: rule)
        let window = try world.observe(#"{"from":"t"}"#)
        let followed = world.views.follow(rule, binding)
        let use = try #require(followed)
        let isFilled = world.views.fill(use, world.entities, countMax: 10)
        #expect(isFilled)
        world.apply([("t:1", #"{"id":"1"}"#)])
        let key = ViewKey(type: "t", id: "1")
        let moves = world.views.takeMoves()
        #expect(moves[use]?.entered.map(\.key) == [key] && world.views.moves.isEmpty)
        #expect(world.views.result(window)?.total == 1)
        world.views.release(use)
        world.apply([("t:1", nil)])
        #expect(world.views.moves.isEmpty)
        world.close(window)
        #expect(world.views.shapes.isEmpty)
    }
}
