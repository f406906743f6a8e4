import TestTraits
import Testing
import Tidemark
import TidemarkLiveViews
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting
import TidemarkViews
import ViewOracle

/// Random rules, said with the builder.
@Suite(.pooled, .tags(.model)) struct BuiltRuleModelTests {
    @Test func `random rules that are built are those that are written`() throws {
        var count = 0
        for seed in TestScale.seeds(1_000) {
            var rules = RandomRule(seed: seed, hasParameters: seed % 2 == 0)
            let text = Array(rules.view().utf8)
            guard let written = try? ViewRule(json: text) else { continue }
            count += 1
            let rule = try JSONValue(parsing: text)
            let built = try RuleBuilding.view(rule).rule()
            let expected = try ViewRule(json: RuleSpelling.rule(rule).bytes)
            let texts = [built, expected].map { String(decoding: $0.canonical, as: UTF8.self) }
            #expect(texts[0] == texts[1], "seed \(seed)")
            #expect(built.parameters == expected.parameters && built.hasTotal == written.hasTotal, "seed \(seed)")
            guard seed % 4 == 0 else { continue }
            #expect(
                try rows(built.canonical, written, seed) == rows(text, written, seed),
                "seed \(seed): \(String(decoding: text, as: UTF8.self))")
        }
        #expect(count * 3 > TestScale.seeds(1_000).count, "only \(count) rules were accepted")
    }

    /// The rows by the book, over random entities.
    private func rows(_ rule: [UInt8], _ checked: ViewRule, _ seed: UInt64) throws -> [String] {
        var random = SeededGenerator(seed: seed &+ 99)
        var entities: [NaiveKey: ReferenceJSON] = [:]
        for type in RandomEntities.types {
            for id in RandomEntities.ids where random.percent(70) {
                let resource = RandomEntities.resource(id, &random)
                entities[NaiveKey(type: type, id: id)] = try ReferenceJSONParser.parse(Array(resource.utf8))
            }
        }
        var rules = RandomRule(seed: seed &+ 7, hasParameters: true)
        let values = try ReferenceJSONParser.parse(Array(rules.values(checked.parameters.map(\.description)).utf8))
        let params = Dictionary(
            (values.members ?? []).map { (String(decoding: $0.key.unescaped, as: UTF8.self), $0.value) }
        ) { $1 }
        var model = NaiveView(try ReferenceJSONParser.parse(rule), params, entities, deleted: [])
        let result = model.result()
        return result.rows.map { "\(NaivePatch.plain($0))" } + ["\(result.total)", "\(result.missing)"]
    }
}
