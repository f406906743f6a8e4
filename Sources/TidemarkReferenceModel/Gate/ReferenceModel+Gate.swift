// The gate decides which events are applied, held or dropped. There is one method for each input of the table in
// Protocol/sequencing.md, whose cells are cited by their ids.

extension ReferenceModel {
    /// Passes an event of an existing library through the gate.
    mutating func admitOrHold(_ offer: ReferenceOffer) {
        let event = offer.event
        if case .reset(let epoch, let beginsState) = event.kind {
            reset(offer, to: epoch, beginsState: beginsState)
        } else if let sequence = event.sequence {
            gate(offer, sequence)
        } else {
            if case .heartbeat(let last, let isStale) = event.kind { hear(last, isStale: isStale, offer) }
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
        guard let reached = library.reached else {
            advance(offer, to: sequence)
            return
        }
        if sequence <= reached {
            if library.isLost(sequence) { applyLate(offer, sequence) } else { drop(offer) }
            return
        }
        let previous = offer.event.previous(of: sequence)
        if previous <= reached {
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
        guard upstream != nil, let library = libraries[id], let reached = library.reached, sequence > reached else {
            return
        }
        if let current = library.epoch, epoch != current { return }
        let isKnown =
            library.held.contains { $0.sequence == sequence } || library.holes.contains { $0.sequence == sequence }
        guard !isKnown, library.holes.count(where: { $0.sequence > reached }) < configuration.heldCountMax else {
            return
        }
        libraries[id]?.holes.append((sequence, epoch))
    }

    /// Applies an event that is next, then the held events that follow.
    private mutating func advance(_ offer: ReferenceOffer, to sequence: Int64) {
        applyNext(offer, sequence)
        drain(offer.event.library)
    }

    /// Applies an event that is next, and moves the cursor to it. One of a unit of several lines waits for its end.
    private mutating func applyNext(_ offer: ReferenceOffer, _ sequence: Int64) {
        let id = offer.event.library
        guard offer.event.hasMore || libraries[id]?.unit.isEmpty == false else { return applyAlone(offer, sequence) }
        libraries[id]?.unit.append(ReferenceHeld(sequence: sequence, previous: sequence, offer: offer))
        libraries[id]?.unitPosition = sequence
        let byteCount = libraries[id]?.unit.reduce(0) { $0 + max(256, $1.byteCount) } ?? 0
        if !offer.event.hasMore || byteCount > configuration.unitByteCountMax { applyUnit(id) }
    }

    /// Applies the lines of a unit, one after another, and moves the cursor past it.
    mutating func applyUnit(_ id: [UInt8]) {
        guard let unit = libraries[id]?.unit, !unit.isEmpty, let position = libraries[id]?.unitPosition else { return }
        libraries[id]?.unit = []
        libraries[id]?.unitPosition = nil
        let generation = libraries[id]?.generation
        for (index, line) in unit.enumerated() {
            applyAlone(line.offer, line.sequence)
            if libraries[id]?.generation != generation {
                counts.held += unit[(index + 1)...].count { $0.offer.origin == .stream }
                return
            }
        }
        libraries[id]?.cursor = position
    }

    private mutating func applyAlone(_ offer: ReferenceOffer, _ sequence: Int64) {
        let id = offer.event.library
        apply(offer)
        libraries[id]?.cursor = sequence
        guard case .heartbeat(let last, let isStale) = offer.event.kind else { return }
        if last == sequence { endState(id) }
        hear(last, isStale: isStale, offer)
    }

    /// Ends a state: what was not written since it began is removed. One of which a number is lost ends nothing.
    private mutating func endState(_ id: [UInt8]) {
        guard var library = libraries[id], library.isInState, library.lost.isEmpty else { return }
        store.removeOlder(than: library.generation, in: id)
        library.isInState = false
        library.isStaleByLog = false
        library.isStaleByLoss = false
        libraries[id] = library
    }

    /// Applies or drops held events, the lowest first, until one must wait.
    mutating func drain(_ id: [UInt8]) {
        while let reached = libraries[id]?.reached, let head = libraries[id]?.held.first {
            if head.sequence <= reached {
                libraries[id]?.held.removeFirst()
                drop(head.offer)
            } else if head.previous <= reached {
                libraries[id]?.held.removeFirst()
                applyNext(head.offer, head.sequence)
            } else {
                return
            }
        }
    }

    /// Records the end of the log that a heartbeat names.
    private mutating func hear(_ last: Int64, isStale: Bool, _ offer: ReferenceOffer) {
        let id = offer.event.library
        guard offer.origin == .stream, var library = libraries[id] else { return }
        if let epoch = offer.event.epoch, epoch != library.epoch {
            if library.epoch == nil { library.adopt(epoch) } else { beginAnew(&library, epoch: epoch) }
        }
        if let reached = library.reached {
            if last > reached {
                library.tail = max(last, library.tail ?? last)
            } else if last < library.cursor ?? 0 {
                beginAnew(&library, epoch: library.epoch)
                library.cursor = last
            }
        } else {
            library.cursor = last
        }
        library.isSourceStale = isStale
        libraries[id] = library
    }

    /// Begins the log anew after a reset event.
    private mutating func reset(_ offer: ReferenceOffer, to epoch: [UInt8], beginsState: Bool) {
        let id = offer.event.library
        guard var library = libraries[id] else { return }
        if let sequence = offer.event.sequence, let cursor = library.cursor, sequence <= cursor, epoch == library.epoch
        {
            if library.isLost(sequence) { applyLate(offer, sequence) } else { drop(offer) }
            return
        }
        beginAnew(&library, epoch: epoch)
        if offer.event.epoch == nil || offer.event.epoch == epoch { library.cursor = offer.event.sequence }
        library.isInState = beginsState
        libraries[id] = library
        apply(offer)
    }

    /// Drops and counts the held events, and begins the log anew.
    private mutating func beginAnew(_ library: inout ReferenceLibrary, epoch: [UInt8]?) {
        counts.held += (library.unit + library.held).count { $0.offer.origin == .stream }
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
