/// A mutation that waits in a ``ReferenceCache``.
package struct ReferenceLayer: Equatable, Sendable {
    package let pendingID: [UInt8]
    package let library: [UInt8]
    package var changes: [ReferenceLayerChange]
    /// Pending ids, each once, in the order they were given.
    package var dependsOn: [[UInt8]]
    /// Committed without what the server made of it.
    package var isConfirmed = false
    /// The place in the log that it waits for; nil when it waits for its event alone.
    package var awaited: Int64?
    /// The generation of the library's log in which ``awaited`` counts.
    package var awaitedGeneration = 0

    package init(
        pendingID: [UInt8], library: [UInt8], changes: [ReferenceLayerChange], dependsOn: [[UInt8]]
    ) {
        self.pendingID = pendingID
        self.library = library
        self.changes = changes
        self.dependsOn = dependsOn
    }
}

/// One change of a ``ReferenceLayer``.
package enum ReferenceLayerChange: Equatable, Sendable {
    case put(ReferenceKey, ReferenceJSON)
    case patch(ReferenceKey, fields: ReferenceJSON, unset: [[UInt8]])
    case delete(ReferenceKey)

    package var key: ReferenceKey {
        switch self {
        case .put(let key, _), .patch(let key, _, _), .delete(let key): key
        }
    }
}

/// What is seen of one key.
package struct ReferenceView: Equatable, Sendable {
    package var json: ReferenceJSON?
    /// Some layer has a change for it.
    package var isPending: Bool
    /// There is nothing because a layer deletes it, whatever the base has.
    package var isHidden: Bool
}

/// What readers see at one moment.
package struct ReferenceSeen: Sendable {
    package var lists: [ReferenceQueryName: ReferenceList] = [:]
    package var entities: [ReferenceKey: ReferenceJSON] = [:]

    package init() {}
}

/// A layer as its owner is told of it.
package struct ReferencePendingLayer: Equatable, Sendable {
    package let pendingID: [UInt8]
    package let library: [UInt8]
    /// `pending`, `confirmed` or `orphaned`.
    package let state: String
    package let keys: [ReferenceKey]
    package let dependsOn: [[UInt8]]

    package init(
        pendingID: [UInt8], library: [UInt8], state: String, keys: [ReferenceKey], dependsOn: [[UInt8]]
    ) {
        self.pendingID = pendingID
        self.library = library
        self.state = state
        self.keys = keys
        self.dependsOn = dependsOn
    }
}

/// What a server says of a mutation, taken apart.
package struct ReferenceCommit: Sendable {
    package var pendingID: [UInt8]
    package var library: [UInt8]?
    package var confirmed: [ReferenceResource]?
    package var type: [UInt8]?
    package var sequence: Int64?
    /// Real ids by temporary ones.
    package var realIDs: [[UInt8]: [UInt8]] = [:]

    package init(pendingID: [UInt8]) { self.pendingID = pendingID }
}

/// Why nothing was done; the names are those of the page.
package enum ReferenceRefusal: String, Error, Sendable {
    case unknownPending = "unknown_pending"
    case duplicatePending = "duplicate_pending"
    case invalidParams = "invalid_params"
    case limitExceeded = "limit_exceeded"
}
