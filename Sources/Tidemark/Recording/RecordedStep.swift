import TidemarkModel
import TidemarkStore

/// A change of a cache's state, with all values that decide its effect.
///
/// Reads are not steps: they change only which entities are in memory. Evictions are steps of their own.
package enum RecordedStep: Sendable {
    /// Applies the lines of some of a batch's events; see ``/TidemarkModel/EventBatch/lines(of:)``.
    case lines(EventBatch, events: Range<Int>)
    /// Checks for missing numbers that have been awaited too long.
    case gaps(CacheState.GapPatience)
    /// Applies an upstream's response. `random` decides the pause before the next request.
    case answer(
        library: ByteString, attempt: UInt64, random: Double, events: [EventBatch], coveredThrough: EventSequence?)
    /// Applies an upstream's failure. `random` decides the pause before the next request.
    case failure(library: ByteString, attempt: UInt64, random: Double, isFinal: Bool, message: String)
    /// Ends the pause before a request.
    case resumption(library: ByteString, attempt: UInt64)
    /// Asks the upstream again, because its response could not be applied.
    case postponement(library: ByteString, attempt: UInt64)
    /// Asks the upstream again for lost numbers.
    case healing(library: ByteString)
    /// Applies a transaction.
    case transaction([TransactionOperation], library: ByteString, expecting: TransactionExpectations)
    /// Removes the entities that a removal found.
    case removal([EntityKey])
    /// Clears a library; nil clears all.
    case clearing(library: ByteString?)
    /// Begins a fetch, whose number is unique.
    case fetch(UInt64, library: ByteString)
    /// Ends a fetch.
    case fetchEnd(UInt64)
    /// Stores the response to a query. `fetch` is the number of the fetch that requested it.
    case result(QueryResult, QueryKey, fetch: UInt64?)
    /// Renews a stored HTTP response that the server has confirmed. `asOf` is its position, and `fetch` the number of
    /// the fetch that confirmed it.
    case renewal(QueryResult, QueryKey, asOf: EventSequence?, fetch: UInt64?)
    /// Deletes an entity that the server reported as gone. `asOf` is the position that the server named, and `fetch`
    /// the number of the fetch.
    case deletion(EntityKey, asOf: EventSequence?, fetch: UInt64?)
    /// Stores the entities of a GraphQL response.
    case document(FieldResponse)
    /// Marks queries as stale.
    case invalidation(Invalidation)
    /// Adds a layer.
    case update(OptimisticUpdate)
    /// Commits a layer.
    case commit(OptimisticCommit)
    /// Rolls back a layer. Without a library the layer is found by its id alone.
    case rollBack(ByteString, library: ByteString?)
    /// Counts an attempt to send the request of a layer. `members` are the newer layers that are sent with it, by their
    /// ids.
    case attempt(ByteString, members: [ByteString])
    /// Fails an attempt to send the request of a layer. The request is sent again.
    case attemptFailure(ByteString)
    /// Fails the request of a layer for good.
    case requestFailure(ByteString, MutationFailure)
    /// Sends a failed request again. Without a library the layer is found by its id alone.
    case retry(ByteString, library: ByteString?)
    /// Reads a line in quarantine again.
    case quarantineRetry(QuarantineRecord)
    /// Evicts entities and queries, and reduces entities.
    case leaving(evicted: [EntityKey], reduced: [EntityKey], queries: [QueryKey])
}
