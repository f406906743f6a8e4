import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// Every vector of Protocol/ against the built command: users get what the pages promise.
@Suite(.pooled, .tags(.process)) struct CommandReplayTests {
    /// The number of vectors at once; the other tests need processors too.
    private static let turnstile = Turnstile(count: 3)

    @Test(arguments: try ProtocolVector.all())
    func `the command behaves as the vector says`(_ vector: ProtocolVector) async throws {
        try await CommandReplayTests.turnstile.run { try await replay(vector) }
    }

    private func replay(_ vector: ProtocolVector) async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("a.db")
        for (index, run) in vector.runs.enumerated() {
            var arguments = ["ingest", "--db", database] + vector.arguments(of: run)
            if let log = vector.upstream(of: run) {
                arguments += ["--upstream", "file:" + (try folder.write(log, to: "\(index).log"))]
            }
            let result = try await CommandRunner().run(arguments, input: try vector.input(of: run))
            #expect(result.status == vector.exitStatus(of: run), "run \(index + 1): \(result.errorText)")
            #expect(result.outputLines.count == 1)
            let summary = try ReferenceJSONParser.parse(Array(try #require(result.outputLines.last).utf8))
            let problems = try #require(run.member("summary")).differences(from: summary)
            #expect(problems == [], "run \(index + 1)")
            #expect(try SQLiteReader(path: database).verify().problems == [], "run \(index + 1)")
        }
        if let wanted = vector.exportLines {
            let export = try await CommandRunner().run(["export", "--db", database])
            #expect(export.status == 0)
            #expect(export.errorText == "")
            #expect(lines(export) == wanted)
        }
        if let wanted = vector.json.member("quarantine")?.elements {
            let list = try await CommandRunner().run(["quarantine", "list", "--db", database, "--json"])
            #expect(list.status == 0)
            let page = try ReferenceJSONParser.parse(list.output)
            let found = try #require(page.member("quarantine")?.elements)
            #expect(page.member("next") == .null)
            #expect(found.count == wanted.count, "found \(found)")
            for (wanted, found) in zip(wanted, found) { #expect(differences(wanted, found) == []) }
        }
    }

    /// Compares two records without the member's index: the command reports that a record is a batch's member, not
    /// which one.
    private func differences(_ wanted: ReferenceJSON, _ found: ReferenceJSON) -> [String] {
        let rest = ReferenceJSON.object((wanted.members ?? []).filter { $0.key.unescaped != Array("member".utf8) })
        guard wanted.presentMember("member") != nil else { return rest.differences(from: found) }
        return rest.differences(from: found)
            + (found.member("kind")?.text == Array("member".utf8) ? [] : ["\(found) is no member"])
    }

    /// Splits the output at LF alone, because U+0085 and U+2028 may be inside a line.
    private func lines(_ result: CommandResult) -> [String] {
        result.output.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    }
}
