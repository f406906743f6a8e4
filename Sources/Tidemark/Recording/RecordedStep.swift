import TidemarkModel
import TidemarkStore

/// One thing that changes a cache's state, with all that decides how.
///
/// Reads are not among them: they change what stays in memory and nothing else, and what leaves the cache to make room is a
/// step of its own.
package enum RecordedStep: Sendable {
    /// The lines of some of a batch's events, as ``TidemarkModel/EventBatch/lines(of:)`` gives them.
    case lines(EventBatch, events: Range<Int>)
    /// A look at what is missing.
    case gaps(CacheState.GapPatience)
    /// An upstream's answer; `random` decides the pause before the next question.
    case answer(
        library: ByteString, attempt: UInt64, random: Double, events: [EventBatch], coveredThrough: EventSequence?)
    case failure(library: ByteString, attempt: UInt64, random: Double, isFinal: Bool, message: String)
    /// The pause before a question is over.
    case resumption(library: ByteString, attempt: UInt64)
    /// An answer could not be applied, and is asked for again.
    case postponement(library: ByteString, attempt: UInt64)
    /// The upstream is asked for numbers that were lost.
    case healing(library: ByteString)
    case transaction([TransactionOperation], library: ByteString, expecting: TransactionExpectations)
    /// What a removal found.
    case removal([EntityKey])
    /// nil: every library.
    case clearing(library: ByteString?)
    /// A query is asked for; its number is that of no other.
    case fetch(UInt64, library: ByteString)
    case fetchEnd(UInt64)
    /// A query's result is stored; `fetch`: the question that it answers.
    case result(QueryResult, QueryKey, fetch: UInt64?)
    case invalidation(Invalidation)
    case update(OptimisticUpdate)
    case commit(OptimisticCommit)
    /// nil: of whatever library.
    case rollBack(ByteString, library: ByteString?)
    /// What made room.
    case leaving(evicted: [EntityKey], reduced: [EntityKey], queries: [QueryKey])
}
