import TidemarkModel

/// A layer as the journal keeps it.
public struct LayerRecord: Hashable, Sendable {
    /// The layer's number, which orders layers: above that of every layer that existed when this one was made.
    public var number: Int64
    public var pendingID: ByteString
    public var library: LibraryIndex
    /// Whether the layer is committed; it then waits for its sequence or its event.
    public var isConfirmed: Bool
    /// The sequence that the layer waits for; nil: it waits only for its event.
    public var awaited: EventSequence?
    /// The library's generation that `awaited` belongs to.
    public var awaitedGeneration: UInt32
    /// The pending ids that the layer depends on; ids without a layer count as confirmed.
    public var dependsOn: [ByteString]
    /// The time when the layer was made, in milliseconds since 1970.
    public var createdAt: Int64
    /// The changes in order.
    public var changes: [LayerChange]
    /// The request of the layer and its progress; nil: the host sends it itself.
    public var sending: LayerSending?

    public init(
        number: Int64, pendingID: ByteString, library: LibraryIndex, isConfirmed: Bool = false,
        awaited: EventSequence? = nil, awaitedGeneration: UInt32 = 0, dependsOn: [ByteString] = [], createdAt: Int64,
        changes: [LayerChange], sending: LayerSending? = nil
    ) {
        self.number = number
        self.pendingID = pendingID
        self.library = library
        self.isConfirmed = isConfirmed
        self.awaited = awaited
        self.awaitedGeneration = awaitedGeneration
        self.dependsOn = dependsOn
        self.createdAt = createdAt
        self.changes = changes
        self.sending = sending
    }
}
