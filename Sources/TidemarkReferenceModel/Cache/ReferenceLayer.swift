/// A mutation that has not settled in a ``ReferenceCache``.
package struct ReferenceLayer: Equatable, Sendable {
    package let pendingID: [UInt8]
    package let library: [UInt8]
    package var changes: [ReferenceLayerChange]
    /// The pending ids that the layer depends on, each once, in the order in which they were given.
    package var dependsOn: [[UInt8]]
    /// Whether the layer was committed without the resources that the server made.
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

/// The view of one key.
package struct ReferenceView: Equatable, Sendable {
    package var json: ReferenceJSON?
    /// Whether some layer has a change for the key.
    package var isPending: Bool
    /// Whether a layer deletes the entity, whatever the base has.
    package var isHidden: Bool
}

/// The state that readers see at one moment.
package struct ReferenceSeen: Sendable {
    package var lists: [ReferenceQueryName: ReferenceList] = [:]
    package var entities: [ReferenceKey: ReferenceJSON] = [:]

    package init() {}
}

/// A layer as it is reported to its owner.
package struct ReferencePendingLayer: Equatable, Sendable {
    package let pendingID: [UInt8]
    package let library: [UInt8]
    /// The state: `pending`, `confirmed` or `orphaned`.
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

/// The server's answer to a mutation, parsed.
package struct ReferenceCommit: Sendable {
    package var pendingID: [UInt8]
    package var library: [UInt8]?
    package var confirmed: [ReferenceResource]?
    package var type: [UInt8]?
    package var sequence: Int64?
    /// The real ids by temporary ids.
    package var realIDs: [[UInt8]: [UInt8]] = [:]

    package init(pendingID: [UInt8]) { self.pendingID = pendingID }
}

/// The reason why a request was refused; the names are those of the page.
package enum ReferenceRefusal: String, Error, Sendable {
    case unknownPending = "unknown_pending"
    case duplicatePending = "duplicate_pending"
    case invalidParams = "invalid_params"
    case limitExceeded = "limit_exceeded"
}
