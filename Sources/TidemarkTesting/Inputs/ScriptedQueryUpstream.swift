import Tidemark
import TidemarkModel

/// An upstream for queries whose test decides when and what it answers.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
/// }
/// let upstream = ScriptedQueryUpstream()
/// let cache = try await SyncCache.inMemory(queryUpstream: upstream)
/// async let photos = cache.query(Photo.self, method: "photos.list")
/// await upstream.waitForQuestions(1)
/// await upstream.answer(.success(QueryResult(resourceType: "photo", resources: [Array(#"{"id":"1"}"#.utf8)])))
/// print(try await photos.items.count)  // 1
/// ```
///
/// A call whose task is cancelled keeps waiting, so that its answer can arrive late.
public actor ScriptedQueryUpstream: QueryUpstream {
    private struct Question {
        var query: QueryKey
        var continuation: CheckedContinuation<Result<QueryResult, UpstreamError>, Never>
    }

    /// The open questions, oldest first. Bounded by the fetches of a cache.
    private var questions: [Question] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    /// The queries that the cache has asked for so far.
    public private(set) var asked: [QueryKey] = []

    /// Makes an upstream without questions.
    public init() {}

    /// Adds a question, and waits until the test answers it.
    public func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        asked.append(query)
        let result = await withCheckedContinuation { continuation in
            questions.append(Question(query: query, continuation: continuation))
            for watcher in watchers { watcher.resume() }
            watchers = []
        }
        return try result.get()
    }

    /// True if a question waits for its answer.
    public var hasQuestion: Bool { !questions.isEmpty }

    /// Returns as soon as the cache has asked `count` questions in all, answered ones included.
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
