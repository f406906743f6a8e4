import TidemarkModel

/// A server's confirmation of a mutation that it performed.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
///     var name: String
/// }
/// let edit = try await cache.optimistically { try $0.put(Photo(id: "draft-1", name: "Sea")) }
/// try await edit.commit(
///     OptimisticConfirmation(Photo(id: "42", name: "Sea"), sequence: EventSequence(8), realIDs: ["draft-1": "42"]))
/// ```
public struct OptimisticConfirmation: Sendable {
    /// The resources that the server stored. They are written to the cache, unless the cache has newer ones. Empty when
    /// there is nothing to write but the edit's deletes. nil when the server sent none: the edit is then shown until
    /// the cache has reached ``sequence``, or until the mutation's event arrives.
    public var resources: [any Resource]?
    /// The mutation's position in the log; nil when unknown. Without it the cache cannot find out whether it has newer
    /// data, and always writes the resources.
    public var sequence: EventSequence?
    /// The real ids that the server assigned, by temporary id.
    public var realIDs: [String: String]
    /// The temporary ids in ``realIDs`` whose real ids are JSON integers; all others are strings.
    public var integerIDs: Set<String> = []

    /// Makes a confirmation with any number of resources, or with none.
    public init(
        resources: [any Resource]? = nil, sequence: EventSequence? = nil, realIDs: [String: String] = [:]
    ) {
        self.resources = resources
        self.sequence = sequence
        self.realIDs = realIDs
    }

    /// Makes a confirmation with the one resource that the server stored.
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
        // With several types, each resource has the type under which the edit names its id.
        let types = Set(resources.map { type(of: $0).resourceType })
        if types.count == 1, let only = types.first { resourceType = ByteString(only) }
    }
}
