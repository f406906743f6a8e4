import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// Transcripts as recorded sessions of the built command, replayed by the built command: a quarter of them, and all of
/// them with `TIDEMARK_SCALE=seeds=4`.
@Suite(.pooled, .tags(.process)) struct RecordedSessionTests {
    private static let turnstile = Turnstile(count: 3)

    @Test(arguments: TestScale.every(8, of: try Transcript.all()))
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
        let (live, again) = (try Contents(database), try Contents(copy))
        #expect(again.report == live.report)
        #expect(again.layers == live.layers)
        #expect(again.queries == live.queries)
    }

    /// The content of a session's database: the report of its examination, with the digest of all entities, the pending
    /// edits, and the lists with their keys.
    private struct Contents {
        let report: VerifyReport
        var layers: [ReadLayer] = []
        var queries: [ReadQuery] = []

        init(_ path: String) throws {
            let reader = try SQLiteReader(path: path)
            report = try reader.verify()
            layers = try reader.layers().compactMap { if case .layer(let layer) = $0 { layer } else { nil } }
            try reader.queries { step in
                if case .query(var query) = step {
                    // A replay counts queries anew: only their order is the same.
                    query.number = 0
                    queries.append(query)
                }
                return true
            }
        }
    }
}
