import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// Every transcript of Protocol/vectors/sessions against the built command.
@Suite(.pooled) struct SessionTranscriptTests {
    private static let turnstile = Turnstile(count: 3)

    @Test(arguments: try Transcript.all())
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
