import TidemarkModel

/// A layer as the journal keeps it.
package struct LayerRecord: Hashable, Sendable {
    /// Orders layers; above that of every layer that was there when this one was made.
    package var number: Int64
    package var pendingID: ByteString
    package var library: LibraryIndex
    /// Committed; waits for its sequence or its event.
    package var isConfirmed: Bool
    /// The sequence that it waits for; nil: for its event alone.
    package var awaited: EventSequence?
    /// The library's generation that `awaited` belongs to.
    package var awaitedGeneration: UInt32
    /// Pending ids; those that are gone count as confirmed.
    package var dependsOn: [ByteString]
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// In order.
    package var changes: [LayerChange]

    package init(
        number: Int64, pendingID: ByteString, library: LibraryIndex, isConfirmed: Bool = false,
        awaited: EventSequence? = nil, awaitedGeneration: UInt32 = 0, dependsOn: [ByteString] = [], createdAt: Int64,
        changes: [LayerChange]
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
    }
}
