// The effect of an admitted event on the store, and the bin in which it is counted.

extension ReferenceModel {
    /// Applies an event and counts it.
    mutating func apply(_ offer: ReferenceOffer) {
        let event = offer.event
        let generation = libraries[event.library]?.generation ?? 0
        let stamp = ReferenceStamp(library: event.library, sequence: event.sequence, generation: generation)
        let byteCountMax = configuration.entityByteCountMax
        switch event.kind {
        case .changed(let type, let resource, let metadata):
            guard store.write(resource, type: type, metadata: metadata, stamp: stamp, byteCountMax: byteCountMax) else {
                return rejectOversized(offer)
            }
        case .batch(let type, let members, let metadata):
            for (index, member) in members.enumerated() {
                switch member {
                case .good(let resource):
                    let fits = store.write(
                        resource, type: type, metadata: metadata, stamp: stamp, byteCountMax: byteCountMax)
                    if !fits { rejectMember(index, .tooLarge, offer) }
                case .bad(let reason): rejectMember(index, reason, offer)
                }
            }
        case .deleted(let type, let id):
            store.delete(type: type, id: id, stamp: stamp)
        case .bulk, .refresh, .heartbeat, .reset, .unknown:
            break
        }
        count(offer)
    }

    /// Counts an event that was applied.
    mutating func count(_ offer: ReferenceOffer) {
        switch offer.origin {
        case .upstream: counts.reconciled += 1
        case .stream where offer.event.kind.isIgnored: counts.ignored += 1
        case .stream: counts.applied += 1
        }
    }

    /// Quarantines an event whose entity would be too large, and records its sequence as lost.
    private mutating func rejectOversized(_ offer: ReferenceOffer) {
        if offer.origin == .stream { counts.quarantined += 1 }
        let event = offer.event
        // The lines of an upstream's answer have no numbers.
        let line = offer.origin == .stream ? offer.place.line : 0
        keep(
            ReferenceQuarantineRecord(
                place: ReferencePlace(line: line, offset: offer.place.offset), reason: .tooLarge,
                library: event.library, sequence: event.sequence))
        if let sequence = event.sequence { libraries[event.library]?.recordLost(sequence...sequence) }
    }

    /// Quarantines a late event of the stream whose entity would be too large; its sequence is lost already. An
    /// upstream's event is not recorded again.
    mutating func rejectLateOversized(_ offer: ReferenceOffer, isCopy: Bool) {
        guard offer.origin == .stream else { return }
        counts.quarantined += 1
        guard !isCopy else { return }
        keep(
            ReferenceQuarantineRecord(
                place: offer.place, reason: .tooLarge, library: offer.event.library, sequence: offer.event.sequence))
    }

    mutating func rejectMember(_ index: Int, _ reason: ReferenceReason, _ offer: ReferenceOffer) {
        guard offer.origin == .stream else { return }
        counts.membersQuarantined += 1
        keep(
            ReferenceQuarantineRecord(
                place: offer.place, reason: reason, library: offer.event.library,
                sequence: offer.event.sequence, member: index))
    }
}
