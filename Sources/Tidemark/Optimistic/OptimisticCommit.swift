import TidemarkModel

/// A server's confirmation of a mutation.
///
/// - Source: Protocol/optimistic.md, methods.
public struct OptimisticCommit: Hashable, Sendable {
    public var pendingID: ByteString
    /// The library of the layer; nil: the layer is found by its name alone.
    public var library: ByteString?
    /// Resources as JSON, written to the base when the layer settles; nil: the layer stays until its sequence is
    /// reached or its event comes.
    public var confirmed: [[UInt8]]?
    /// The type of `confirmed`; nil: the type under which the layer names each id.
    public var resourceType: ByteString?
    /// The position of the mutation in the log; nil when the server does not give it.
    public var sequence: EventSequence?
    /// The real ids, by temporary ids.
    public var realIDs: [ByteString: ByteString]
    /// The temporary ids in `realIDs` whose real ids are JSON integers; all others are strings. Inputs of requests get
    /// the value that the server knows.
    public var integerIDs: Set<ByteString> = []
    /// The generation of the library's log to which `sequence` belongs; nil: the one that the cache follows.
    package var generation: UInt32?

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

    /// Makes the answer to a mutation with Swift types.
    ///
    /// - Parameter mutation: The mutation that is answered.
    /// - Throws: ``CacheError`` `.invalidParams` when a resource has no JSON form.
    public init(_ confirmation: OptimisticConfirmation, to mutation: SentMutation) throws(CacheError) {
        try self.init(confirmation, of: mutation.pendingID)
        library = mutation.library
    }
}
