import TidemarkModel

/// A layer that has not settled.
public struct PendingLayer: Hashable, Sendable {
    public enum State: String, Sendable, CaseIterable {
        /// Nobody confirmed it.
        case pending
        /// Committed; waits for its sequence or its event.
        case confirmed
        /// A patch of it lies over an entity that was deleted.
        case orphaned
    }

    public var pendingID: ByteString
    public var state: State
    public var library: ByteString
    /// As they were given, ids in canonical form.
    public var operations: [TransactionOperation]
    /// What its deletes take along by the policy.
    public var along: [EntityKey]
    /// Pending layers with which it is rolled back.
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
