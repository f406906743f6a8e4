import TidemarkModel
import TidemarkStore

/// One change of a cache's state, with all values that decide its effect.
///
/// Reads are not steps: they change only which entities are in memory. Evictions are steps of their own.
package enum RecordedStep: Sendable {
    /// The lines of some of a batch's events, in the form of ``TidemarkModel/EventBatch/lines(of:)``.
    case lines(EventBatch, events: Range<Int>)
    /// A check for missing numbers that have waited too long.
    case gaps(CacheState.GapPatience)
    /// An upstream's answer; `random` decides the pause before the next request.
    case answer(
        library: ByteString, attempt: UInt64, random: Double, events: [EventBatch], coveredThrough: EventSequence?)
    case failure(library: ByteString, attempt: UInt64, random: Double, isFinal: Bool, message: String)
    /// The pause before a request is over.
    case resumption(library: ByteString, attempt: UInt64)
    /// An answer could not be applied; the upstream is asked again.
    case postponement(library: ByteString, attempt: UInt64)
    /// The upstream is asked again for lost numbers.
    case healing(library: ByteString)
    case transaction([TransactionOperation], library: ByteString, expecting: TransactionExpectations)
    /// The entities that a removal found.
    case removal([EntityKey])
    /// A scope is cleared; nil: every library.
    case clearing(library: ByteString?)
    /// An upstream is asked for a query; the number of the fetch is unique.
    case fetch(UInt64, library: ByteString)
    case fetchEnd(UInt64)
    /// The result of a query is stored; `fetch`: the number of the fetch that it answers.
    case result(QueryResult, QueryKey, fetch: UInt64?)
    /// A server has confirmed a stored HTTP answer; `asOf`: the position that the answer stands for, `fetch`: the
    /// number of the fetch that confirmed it.
    case renewal(QueryResult, QueryKey, asOf: EventSequence?, fetch: UInt64?)
    /// A server said that an entity is gone; `asOf`: the position that it named, `fetch`: the number of the fetch.
    case deletion(EntityKey, asOf: EventSequence?, fetch: UInt64?)
    /// The entities of an answer of GraphQL are stored.
    case document(GraphAnswer)
    case invalidation(Invalidation)
    case update(OptimisticUpdate)
    case commit(OptimisticCommit)
    /// A layer is rolled back; `library` nil: the layer is found by its id alone.
    case rollBack(ByteString, library: ByteString?)
    /// An attempt to send the request of a layer was counted; `members`: the newer layers that are sent with it. All
    /// are pending ids.
    case attempt(ByteString, members: [ByteString])
    /// An attempt to send the request of a layer failed; the request is sent again.
    case attemptFailure(ByteString)
    /// The request of a layer failed for good.
    case requestFailure(ByteString, MutationFailure)
    /// A failed request is sent again; `library` nil: the layer is found by its id alone.
    case retry(ByteString, library: ByteString?)
    /// A line in quarantine was read again.
    case quarantineRetry(QuarantineRecord)
    /// Entities and queries were evicted, and entities were reduced.
    case leaving(evicted: [EntityKey], reduced: [EntityKey], queries: [QueryKey])
}
