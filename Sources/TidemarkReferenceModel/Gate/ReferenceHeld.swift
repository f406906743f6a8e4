/// An event that waits after a gap.
package struct ReferenceHeld: Equatable, Sendable {
    package let sequence: Int64
    /// The number that the cursor must have reached before this event is next.
    package let previous: Int64
    package let offer: ReferenceOffer

    package init(sequence: Int64, previous: Int64, offer: ReferenceOffer) {
        self.sequence = sequence
        self.previous = previous
        self.offer = offer
    }

    /// The bytes that count against the limit.
    package var byteCount: Int { offer.byteCount }
}
