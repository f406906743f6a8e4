import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting
import ViewOracle

@testable import TidemarkViews

/// The numbers of entities, beside a dictionary.
@Suite(.pooled, .tags(.model)) struct EntityHashTableTests {
    @Test func `entities that enter and leave have the numbers that a dictionary would give`() {
        for seed in TestScale.seeds(40) {
            var random = SeededGenerator(seed: seed)
            var table = EntityTable()
            var held: [ViewKey: (number: EntityNumber, count: Int)] = [:]
            for _ in 0..<600 {
                let type = ByteString(random.one(["t", "u", "a longer name of a type"]))
                // Ids of all lengths around a word, with few different beginnings.
                let id = ByteString(
                    String(repeating: "x", count: random.count(0...17)) + "\(random.count(0...9))")
                let key = ViewKey(type: type, id: id)
                if random.percent(60) {
                    let number = table.retain(key)
                    #expect(held[key].map { $0.number == number } ?? true, "seed \(seed)")
                    held[key] = (number, (held[key]?.count ?? 0) + 1)
                } else if let known = held[key] {
                    table.release(known.number)
                    held[key] = known.count == 1 ? nil : (known.number, known.count - 1)
                    if random.percent(50) { table.endChange() }
                }
                #expect(table.number(of: key) == held[key]?.number, "seed \(seed)")
            }
            #expect(table.count == held.count, "seed \(seed)")
            for (key, known) in held {
                #expect(
                    table.number(of: key) == known.number && table.key(of: known.number) == key,
                    "seed \(seed)")
            }
            for known in held.values { for _ in 0..<known.count { table.release(known.number) } }
            #expect(
                table.count == 0 && held.keys.allSatisfy { table.number(of: $0) == nil }, "seed \(seed)")
        }
    }

    @Test func `a type and an id are told apart where they meet`() {
        var table = EntityTable()
        let first = table.retain(ViewKey(type: "ab", id: "c"))
        let second = table.retain(ViewKey(type: "a", id: "bc"))
        #expect(first != second && table.number(of: ViewKey(type: "abc", id: "")) == nil)
    }
}
