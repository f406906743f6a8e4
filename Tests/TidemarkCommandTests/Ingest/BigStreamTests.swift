import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// `make big-test`: a million lines with every fault, against the reference model. Laws: L1, L7.
@Suite(
    .enabled(if: TestScale.big.isAsked, "make big-test runs it"), .tags(.model, .process),
    .pooled(minutes: 600))
struct BigStreamTests {
    @Test func `a million faulty lines end in the state of the model`() async throws {
        let folder = try TemporaryFolder()
        let count = TestScale.big.number ?? 200_000
        let stream = try await run([
            "generate", "--ids", "\(count)", "--updates", "4", "--distribution", "zipf", "--types", "5", "--libraries",
            "3", "--payload-bytes", "200", "--batch-share", "0.001", "--batch-size", "20", "--delete-share", "0.02",
            "--merge-share", "0.1", "--gap-rate", "0.001", "--disorder-rate", "0.02", "--duplicate-rate", "0.02",
            "--bad-line-rate", "0.001",
        ]).output
        let result = try await run(["ingest", "--db", folder.path("a.db")], input: stream)
        let summary = try ReferenceJSONParser.parse(Array(try #require(result.outputLines.last).utf8))
        func number(_ path: String...) throws -> Int {
            let value = path.reduce(summary as ReferenceJSON?) { $0?.member($1) }
            let digits = try #require(value?.integerText)
            return try #require(Int(String(decoding: digits, as: UTF8.self)))
        }
        let bins = try ["applied", "duplicate", "ignored", "quarantined", "held"].map { try number("events", $0) }
        #expect(
            try number("lines") == bins.reduce(0, +) + number("blank") + number("control") + number("messages"))
        #expect(try number("lines") == stream.count { $0 == 0x0A })
        _ = try await run(["verify", "--db", folder.path("a.db")])

        var model = ReferenceModel(configuration: ReferenceConfiguration())
        model.ingest(stream)
        model.endOfInput()
        let wanted = try ReferenceJSONParser.parse(model.summary.line)
        #expect(wanted.differences(from: summary) == [])
        let export = try await run(["export", "--db", folder.path("a.db")]).output
        let isEqual = export == model.exportLines().reduce(into: []) { $0 += $1 + [0x0A] }
        #expect(isEqual)
    }

    private func run(_ arguments: [String], input: [UInt8] = []) async throws -> CommandResult {
        let result = try await CommandRunner().run(arguments, input: input, deadline: .seconds(1_200))
        #expect(result.status == 0, "\(arguments.first ?? ""): \(result.errorText)")
        return result
    }
}
