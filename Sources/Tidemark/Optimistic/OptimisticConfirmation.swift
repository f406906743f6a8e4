import TidemarkModel

/// A server's confirmation of a mutation that it performed.
public struct OptimisticConfirmation: Sendable {
    /// The resources that the server stored, written to the cache unless the cache has newer ones. nil: the server sent
    /// none; then the edit is shown until the cache has reached `sequence`, or the mutation's event comes. Empty: there
    /// is nothing to write.
    public var resources: [any Resource]?
    /// The mutation's position in the log; nil when unknown. Without it the cache cannot tell whether it has newer
    /// data.
    public var sequence: EventSequence?
    /// The real ids, by temporary ids.
    public var realIDs: [String: String]
    /// The temporary ids in `realIDs` whose real ids are JSON integers; all others are strings.
    public var integerIDs: Set<String> = []

    public init(
        resources: [any Resource]? = nil, sequence: EventSequence? = nil, realIDs: [String: String] = [:]
    ) {
        self.resources = resources
        self.sequence = sequence
        self.realIDs = realIDs
    }

    public init(_ resource: some Resource, sequence: EventSequence? = nil, realIDs: [String: String] = [:]) {
        self.init(resources: [resource], sequence: sequence, realIDs: realIDs)
    }
}

extension OptimisticCommit {
    /// - Throws: ``CacheError`` `.invalidParams` when a resource has no JSON form.
    init(_ confirmation: OptimisticConfirmation, of pendingID: ByteString) throws(CacheError) {
        self.init(pendingID: pendingID, sequence: confirmation.sequence)
        for (temporary, real) in confirmation.realIDs { realIDs[ByteString(temporary)] = ByteString(real) }
        integerIDs = Set(confirmation.integerIDs.map { ByteString($0) })
        guard let resources = confirmation.resources else { return }
        let coder = ResourceCoder()
        var confirmed: [[UInt8]] = []
        for resource in resources { confirmed.append(try coder.encode(resource)) }
        self.confirmed = confirmed
        // When there are several types, each resource has the type under which the edit names its id.
        let types = Set(resources.map { type(of: $0).resourceType })
        if types.count == 1, let only = types.first { resourceType = ByteString(only) }
    }
}
