import TidemarkModel

/// A layer that has not settled, as it was requested.
public struct PendingLayer: Hashable, Sendable {
    /// What a layer waits for.
    public enum State: String, Sendable, CaseIterable {
        /// The server has not confirmed the layer.
        case pending
        /// The layer was committed, and waits for its sequence or its event.
        case confirmed
        /// The layer patches an entity that was deleted.
        case orphaned
    }

    /// The id of the layer.
    public var pendingID: ByteString
    /// What the layer waits for.
    public var state: State
    /// The library of the layer.
    public var library: ByteString
    /// The changes as they were requested, with ids in canonical form.
    public var operations: [TransactionOperation]
    /// The entities that the layer's deletes delete too, by cascades of the policy.
    public var along: [EntityKey]
    /// The ids of pending layers that this one depends on. It is rolled back together with any of them.
    public var dependsOn: [ByteString]

    package init(
        pendingID: ByteString, state: State, library: ByteString, operations: [TransactionOperation],
        along: [EntityKey] = [], dependsOn: [ByteString]
    ) {
        self.pendingID = pendingID
        self.state = state
        self.library = library
        self.operations = operations
        self.along = along
        self.dependsOn = dependsOn
    }
}
