import Foundation
import Testing
import TidemarkTesting

/// Every transcript as a recorded session of the built command, done again by the built command.
@Suite struct RecordedSessionTests {
    @Test func `every session that is recorded comes out the same when it is done again`() async throws {
        var stepCount: Int64 = 0
        for transcript in try Transcript.all() {
            let folder = try TemporaryFolder()
            let (database, recording, copy) = (folder.path("live.db"), folder.path("a.rec"), folder.path("again.db"))
            let upstreamPath = try transcript.upstream.map { try folder.write($0, to: "upstream.ndjson") }
            let problems = try transcript.play(
                database: database, upstreamPath: upstreamPath, options: ["--record", recording])
            #expect(problems == [], "\(transcript)")
            let replay = try await CommandRunner().run(["replay", recording, "--json", "--db", copy])
            #expect(replay.status == 0, "\(transcript): \(replay.errorText)")
            let found = try ReferenceJSONParser.parse(Array(replay.output.dropLast()))
            stepCount += Int64(String(decoding: found.member("steps")?.written ?? [], as: UTF8.self)) ?? 0
            for command in [["verify", "--json"], ["pending", "--json"], ["queries", "--json", "--keys"]] {
                let live = try await CommandRunner().run(command + ["--db", database])
                let again = try await CommandRunner().run(command + ["--db", copy])
                #expect(again.outputText == live.outputText, "\(transcript), \(command)")
            }
        }
        #expect(stepCount > 300)
    }
}
