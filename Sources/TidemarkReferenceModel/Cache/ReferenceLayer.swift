/// An optimistic mutation that has not settled in a ``ReferenceCache``.
package struct ReferenceLayer: Equatable, Sendable {
    /// The id of the mutation.
    package let pendingID: [UInt8]
    /// The library that the mutation changes.
    package let library: [UInt8]
    /// The changes in order.
    package var changes: [ReferenceLayerChange]
    /// The pending ids that the layer depends on, each once, in the given order.
    package var dependsOn: [[UInt8]]
    /// True if the layer was committed without the resulting resources.
    package var isConfirmed = false
    /// The sequence that the layer waits for; nil if it waits only for its event.
    package var awaited: Int64?
    /// The generation of the library's log in which ``awaited`` counts.
    package var awaitedGeneration = 0

    /// Creates a layer that is not confirmed.
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
    /// Replaces an entity.
    case put(ReferenceKey, ReferenceJSON)
    /// Sets and removes top-level fields of an entity.
    case patch(ReferenceKey, fields: ReferenceJSON, unset: [[UInt8]])
    /// Deletes an entity.
    case delete(ReferenceKey)

    /// The entity that the change concerns.
    package var key: ReferenceKey {
        switch self {
        case .put(let key, _), .patch(let key, _, _), .delete(let key): key
        }
    }
}

/// What readers see of one key.
package struct ReferenceView: Equatable, Sendable {
    /// The visible resource; nil if there is none.
    package var json: ReferenceJSON?
    /// True if a layer changes the key.
    package var isPending: Bool
    /// True if a layer deletes the entity, whatever the base contains.
    package var isHidden: Bool
}

/// What readers see at one moment.
package struct ReferenceSeen: Sendable {
    /// The lists of the stored queries.
    package var lists: [ReferenceQueryName: ReferenceList] = [:]
    /// The visible entities.
    package var entities: [ReferenceKey: ReferenceJSON] = [:]

    /// Creates an empty state.
    package init() {}
}

/// A layer as it is listed for its owner.
package struct ReferencePendingLayer: Equatable, Sendable {
    /// The id of the mutation.
    package let pendingID: [UInt8]
    /// The library that the mutation changes.
    package let library: [UInt8]
    /// The state: `pending`, `confirmed` or `orphaned`.
    package let state: String
    /// The keys of the changes, in order.
    package let keys: [ReferenceKey]
    /// The pending ids that the layer depends on.
    package let dependsOn: [[UInt8]]

    /// Creates a listed layer.
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

/// The server's confirmation of a mutation.
package struct ReferenceCommit: Sendable {
    /// The id of the mutation.
    package var pendingID: [UInt8]
    /// The library; nil to find the layer by its id alone.
    package var library: [UInt8]?
    /// The resulting resources; nil if the event will bring them.
    package var confirmed: [ReferenceResource]?
    /// The type of the resources; nil if the layer's changes determine it.
    package var type: [UInt8]?
    /// The log position of the mutation; nil if unknown.
    package var sequence: Int64?
    /// The real ids by temporary id.
    package var realIDs: [[UInt8]: [UInt8]] = [:]

    /// Creates a confirmation without resources and position.
    package init(pendingID: [UInt8]) { self.pendingID = pendingID }
}

/// Why a request was refused; the raw values are the error codes of the protocol.
package enum ReferenceRequestError: String, Error, Sendable {
    /// No layer has the pending id.
    case unknownPending = "unknown_pending"
    /// A layer with the pending id exists already.
    case duplicatePending = "duplicate_pending"
    /// The request is ambiguous or malformed.
    case invalidParams = "invalid_params"
    /// There are too many layers.
    case limitExceeded = "limit_exceeded"
}
