import TidemarkModel

/// A mutation that is shown before the server has confirmed it, as JSON.
///
/// - Source: Protocol/optimistic.md.
public struct OptimisticUpdate: Hashable, Sendable {
    /// The id of the layer, 1 … 1,024 bytes. No other pending layer of the cache may have it.
    public var pendingID: ByteString
    /// The library of the layer.
    public var library: ByteString
    /// The changes in order, at least one. They apply to the visible state; a patch of an absent entity shows nothing.
    public var operations: [TransactionOperation]
    /// The ids of pending layers that this one depends on. It is rolled back together with any of them.
    public var dependsOn: [ByteString]
    /// The request that the cache sends by itself; nil when the program sends it.
    public var send: MutationRequest?

    /// Makes a mutation.
    public init(
        pendingID: ByteString, library: ByteString, operations: [TransactionOperation], dependsOn: [ByteString] = [],
        send: MutationRequest? = nil
    ) {
        self.pendingID = pendingID
        self.library = library
        self.operations = operations
        self.dependsOn = dependsOn
        self.send = send
    }
}
