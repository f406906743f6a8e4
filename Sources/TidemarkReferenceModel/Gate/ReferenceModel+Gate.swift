// The gate decides which events are applied, held or dropped. There is one method for each input of the table in
// Protocol/sequencing.md, whose cells are cited by their ids.

extension ReferenceModel {
    /// Passes an event of an existing library through the gate.
    mutating func admitOrHold(_ offer: ReferenceOffer) {
        let event = offer.event
        if case .reset(let epoch) = event.kind {
            reset(offer, to: epoch)
        } else if let sequence = event.sequence {
            gate(offer, sequence)
        } else {
            if case .heartbeat(let last) = event.kind { hear(last, offer) }
            apply(offer)
        }
    }

    /// Admits, holds or drops an event with a sequence.
    private mutating func gate(_ offer: ReferenceOffer, _ sequence: Int64, hasAskedUpstream: Bool = false) {
        let id = offer.event.library
        guard var library = libraries[id] else { return }
        if let epoch = offer.event.epoch, epoch != library.epoch {
            // Cells */first-epoch and */other-epoch.
            if library.epoch == nil { library.adopt(epoch) } else { beginAnew(&library, epoch: epoch) }
            libraries[id] = library
        }
        guard let cursor = library.cursor else {
            advance(offer, to: sequence)
            return
        }
        if sequence <= cursor {
            if library.isLost(sequence) { applyLate(offer, sequence) } else { drop(offer) }
            return
        }
        let previous = offer.event.previous(of: sequence)
        if previous <= cursor {
            advance(offer, to: sequence)
            return
        }
        if library.held.contains(where: { $0.sequence == sequence }) {
            drop(offer)
            return
        }
        let entry = ReferenceHeld(sequence: sequence, previous: previous, offer: offer)
        if hasRoom(for: entry, in: library) {
            // Take the library out of the dictionary first, so that the array is not copied. Otherwise a million lines
            // would take an hour.
            libraries[id] = nil
            library.hold(entry)
            libraries[id] = library
        } else if upstream != nil, !isReconciling, !hasAskedUpstream {
            reconcile(id)
            gate(offer, sequence, hasAskedUpstream: true)
        } else {
            holdBeyondRoom(entry, id, library)
        }
    }

    /// Holds an event without room, and declares gaps lost until the held events fit.
    private mutating func holdBeyondRoom(_ entry: ReferenceHeld, _ id: [UInt8], _ library: ReferenceLibrary) {
        var library = library
        library.hold(entry)
        libraries[id] = library
        while let library = libraries[id], isOver(library) { declareFirstGapLost(id) }
    }

    /// Records the sequence of an unusable line. It moves no cursor; the model reads it from the upstream's log once.
    mutating func noteHole(_ id: [UInt8], _ sequence: Int64, epoch: [UInt8]?) {
        guard upstream != nil, let library = libraries[id], let cursor = library.cursor, sequence > cursor else {
            return
        }
        if let current = library.epoch, epoch != current { return }
        let isKnown =
            library.held.contains { $0.sequence == sequence } || library.holes.contains { $0.sequence == sequence }
        guard !isKnown, library.holes.count(where: { $0.sequence > cursor }) < configuration.heldCountMax else {
            return
        }
        libraries[id]?.holes.append((sequence, epoch))
    }

    /// Applies an event that is next, then the held events that follow.
    private mutating func advance(_ offer: ReferenceOffer, to sequence: Int64) {
        applyNext(offer, sequence)
        drain(offer.event.library)
    }

    /// Applies an event that is next, and moves the cursor to it.
    private mutating func applyNext(_ offer: ReferenceOffer, _ sequence: Int64) {
        let id = offer.event.library
        apply(offer)
        libraries[id]?.cursor = sequence
        if case .heartbeat(let last) = offer.event.kind { hear(last, offer) }
    }

    /// Applies or drops held events, the lowest first, until one must wait.
    mutating func drain(_ id: [UInt8]) {
        while let cursor = libraries[id]?.cursor, let head = libraries[id]?.held.first {
            if head.sequence <= cursor {
                libraries[id]?.held.removeFirst()
                drop(head.offer)
            } else if head.previous <= cursor {
                libraries[id]?.held.removeFirst()
                applyNext(head.offer, head.sequence)
            } else {
                return
            }
        }
    }

    /// Records the end of the log that a heartbeat names.
    private mutating func hear(_ last: Int64, _ offer: ReferenceOffer) {
        let id = offer.event.library
        guard offer.origin == .stream, var library = libraries[id] else { return }
        if let epoch = offer.event.epoch, epoch != library.epoch {
            if library.epoch == nil { library.adopt(epoch) } else { beginAnew(&library, epoch: epoch) }
        }
        if let cursor = library.cursor {
            if last > cursor {
                library.tail = max(last, library.tail ?? last)
            } else if last < cursor {
                beginAnew(&library, epoch: library.epoch)
                library.cursor = last
            }
        } else {
            library.cursor = last
        }
        libraries[id] = library
    }

    /// Begins the log anew after a reset event.
    private mutating func reset(_ offer: ReferenceOffer, to epoch: [UInt8]) {
        let id = offer.event.library
        guard var library = libraries[id] else { return }
        if let sequence = offer.event.sequence, let cursor = library.cursor, sequence <= cursor, epoch == library.epoch
        {
            if library.isLost(sequence) { applyLate(offer, sequence) } else { drop(offer) }
            return
        }
        beginAnew(&library, epoch: epoch)
        if offer.event.epoch == nil || offer.event.epoch == epoch { library.cursor = offer.event.sequence }
        libraries[id] = library
        apply(offer)
    }

    /// Drops and counts the held events, and begins the log anew.
    private mutating func beginAnew(_ library: inout ReferenceLibrary, epoch: [UInt8]?) {
        counts.held += library.held.count { $0.offer.origin == .stream }
        library.beginAnew(epoch: epoch)
    }

    private func hasRoom(for entry: ReferenceHeld, in library: ReferenceLibrary) -> Bool {
        let byteCount = library.held.reduce(entry.byteCount) { $0 + $1.byteCount }
        return library.held.count < configuration.heldCountMax && byteCount <= configuration.heldByteCountMax
    }

    private func isOver(_ library: ReferenceLibrary) -> Bool {
        library.held.count > configuration.heldCountMax
            || library.held.reduce(0) { $0 + $1.byteCount } > configuration.heldByteCountMax
    }

    private mutating func drop(_ offer: ReferenceOffer) {
        if offer.origin == .stream { counts.duplicate += 1 }
    }
}
