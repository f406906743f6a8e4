import Testing
import TidemarkTestKit
import TidemarkTesting

/// Every transcript as a recorded session of the built command, replayed by the built command.
@Suite(.timeLimit(.minutes(30)), .tags(.process)) struct RecordedSessionTests {
    private static let turnstile = Turnstile(count: 3)

    @Test(arguments: try Transcript.all())
    func `a recorded session has the same outcome when it is replayed`(_ transcript: Transcript) async throws {
        try await RecordedSessionTests.turnstile.run { try await recordAndReplay(transcript) }
    }

    private func recordAndReplay(_ transcript: Transcript) async throws {
        let folder = try TemporaryFolder()
        let (database, copy) = (folder.path("live.db"), folder.path("again.db"))
        // Each start of the command has a recording; the last one begins with the database that the others left.
        let problems = try await transcript.playAside(in: folder, database: database) {
            ["--record", folder.path("\($0).rec")]
        }
        let recording = folder.path("\(transcript.lines.count { $0.member("restart") != nil }).rec")
        #expect(problems == [])
        let replay = try await CommandRunner().run(["replay", recording, "--json", "--db", copy])
        #expect(replay.status == 0, "\(replay.errorText)")
        let found = try ReferenceJSONParser.parse(Array(replay.output.dropLast()))
        // The transcript has only its description and its end, so nothing was done in the session.
        let isEmpty = transcript.lines.count == 2
        #expect((found.member("steps")?.written == Array("0".utf8)) == isEmpty)
        for command in [["verify", "--json"], ["pending", "--json"], ["queries", "--json", "--keys"]] {
            let live = try await CommandRunner().run(command + ["--db", database])
            let again = try await CommandRunner().run(command + ["--db", copy])
            #expect(again.outputText == live.outputText, "\(command)")
        }
    }
}
