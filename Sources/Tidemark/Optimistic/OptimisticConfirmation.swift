import TidemarkModel

/// What a server said of a mutation that it did.
public struct OptimisticConfirmation: Sendable {
    /// What it stored, written to the cache unless the cache knows newer. nil: it did not say; then the edit is shown until the
    /// cache has reached `sequence`, or the mutation's event comes. Empty: there is nothing to write.
    public var resources: [any Resource]?
    /// The mutation's place in the log; nil when unknown. Without it what is newer cannot be told.
    public var sequence: EventSequence?
    /// Real ids by temporary ones.
    public var realIDs: [String: String]

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
        guard let resources = confirmation.resources else { return }
        let coder = ResourceCoder()
        var confirmed: [[UInt8]] = []
        for resource in resources { confirmed.append(try coder.encode(resource)) }
        self.confirmed = confirmed
        // Of several types each resource has the one under which the edit names its id.
        let types = Set(resources.map { type(of: $0).resourceType })
        if types.count == 1, let only = types.first { resourceType = ByteString(only) }
    }
}
