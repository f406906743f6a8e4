import Tidemark
import TidemarkModel

/// An upstream that answers when the test says so, with the answer that the test gives.
public actor ScriptedUpstream: Upstream {
    /// A question that waits for its answer.
    private struct Question {
        var sequence: EventSequence
        var library: ByteString
        var continuation: CheckedContinuation<Result<UpstreamAnswer, UpstreamError>, Never>
    }

    /// The open questions in the order in which they came; bounded by the libraries, each of which asks once.
    private var questions: [Question] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    /// The sequences that the cache asked from so far.
    public private(set) var asked: [EventSequence] = []

    /// Makes an upstream that was asked nothing yet.
    public init() {}

    /// Keeps the question until ``answer(_:)``.
    public func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamAnswer {
        asked.append(sequence)
        let result = await withCheckedContinuation { continuation in
            questions.append(Question(sequence: sequence, library: library, continuation: continuation))
            for watcher in watchers { watcher.resume() }
            watchers = []
        }
        return try result.get()
    }

    /// Returns as soon as the cache has asked `count` questions in all.
    public func waitForQuestions(_ count: Int) async {
        while asked.count < count { await withCheckedContinuation { watchers.append($0) } }
    }

    /// Answers the oldest open question.
    ///
    /// - Precondition: A question is open; ``waitForQuestions(_:)`` waits for one.
    public func answer(_ result: Result<UpstreamAnswer, UpstreamError>) {
        precondition(!questions.isEmpty, "nothing was asked")
        questions.removeFirst().continuation.resume(returning: result)
    }

    /// Answers the oldest open question with event lines, without their line ends.
    public func answer(lines: [String]) {
        answer(.success(UpstreamAnswer(lines: Array(lines.map { $0 + "\n" }.joined().utf8))))
    }
}
