import TidemarkModel

/// A server that performs mutations: the outbox sends it the requests of pending edits.
///
/// A server has to know a mutation by its `pendingID`: when an answer is lost, the same mutation is sent again, and it
/// must take effect once.
public protocol MutationUpstream: Sendable {
    /// Performs a mutation.
    ///
    /// A call whose task is cancelled should return soon; its answer is ignored. Up to 8 calls run at a time, and one
    /// for each key. Calls begin in the order of their edits, and on the caller's actor: what is sent before the first
    /// suspension is sent in that order. A call whose edit settled meanwhile goes on, for the real ids in its answer.
    ///
    /// - Returns: The confirmation. Its `pendingID` and `library` are not read.
    /// - Throws: ``UpstreamError``. An error with ``UpstreamError/isRefusal`` is final, unless
    ///   ``UpstreamError/retries`` says otherwise; after any other the mutation is sent again.
    nonisolated(nonsending) func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit
}

/// One attempt to send the request of a pending edit.
public struct SentMutation: Hashable, Sendable {
    /// The id of the edit, the same in every attempt. A server performs one mutation of an id.
    public var pendingID: ByteString
    public var method: ByteString
    /// The input of the method, as compact JSON.
    public var input: [UInt8]
    /// The number of this attempt, from 1.
    public var attempt: Int
    public var library: ByteString
    /// The changes of the edit, and of newer edits that this one replaces, in order.
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
