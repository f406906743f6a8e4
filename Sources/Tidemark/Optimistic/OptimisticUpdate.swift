import TidemarkModel

/// A mutation that is shown before the server has confirmed it.
///
/// - Source: Protocol/optimistic.md.
public struct OptimisticUpdate: Hashable, Sendable {
    /// Names the layer; unlike that of every other pending layer of the cache. 1 … 1,024 bytes.
    public var pendingID: ByteString
    public var library: ByteString
    /// In order; at least one. They apply to what is visible, and a patch of what is absent shows nothing.
    public var operations: [TransactionOperation]
    /// Pending layers with which this one is rolled back.
    public var dependsOn: [ByteString]

    public init(
        pendingID: ByteString, library: ByteString, operations: [TransactionOperation], dependsOn: [ByteString] = []
    ) {
        self.pendingID = pendingID
        self.library = library
        self.operations = operations
        self.dependsOn = dependsOn
    }
}
