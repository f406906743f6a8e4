import Testing
import TidemarkTestKit
import TidemarkTesting

/// Transcripts of Protocol/vectors/sessions against the built command without a recording beside it.
///
/// `RecordedSessionTests` plays every transcript with one, and compares the same lines; without one every fourth is
/// played, and all of them when more seeds are requested.
@Suite struct SessionTranscriptTests {
    private static let turnstile = Turnstile(count: 3)

    private static func chosen() throws -> [Transcript] {
        let all = try Transcript.all()
        return TestScale.seeds.isAsked ? all : stride(from: 0, to: all.count, by: 4).map { all[$0] }
    }

    @Test(arguments: try chosen())
    func `the command prints the lines of the transcript`(_ transcript: Transcript) async throws {
        let folder = try TemporaryFolder()
        let problems = try await SessionTranscriptTests.turnstile.run {
            try await transcript.playAside(in: folder, database: folder.path("a.db"))
        }
        #expect(problems == [])
    }

    @Test func `there are transcripts, and each one has a description`() throws {
        let transcripts = try Transcript.all()
        #expect(transcripts.count >= 140)
        for transcript in transcripts { #expect(transcript.lines.first?.member("about")?.text != nil, "\(transcript)") }
    }
}
