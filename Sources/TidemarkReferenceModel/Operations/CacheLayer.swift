/// An optimistic mutation, as text.
package struct CacheLayer: Sendable {
    /// The id of the mutation.
    package var pendingID: String
    /// The library that the mutation changes.
    package var library: String
    /// The changes in order.
    package var steps: [CacheStep]
    /// The pending ids that the mutation depends on.
    package var dependsOn: [String]

    /// Creates a mutation.
    package init(_ pendingID: String, library: String, _ steps: [CacheStep], dependsOn: [String] = []) {
        self.pendingID = pendingID
        self.library = library
        self.steps = steps
        self.dependsOn = dependsOn
    }
}

/// A server's confirmation of a mutation, as text.
package struct CacheCommit: Sendable {
    /// The id of the mutation.
    package var pendingID: String
    /// The library; nil to find the mutation by its id alone.
    package var library: String?
    /// The resulting resources as JSON; nil if the event will bring them.
    package var confirmed: [String]?
    /// The type of the resources; nil if the mutation's changes determine it.
    package var type: String?
    /// The log position of the mutation; nil if unknown.
    package var sequence: Int64?
    /// The real ids by temporary id.
    package var realIDs: [String: String]

    /// Creates a confirmation.
    package init(
        _ pendingID: String, library: String? = nil, confirmed: [String]? = nil, type: String? = nil,
        sequence: Int64? = nil, realIDs: [String: String] = [:]
    ) {
        self.pendingID = pendingID
        self.library = library
        self.confirmed = confirmed
        self.type = type
        self.sequence = sequence
        self.realIDs = realIDs
    }
}
