/// A usable event.
package struct ReferenceEvent: Equatable, Sendable {
    /// The library of the event.
    package var library: [UInt8]
    /// The sequence; nil if the event names none.
    package var sequence: Int64?
    /// The `prev` of the line, nil if absent; see ``previous(of:)``.
    package var explicitPrevious: Int64?
    /// The epoch; nil if the event names none.
    package var epoch: [UInt8]?
    /// True if the unit of the event goes on in the next line.
    package var hasMore: Bool
    /// The content of the event.
    package var kind: ReferenceKind

    /// Creates an event.
    package init(
        library: [UInt8], sequence: Int64?, explicitPrevious: Int64?, epoch: [UInt8]?, hasMore: Bool = false,
        kind: ReferenceKind
    ) {
        self.library = library
        self.sequence = sequence
        self.explicitPrevious = explicitPrevious
        self.epoch = epoch
        self.hasMore = hasMore
        self.kind = kind
    }

    /// Returns the sequence that the cursor must have reached before this event applies: `prev`, or `sequence - 1`.
    package func previous(of sequence: Int64) -> Int64 { explicitPrevious ?? sequence - 1 }
}
