import Foundation
import FuzzTargets
import TestTraits
import Testing

/// The inputs from which fuzzers start, and those with which they once found a fault, tried in every test run. No
/// fuzzer is needed for that.
@Suite(.pooled) struct FuzzCorpusTests {
    @Test(arguments: FuzzTarget.all)
    func `every target accepts every input of its corpus`(_ target: FuzzTarget) async throws {
        let inputs = try Corpus.inputs(of: target)
        #expect(inputs.count >= 10, "Corpora/\(target.name) holds \(inputs.count) inputs")
        for input in inputs {
            do {
                try await target.run(input.bytes)
            } catch {
                Issue.record("make fuzz TARGET=\(target.name) INPUT=\(input.path): \(error)")
            }
        }
    }

    @Test func `every folder and dictionary belongs to a target`() throws {
        let names = Set(FuzzTarget.all.map(\.name))
        for entry in try Corpus.entries() {
            let name = entry.hasSuffix(".dict") ? String(entry.dropLast(5)) : entry
            #expect(names.contains(name), "Corpora/\(entry) is of no target")
        }
        #expect(names.count == FuzzTarget.all.count)
        #expect(FuzzTarget.named("lines") != nil && FuzzTarget.named("no such target") == nil)
    }

    @Test func `the corpora stay small`() throws {
        let sizes = try FuzzTarget.all.flatMap { try Corpus.inputs(of: $0) }.map(\.bytes.count)
        #expect(sizes.reduce(0, +) < 1 << 20)
    }
}
