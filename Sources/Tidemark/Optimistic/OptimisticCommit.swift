import TidemarkModel

/// A server's confirmation of a mutation, as JSON.
///
/// ```swift
/// struct RenameServer: MutationUpstream {
///     nonisolated(nonsending) func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
///         let saved = Array(#"{"id":"1","name":"Open sea"}"#.utf8)
///         return OptimisticCommit(
///             pendingID: mutation.pendingID, confirmed: [saved], resourceType: "photo", sequence: EventSequence(8))
///     }
/// }
/// ```
///
/// ``OptimisticConfirmation`` is the same with Swift types.
///
/// - Source: Protocol/optimistic.md, methods.
public struct OptimisticCommit: Hashable, Sendable {
    /// The id of the layer to commit.
    public var pendingID: ByteString
    /// The library of the layer; nil to find the layer by its id alone.
    public var library: ByteString?
    /// The stored resources as JSON, which are written to the base in the step that settles the layer. Empty when there
    /// is nothing to write but the layer's deletes. nil when the server sent none: the layer then stays until the
    /// cursor reaches ``sequence``, or until its event arrives.
    public var confirmed: [[UInt8]]?
    /// The type of ``confirmed``; nil for the type under which the layer names each id.
    public var resourceType: ByteString?
    /// The position of the mutation in the log; nil when the server does not send it.
    public var sequence: EventSequence?
    /// The real ids that the server assigned, by temporary id.
    public var realIDs: [ByteString: ByteString]
    /// The temporary ids in ``realIDs`` whose real ids are JSON integers; all others are strings. Inputs of later
    /// requests then contain the value in the server's form.
    public var integerIDs: Set<ByteString> = []
    /// The generation of the log that `sequence` belongs to; nil for the one that the cache follows.
    package var generation: UInt32?

    /// Makes a confirmation.
    public init(
        pendingID: ByteString, library: ByteString? = nil, confirmed: [[UInt8]]? = nil,
        resourceType: ByteString? = nil, sequence: EventSequence? = nil, realIDs: [ByteString: ByteString] = [:]
    ) {
        self.pendingID = pendingID
        self.library = library
        self.confirmed = confirmed
        self.resourceType = resourceType
        self.sequence = sequence
        self.realIDs = realIDs
    }

    /// Converts a confirmation with Swift types, for a ``MutationUpstream``.
    ///
    /// - Parameters:
    ///   - confirmation: The confirmation with Swift types.
    ///   - mutation: The mutation that the server performed.
    /// - Throws: ``CacheError`` `.invalidParams` when a resource has no JSON form.
    public init(_ confirmation: OptimisticConfirmation, to mutation: SentMutation) throws(CacheError) {
        try self.init(confirmation, of: mutation.pendingID)
        library = mutation.library
    }
}
