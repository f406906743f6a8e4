/// An event that is held after a gap.
package struct ReferenceHeld: Equatable, Sendable {
    /// The sequence of the event.
    package let sequence: Int64
    /// The sequence that the cursor must have reached before this event applies.
    package let previous: Int64
    /// The event and its source.
    package let offer: ReferenceOffer

    /// Creates a held event.
    package init(sequence: Int64, previous: Int64, offer: ReferenceOffer) {
        self.sequence = sequence
        self.previous = previous
        self.offer = offer
    }

    /// The size of its line, which counts towards the limit.
    package var byteCount: Int { offer.byteCount }
}
