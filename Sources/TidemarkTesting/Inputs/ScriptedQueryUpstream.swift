import Tidemark
import TidemarkModel

/// An upstream for queries that answers when the test says so. A call whose task is cancelled keeps waiting, so that
/// its answer can come late.
public actor ScriptedQueryUpstream: QueryUpstream {
    private struct Question {
        var query: QueryKey
        var continuation: CheckedContinuation<Result<QueryResult, UpstreamError>, Never>
    }

    /// The open questions in the order in which they came; bounded by the fetches of a cache.
    private var questions: [Question] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    /// The queries that the cache asked for so far.
    public private(set) var asked: [QueryKey] = []

    /// Makes an upstream that was asked nothing yet.
    public init() {}

    /// Keeps the question until ``answer(_:to:)``.
    public func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        asked.append(query)
        let result = await withCheckedContinuation { continuation in
            questions.append(Question(query: query, continuation: continuation))
            for watcher in watchers { watcher.resume() }
            watchers = []
        }
        return try result.get()
    }

    /// Tells whether a question waits for its answer.
    public var hasQuestion: Bool { !questions.isEmpty }

    /// Returns as soon as the cache has asked `count` questions in all.
    public func waitForQuestions(_ count: Int) async {
        while asked.count < count { await withCheckedContinuation { watchers.append($0) } }
    }

    /// Answers the oldest open question, or the oldest one about a query.
    ///
    /// - Precondition: Such a question is open; ``waitForQuestions(_:)`` waits for one.
    public func answer(_ result: Result<QueryResult, UpstreamError>, to query: QueryKey? = nil) {
        guard let index = questions.firstIndex(where: { query == nil || $0.query == query }) else {
            preconditionFailure("nothing was asked")
        }
        questions.remove(at: index).continuation.resume(returning: result)
    }

    /// Answers the newest open question, before older ones.
    ///
    /// - Precondition: A question is open; ``waitForQuestions(_:)`` waits for one.
    public func answerNewest(_ result: Result<QueryResult, UpstreamError>) {
        precondition(!questions.isEmpty, "nothing was asked")
        questions.removeLast().continuation.resume(returning: result)
    }
}
