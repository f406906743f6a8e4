// Late events: those whose sequence was declared lost before they arrived.

extension ReferenceModel {
    /// Takes everything that was lost from the upstream, as a cache does when it is opened.
    mutating func heal() {
        for line in upstream ?? [] {
            guard case .offer(let offer) = line, let sequence = offer.event.sequence,
                let library = libraries[offer.event.library], library.isLost(sequence)
            else { continue }
            if let epoch = offer.event.epoch, let current = library.epoch, epoch != current { continue }
            applyLate(offer, sequence)
        }
    }

    /// Applies an event out of order. It moves no cursor; a heartbeat or a reset has no effect.
    mutating func applyLate(_ offer: ReferenceOffer, _ sequence: Int64) {
        let event = offer.event
        counts.late += 1
        let byteCountMax = configuration.entityByteCountMax
        let isCopy = libraries[event.library]?.heldOff.contains(sequence) == true
        defer {
            if libraries[event.library]?.isLost(sequence) == true { libraries[event.library]?.heldOff.insert(sequence) }
        }
        let generation = libraries[event.library]?.generation ?? 0
        let stamp = ReferenceStamp(library: event.library, sequence: sequence, generation: generation)
        var outcomes: [ReferenceStore.LateOutcome] = []
        var written: Set<ReferenceKey> = []
        switch event.kind {
        case .changed(let type, let resource, let metadata):
            outcomes.append(
                store.writeLate(
                    resource, type: type, metadata: metadata, stamp: stamp, written: &written,
                    byteCountMax: byteCountMax))
            guard outcomes != [.tooLarge] else { return rejectLateOversized(offer, isCopy: isCopy) }
        case .batch(let type, let members, let metadata):
            for (index, member) in members.enumerated() {
                switch member {
                case .good(let resource):
                    let outcome = store.writeLate(
                        resource, type: type, metadata: metadata, stamp: stamp, written: &written,
                        byteCountMax: byteCountMax)
                    outcomes.append(outcome)
                    if outcome == .tooLarge, !isCopy { rejectMember(index, .tooLarge, offer) }
                case .bad(let reason): if !isCopy { rejectMember(index, reason, offer) }
                }
            }
        case .deleted(let type, let id): outcomes.append(store.deleteLate(type: type, id: id, stamp: stamp))
        case .bulk, .refresh, .heartbeat, .reset, .unknown: break
        }
        count(offer)
        guard !outcomes.contains(.heldOff), !outcomes.contains(.tooLarge) else { return }
        let first = min(event.previous(of: sequence) + 1, sequence)
        libraries[event.library]?.recover(first...sequence)
    }
}
