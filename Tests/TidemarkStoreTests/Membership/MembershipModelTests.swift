import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled, .tags(.model)) struct MembershipModelTests {
    @Test(arguments: 1...80 as ClosedRange<UInt64>)
    func `random rules choose and order random resources as the reference does`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let generator = MembershipGenerator()
        let resources = (0..<24).map { (id: "\($0 % 10)-\($0)", resource: generator.resource(&random)) }
        let parsed = try resources.map { (id: Array($0.id.utf8), resource: try parse($0.resource)) }
        for _ in 0..<8 {
            let rule = generator.rule(&random)
            let subject = try MembershipFixture(rule)
            let matching = resources.filter { subject.matches($0.resource) }
            #expect(
                matching.map(\.id) == parsed.filter { subject.reference.matches($0.resource) }.map { text($0.id) },
                "seed \(seed): \(rule) of \(resources)")
            let sorted = parsed.sorted { subject.reference.precedes($0, $1) }.map { text($0.id) }
            #expect(subject.sorted(resources) == sorted, "seed \(seed): \(rule) of \(resources)")
            let list = subject.sorted(matching).prefix(subject.membership.limit ?? .max)
            #expect(Array(list) == subject.reference.list(of: parsed).map(text), "seed \(seed): \(rule)")
        }
    }

    @Test(arguments: TestScale.seeds(50))
    func `candidates include every query whose rule a resource fulfils`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let generator = MembershipGenerator()
        var candidates = MembershipCandidates()
        var model: [QueryID: MembershipFixture] = [:]
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 120) {
            let query = QueryID(random.below(40))
            if let present = model[query], random.chance(500) {
                candidates.remove(query, present.membership)
                model[query] = nil
            } else if model[query] == nil {
                let rule = try MembershipFixture(generator.rule(&random))
                candidates.insert(query, rule.membership)
                model[query] = rule
            }
            candidates.checkInvariants()
            let resource = generator.resource(&random)
            let parsed = try parse(resource)
            let found = candidates.candidates(for: resource)
            let wanted = model.filter { $0.value.reference.matches(parsed) }.keys
            #expect(Set(wanted).isSubset(of: found), "\(walk): \(resource) has \(found), not \(wanted)")
            #expect(found == Set(found).intersection(model.keys).sorted(), "\(walk)")
        }
        for (query, rule) in model { candidates.remove(query, rule.membership) }
        candidates.checkInvariants()
        #expect(candidates.isEmpty, "seed \(seed)")
    }

    private func parse(_ text: String) throws -> ReferenceJSON {
        try ReferenceJSONParser.parse(Array(text.utf8))
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
