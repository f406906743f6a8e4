import TidemarkModel

/// A layer as a journal stores it.
public struct LayerRecord: Hashable, Sendable {
    /// The layer's number. Layers apply in the order of their numbers; a new layer has the highest.
    public var number: Int64
    /// The id that names the layer, unique among the pending layers of a cache.
    public var pendingID: ByteString
    /// The library whose entities the layer changes.
    public var library: LibraryIndex
    /// True if the layer is committed and waits for its sequence or its event.
    public var isConfirmed: Bool
    /// The sequence at which the layer settles; nil if it waits only for its event.
    public var awaited: EventSequence?
    /// The generation of the library's log that `awaited` belongs to.
    public var awaitedGeneration: UInt32
    /// The pending ids of the layers that this one depends on. An id without a layer counts as confirmed.
    public var dependsOn: [ByteString]
    /// When the layer was made, in milliseconds since 1970.
    public var createdAt: Int64
    /// The changes in order.
    public var changes: [LayerChange]
    /// The layer's request and how far its sending is; nil if the host sends it itself.
    public var sending: LayerSending?

    /// Creates the record of a layer.
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
