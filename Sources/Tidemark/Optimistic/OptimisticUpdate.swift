import TidemarkModel

/// A mutation that is shown before the server has confirmed it.
///
/// - Source: Protocol/optimistic.md.
public struct OptimisticUpdate: Hashable, Sendable {
    /// The name of the layer, different from that of every other pending layer of the cache. 1 … 1,024 bytes.
    public var pendingID: ByteString
    public var library: ByteString
    /// The operations in order; at least one. They apply to the visible state; a patch of an absent entity shows
    /// nothing.
    public var operations: [TransactionOperation]
    /// The pending layers on which this one depends: it is rolled back together with any of them.
    public var dependsOn: [ByteString]
    /// The request that the cache sends by itself; nil: the caller sends it.
    public var send: MutationRequest?

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
