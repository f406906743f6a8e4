/// A mutation that a cache shows before a server has confirmed it, as text.
package struct CacheLayer: Sendable {
    package var pendingID: String
    package var library: String
    package var steps: [CacheStep]
    package var dependsOn: [String]

    package init(_ pendingID: String, library: String, _ steps: [CacheStep], dependsOn: [String] = []) {
        self.pendingID = pendingID
        self.library = library
        self.steps = steps
        self.dependsOn = dependsOn
    }
}

/// A server's answer to a mutation, as text.
package struct CacheCommit: Sendable {
    package var pendingID: String
    package var library: String?
    package var confirmed: [String]?
    package var type: String?
    package var sequence: Int64?
    package var realIDs: [String: String]

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
