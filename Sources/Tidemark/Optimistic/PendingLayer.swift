import TidemarkModel

/// A layer that has not settled.
public struct PendingLayer: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        /// The layer is not confirmed yet.
        case pending
        /// The layer was committed and waits for its sequence or its event.
        case confirmed
        /// The layer patches an entity that was deleted.
        case orphaned
    }

    public var pendingID: ByteString
    public var state: State
    public var library: ByteString
    /// The operations as they were given, with ids in canonical form.
    public var operations: [TransactionOperation]
    /// The entities that its deletes delete too, by the cascades of the policy.
    public var along: [EntityKey]
    /// The pending layers on which this one depends: it is rolled back together with any of them.
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
