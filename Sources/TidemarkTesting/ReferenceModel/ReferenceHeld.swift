/// Something that waits behind a gap: an event, or the hole that an unusable line left.
package struct ReferenceHeld: Equatable, Sendable {
    package let sequence: Int64
    /// What the cursor must have reached before this is next.
    package let previous: Int64
    /// Nil for a hole.
    package let offer: ReferenceOffer?

    package init(sequence: Int64, previous: Int64, offer: ReferenceOffer?) {
        self.sequence = sequence
        self.previous = previous
        self.offer = offer
    }

    /// Bytes that count against the limit. A hole keeps none.
    package var byteCount: Int { offer?.byteCount ?? 0 }
}
