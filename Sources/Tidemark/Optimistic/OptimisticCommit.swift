import TidemarkModel

/// What a server said of a mutation.
///
/// - Source: Protocol/optimistic.md, methods.
public struct OptimisticCommit: Hashable, Sendable {
    public var pendingID: ByteString
    /// nil: of whatever library the layer is.
    public var library: ByteString?
    /// Resources as JSON, written to the base when the layer goes; nil: the layer stays until its sequence is reached
    /// or its event comes.
    public var confirmed: [[UInt8]]?
    /// The type of `confirmed`; nil: the one under which the layer names each id.
    public var resourceType: ByteString?
    /// The place in the log that the mutation has; nil when the server does not say.
    public var sequence: EventSequence?
    /// Real ids by temporary ones.
    public var realIDs: [ByteString: ByteString]

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
}
