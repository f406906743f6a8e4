import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting
import TidemarkViews
import ViewJudge
import ViewOracle

/// Random rules over random entities, judged by SQLite.
///
/// With `TIDEMARK_SCALE=seeds=300` more than 100,000 cases. Source: docs/testing.md, views.
@Suite(.pooled, .tags(.model)) struct ViewJudgeTests {
    /// What became of the cases.
    private struct Counts {
        var judged = 0
        var unsayable = 0
        var rowCount = 0
    }

    private func run(seed: UInt64, _ judge: SQLiteJudge, _ counts: inout Counts) throws {
        var random = SeededGenerator(seed: seed)
        var rules = RandomRule(seed: seed &* 37 &+ 5, hasParameters: random.percent(40))
        let rule = rules.view()
        guard let checked = try? ViewRule(json: Array(rule.utf8)) else { return }
        var world = ViewWorld()
        for _ in 0..<random.count(2...25) {
            world.apply(states: RandomEntities.changes(world.entities.states, &random))
        }
        let parameters = rules.values(checked.parameters.map(\.description))
        let window = try world.observe(rule, parameters)
        for step in 0..<3 {
            if step > 0 { world.apply(states: RandomEntities.changes(world.entities.states, &random)) }
            try compare(world, window, judge, "seed \(seed), step \(step): \(rule) with \(parameters)", &counts)
        }
    }

    private func compare(
        _ world: ViewWorld, _ window: ViewWindowID, _ judge: SQLiteJudge, _ comment: String, _ counts: inout Counts
    ) throws {
        let observer = try #require(world.observers[window])
        let result = try #require(world.views.result(window))
        let entities = try world.entities.states.compactMap { key, state in
            try state.resource.map { (key.type.description, key.id.description, try ReferenceJSONParser.parse($0)) }
        }
        do {
            try judge.load(entities)
            let verdict = try judge.verdict(observer.rule, observer.parameters)
            let rows = try result.rows.map { try SQLiteJudge.comparable($0) }
            #expect(verdict.rows == rows, "\(comment)")
            #expect(verdict.total == result.total, "\(comment)")
            counts.judged += 1
            counts.rowCount += rows.count
        } catch is Unsayable {
            counts.unsayable += 1
        }
    }

    @Test func `SQLite gives the rows of random views`() throws {
        let judge = try SQLiteJudge(types: RandomEntities.types)
        var counts = Counts()
        let seeds = TestScale.seeds(200)
        for seed in seeds { try run(seed: seed, judge, &counts) }
        // Most cases can be said in SQL, and have rows.
        #expect(seeds.count == 1 || counts.unsayable < counts.judged, "\(counts)")
        #expect(seeds.count == 1 || counts.rowCount * 2 > counts.judged, "\(counts)")
    }
}
