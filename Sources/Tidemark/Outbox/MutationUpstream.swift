import TidemarkModel

/// A server that performs mutations. The cache sends it the requests of pending edits.
///
/// ```swift
/// struct PhotoServer: MutationUpstream {
///     nonisolated(nonsending) func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
///         // Send mutation.input to mutation.method, with mutation.pendingID as the idempotency key.
///         guard mutation.method == "photos.rename" else { throw UpstreamError("unknown method", isRefusal: true) }
///         return OptimisticCommit(pendingID: mutation.pendingID, sequence: EventSequence(8))
///     }
/// }
/// ```
///
/// Pass it as `mutationUpstream` when a cache is opened. The server must recognize a mutation by its `pendingID`: when
/// a response is lost, the cache sends the same mutation again, and it must take effect once.
///
/// - Source: Protocol/optimistic.md, the outbox.
public protocol MutationUpstream: Sendable {
    /// Performs a mutation.
    ///
    /// Up to 8 calls are under way at a time, and one for each key. They begin in the order of their edits and on the
    /// caller's actor, so what a call sends before its first suspension is sent in that order. A call whose edit
    /// settles meanwhile continues, for the real ids in its result. A call whose task is cancelled should return soon;
    /// its result is ignored.
    ///
    /// - Returns: The confirmation. Its `pendingID` and `library` are ignored.
    /// - Throws: ``UpstreamError``. An error with ``UpstreamError/isRefusal`` is final, unless
    ///   ``UpstreamError/retries`` says otherwise. After any other error the mutation is sent again.
    nonisolated(nonsending) func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit
}

/// One attempt to send the request of a pending edit.
public struct SentMutation: Hashable, Sendable {
    /// The id of the edit, the same in every attempt. A server must perform at most one mutation of an id.
    public var pendingID: ByteString
    /// The method of the request.
    public var method: ByteString
    /// The input of the method, as compact JSON.
    public var input: [UInt8]
    /// The number of this attempt, from 1.
    public var attempt: Int
    /// The library of the edit.
    public var library: ByteString
    /// The changes of the edit, and of newer edits that are sent with it, in order.
    public var changes: [TransactionOperation]

    package init(
        pendingID: ByteString, method: ByteString, input: [UInt8], attempt: Int, library: ByteString,
        changes: [TransactionOperation]
    ) {
        self.pendingID = pendingID
        self.method = method
        self.input = input
        self.attempt = attempt
        self.library = library
        self.changes = changes
    }
}
