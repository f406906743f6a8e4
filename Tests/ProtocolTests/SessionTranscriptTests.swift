import Dispatch
import Foundation
import Testing
import TidemarkTesting

/// Every transcript of Protocol/vectors/sessions against the built command.
@Suite struct SessionTranscriptTests {
    private static let turnstile = Turnstile(count: 3)

    @Test(arguments: try Transcript.all())
    func `the command says what the transcript says`(_ transcript: Transcript) async throws {
        let problems = try await SessionTranscriptTests.turnstile.run { try await play(transcript) }
        #expect(problems == [])
    }

    @Test func `there are transcripts, and each one says what it is about`() throws {
        let transcripts = try Transcript.all()
        #expect(transcripts.count >= 140)
        for transcript in transcripts { #expect(transcript.lines.first?.member("about")?.text != nil, "\(transcript)") }
    }

    /// On a thread that may wait.
    private func play(_ transcript: Transcript) async throws -> [String] {
        let folder = try TemporaryFolder()
        let upstream = try transcript.upstream.map { try folder.write($0, to: "log.ndjson") }
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try transcript.play(database: folder.path("a.db"), upstreamPath: upstream) })
            }
        }
    }
}
