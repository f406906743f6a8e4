import Tidemark
import TidemarkModel

@testable import TidemarkGraphQL

/// A server of GraphQL whose answers a test gives by hand, in any order.
actor HeldGraphUpstream: GraphQLUpstream {
    private var questions: [CheckedContinuation<String, Never>] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private var askedCount = 0

    nonisolated var keepsTime: Bool { true }

    func ask(_ request: GraphQLUpstreamRequest) async throws(UpstreamError) -> GraphQLUpstreamResponse {
        let text = await withCheckedContinuation { continuation in
            questions.append(continuation)
            askedCount += 1
            for watcher in watchers { watcher.resume() }
            watchers = []
        }
        do throws(ResponseError) {
            return .whole(try ResponseParts(Array(text.utf8)))
        } catch {
            throw UpstreamError("\(error)")
        }
    }

    nonisolated func stop(fetch: UInt64) {}

    /// Returns as soon as `count` questions were asked in all.
    func waitForQuestions(_ count: Int) async {
        while askedCount < count { await withCheckedContinuation { watchers.append($0) } }
    }

    /// - Precondition: A question is open.
    func answerOldest(_ text: String) { questions.removeFirst().resume(returning: text) }

    /// - Precondition: A question is open.
    func answerNewest(_ text: String) { questions.removeLast().resume(returning: text) }
}

/// The one reply to a read.
final class GraphQLReplies: Sendable {
    private let (replies, continuation) = AsyncStream.makeStream(of: Result<GraphQLReply, CacheError>.self)

    func take(_ reply: Result<GraphQLReply, CacheError>) {
        continuation.yield(reply)
        continuation.finish()
    }

    /// Waits for the reply; once.
    func first() async -> Result<GraphQLReply, CacheError>? {
        for await reply in replies { return reply }
        return nil
    }
}
