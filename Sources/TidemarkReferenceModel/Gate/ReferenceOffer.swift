/// An event on its way through the gate, and where it came from.
package struct ReferenceOffer: Equatable, Sendable {
    /// The source of an event.
    package enum Origin: Equatable, Sendable {
        case stream
        /// The upstream. Its events are counted in `reconciled` and nowhere else.
        case upstream
    }

    package let event: ReferenceEvent
    package let place: ReferencePlace
    /// The bytes of the event's line, for the limit on held events.
    package let byteCount: Int
    package let origin: Origin

    package init(event: ReferenceEvent, place: ReferencePlace, byteCount: Int, origin: Origin) {
        self.event = event
        self.place = place
        self.byteCount = byteCount
        self.origin = origin
    }
}
