import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkScopes

/// The table of a scope's entities against a dictionary.
@Suite(.pooled, .tags(.model)) struct MemberTableModelTests {
    @Test func `a table holds what a dictionary holds, in ascending order`() {
        for seed in TestScale.seeds(20) {
            var random = SeededGenerator(seed: seed)
            let range: UInt32 = seed % 2 == 0 ? 50 : 5_000
            let first = (0..<range).filter { _ in Bool.random(using: &random) }
            let member = MemberTable.Member(entered: .start, changed: .start)
            var table = MemberTable(numbers: first, member)
            var model = Dictionary(uniqueKeysWithValues: first.map { ($0, member) })
            // Mostly insertions, then mostly removals, until the table is empty.
            for step in 0..<6_000 {
                let number = UInt32.random(in: 0..<range, using: &random)
                let position = ScopePosition(UInt32(step))
                if Int.random(in: 0..<100, using: &random) < (step < 3_000 ? 70 : 20) {
                    let member = MemberTable.Member(entered: position, changed: position)
                    (table[number], model[number]) = (member, member)
                } else {
                    let (removed, expected) = (table.removeValue(forKey: number), model.removeValue(forKey: number))
                    #expect(removed == expected, "seed \(seed), step \(step)")
                }
                if model[number] != nil {
                    table[number]?.changed = position
                    model[number]?.changed = position
                }
                guard step % 500 == 0 else { continue }
                #expect(Array(table.numbers) == model.keys.sorted(), "seed \(seed), step \(step)")
                #expect(table.count == model.count && (0..<range).allSatisfy { table[$0] == model[$0] })
            }
            for number in model.keys { #expect(table.removeValue(forKey: number) != nil) }
            #expect(table.count == 0 && Array(table.numbers).isEmpty && table[0] == nil)
        }
    }
}
