import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit

/// Every vector of Protocol/ against the reference model: the pages, the vectors and the model agree.
@Suite(.pooled) struct VectorReplayTests {
    @Test(arguments: try ProtocolVector.all())
    func `the reference model behaves as the vector says`(_ vector: ProtocolVector) throws {
        var model = ReferenceModel(configuration: ReferenceConfiguration())
        var hasBegun = false
        for (index, run) in vector.runs.enumerated() {
            let configuration = try vector.configuration(of: run)
            model = hasBegun ? model.restarted(with: configuration) : ReferenceModel(configuration: configuration)
            hasBegun = true
            model.ingest(try vector.input(of: run))
            model.endOfInput()
            let summary = try ReferenceJSONParser.parse(model.summary.line)
            let problems = try #require(run.member("summary")).differences(from: summary)
            #expect(problems.isEmpty, "run \(index + 1): \(problems)")
            let counts = model.summary.counts
            #expect(counts.lines == counts.blank + counts.control + counts.messages + counts.events)
            let isStrict = vector.arguments(of: run).contains("--strict")
            let isUnclean = counts.quarantined + counts.membersQuarantined > 0
            #expect(vector.exitStatus(of: run) == (isStrict && isUnclean ? 65 : 0))
        }
        if let wanted = vector.exportLines {
            #expect(model.exportLines().map { String(decoding: $0, as: UTF8.self) } == wanted)
        }
        if let quarantine = vector.json.member("quarantine")?.elements {
            let found = model.quarantine.map(\.json)
            #expect(found.count == quarantine.count, "found \(found)")
            for (wanted, found) in zip(quarantine, found) {
                let problems = wanted.differences(from: found)
                #expect(problems.isEmpty, "\(problems)")
            }
        }
    }

    @Test func `there are at least a hundred vectors and each has a description`() throws {
        let vectors = try ProtocolVector.all()
        #expect(vectors.count >= 100)
        for vector in vectors {
            #expect(vector.json.member("about")?.text?.isEmpty == false, "\(vector.name)")
            #expect(vector.json.member("section")?.text?.isEmpty == false, "\(vector.name)")
            #expect(!vector.runs.isEmpty, "\(vector.name)")
        }
    }
}
