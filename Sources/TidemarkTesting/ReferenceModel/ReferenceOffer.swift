/// An event on its way through the gate, and where it came from.
package struct ReferenceOffer: Equatable, Sendable {
    /// Who brought an event.
    package enum Origin: Equatable, Sendable {
        case stream
        /// Counted in `reconciled` and nowhere else.
        case upstream
    }

    package let event: ReferenceEvent
    package let place: ReferencePlace
    /// Bytes of its line, for the limit on what is held.
    package let byteCount: Int
    package let origin: Origin

    package init(event: ReferenceEvent, place: ReferencePlace, byteCount: Int, origin: Origin) {
        self.event = event
        self.place = place
        self.byteCount = byteCount
        self.origin = origin
    }
}
