import TidemarkModel

/// A layer as the journal keeps it.
package struct LayerRecord: Hashable, Sendable {
    /// The layer's number, which orders layers: above that of every layer that existed when this one was made.
    package var number: Int64
    package var pendingID: ByteString
    package var library: LibraryIndex
    /// Whether the layer is committed; it then waits for its sequence or its event.
    package var isConfirmed: Bool
    /// The sequence that the layer waits for; nil: it waits only for its event.
    package var awaited: EventSequence?
    /// The library's generation that `awaited` belongs to.
    package var awaitedGeneration: UInt32
    /// The pending ids that the layer depends on; ids without a layer count as confirmed.
    package var dependsOn: [ByteString]
    /// The time when the layer was made, in milliseconds since 1970.
    package var createdAt: Int64
    /// The changes in order.
    package var changes: [LayerChange]
    /// The request of the layer and its progress; nil: the host sends it itself.
    package var sending: LayerSending?

    package init(
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
