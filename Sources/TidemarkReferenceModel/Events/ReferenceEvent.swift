/// A usable event.
package struct ReferenceEvent: Equatable, Sendable {
    package var library: [UInt8]
    package var sequence: Int64?
    /// The `prev` on the line; see ``previous``.
    package var explicitPrevious: Int64?
    package var epoch: [UInt8]?
    package var kind: ReferenceKind

    package init(
        library: [UInt8], sequence: Int64?, explicitPrevious: Int64?, epoch: [UInt8]?, kind: ReferenceKind
    ) {
        self.library = library
        self.sequence = sequence
        self.explicitPrevious = explicitPrevious
        self.epoch = epoch
        self.kind = kind
    }

    /// The sequence that the cursor must have reached before this event applies: `prev`, or one less than its own.
    package func previous(of sequence: Int64) -> Int64 { explicitPrevious ?? sequence - 1 }
}
