import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled, .tags(.model)) struct MergeModelTests {
    @Test(arguments: 1...150 as ClosedRange<UInt64>)
    func `two random resources merge as the reference says`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let resources = ResourceGenerator(ids: IdentifierPool(random: &random), writer: SpacedWriter(whiteSpace: 100))
        for _ in 0..<5 {
            let base = try ReferenceJSONParser.parse(Array(resources.resource(&random).utf8))
            let incoming = try ReferenceJSONParser.parse(Array(resources.resource(&random).utf8))
            let members = try #require(base.members)
            let names = (members + (incoming.members ?? [])).map(\.key.unescaped)
            let noMerge = Set((0..<random.below(3)).map { _ in random.pick(names) })
            let keepsIdentity = random.chance(300)
            var frozen: Set<[UInt8]> = []
            if keepsIdentity {
                frozen = [Array("id".utf8)]
                if base.presentMember("id") == nil { frozen.insert(Array("uuid".utf8)) }
            }
            let wanted = ReferenceJSON.object(
                ReferenceMerge(noMergeFields: noMerge).merge(
                    members, with: try #require(incoming.members), frozen: frozen))
            let merged = incoming.written.withUnsafeBytes { incoming in
                base.written.withUnsafeBytes { base in
                    Merge.merged(incoming, into: base, noMergeFields: noMerge, keepsIdentity: keepsIdentity)
                }
            }
            #expect(
                String(decoding: merged, as: UTF8.self) == wanted.description,
                "seed \(seed): \(incoming) into \(base), no merge of \(noMerge.map { String(decoding: $0, as: UTF8.self) })"
            )
        }
    }
}
