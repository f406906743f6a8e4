/// An event that passes through the gate, and its source.
package struct ReferenceOffer: Equatable, Sendable {
    /// The source of an event.
    package enum Origin: Equatable, Sendable {
        /// The stream.
        case stream
        /// The upstream; its events are counted only in `reconciled`.
        case upstream
    }

    /// The event.
    package let event: ReferenceEvent
    /// The position of its line.
    package let place: ReferencePlace
    /// The size of the event's line in bytes, for the limit on held events.
    package let byteCount: Int
    /// The source of the event.
    package let origin: Origin

    /// Creates an offer.
    package init(event: ReferenceEvent, place: ReferencePlace, byteCount: Int, origin: Origin) {
        self.event = event
        self.place = place
        self.byteCount = byteCount
        self.origin = origin
    }
}
