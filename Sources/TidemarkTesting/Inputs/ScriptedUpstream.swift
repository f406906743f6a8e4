import Tidemark
import TidemarkModel

/// An upstream for missing events whose test decides when and what it answers.
///
/// ```swift
/// let upstream = ScriptedUpstream()
/// let cache = try await SyncCache.inMemory(upstream: upstream)
/// for sequence: Int64 in [1, 3] {
///     try await cache.ingest(Array(EventLine.change(#"{"id":"1"}"#, sequence: sequence).utf8))
/// }
/// await upstream.waitForQuestions(1)  // asked for 2
/// await upstream.answer(lines: [EventLine.change(#"{"id":"1"}"#, sequence: 2)])
/// ```
public actor ScriptedUpstream: Upstream {
    /// A question that waits for its answer.
    private struct Question {
        var sequence: EventSequence
        var library: ByteString
        var continuation: CheckedContinuation<Result<UpstreamResponse, UpstreamError>, Never>
    }

    /// The open questions, oldest first. Bounded by the libraries, each of which asks once.
    private var questions: [Question] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    /// The first sequence of every request so far.
    public private(set) var asked: [EventSequence] = []

    /// Makes an upstream without questions.
    public init() {}

    /// Adds a question, and waits until the test answers it.
    public func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamResponse {
        asked.append(sequence)
        let result = await withCheckedContinuation { continuation in
            questions.append(Question(sequence: sequence, library: library, continuation: continuation))
            for watcher in watchers { watcher.resume() }
            watchers = []
        }
        return try result.get()
    }

    /// Returns as soon as the cache has asked `count` questions in all, answered ones included.
    public func waitForQuestions(_ count: Int) async {
        while asked.count < count { await withCheckedContinuation { watchers.append($0) } }
    }

    /// Answers the oldest open question.
    ///
    /// - Precondition: A question is open; ``waitForQuestions(_:)`` waits for one.
    public func answer(_ result: Result<UpstreamResponse, UpstreamError>) {
        precondition(!questions.isEmpty, "nothing was asked")
        questions.removeFirst().continuation.resume(returning: result)
    }

    /// Answers the oldest open question with event lines, which have no line ends.
    ///
    /// - Precondition: A question is open; ``waitForQuestions(_:)`` waits for one.
    public func answer(lines: [String]) {
        answer(.success(UpstreamResponse(lines: Array(lines.map { $0 + "\n" }.joined().utf8))))
    }
}
