import TidemarkJSON
import TidemarkModel

extension CacheState {
    /// Passes an event to its library's gate, and does what the gate decides.
    mutating func offer(_ view: EventView, to library: LibraryIndex, at now: Int64) {
        let event = view.event
        defer { noteStatus(of: library, at: now) }
        if case .reset = event.kind { return reset(view, in: library, at: now) }
        guard let sequence = event.sequence else {
            applyEffect(view, in: library, at: now)
            return
        }
        let eventEpoch = epoch(of: view, in: library)
        libraries[library].isChanged = true
        switch libraries[library].gate.admit(sequence, previous: event.previous, epoch: eventEpoch) {
        case .apply:
            applyInOrder(view, sequence, in: library, at: now)
        case .duplicate:
            countDuplicate(view, at: now)
        case .late where event.kind == .unusable:
            refuseLate(view, in: library, at: now)
        case .late:
            applyLate(view, sequence, in: library, at: now)
        case .newEpoch:
            beginEpoch(eventEpoch, baseline: nil, in: library, at: now)
            applyInOrder(view, sequence, in: library, at: now)
        case .hold:
            hold(view, sequence, in: library, at: now)
        }
    }

    private mutating func applyInOrder(
        _ view: EventView, _ sequence: EventSequence, in library: LibraryIndex, at now: Int64
    ) {
        guard applyNext(view, sequence, in: library, at: now), libraries[library].isWatched else { return }
        drain(library, at: now)
        // The missing events arrived without a response. For events of a response, the end of that response decides
        // instead.
        if view.source != .upstream, libraries[library].machine.isActive,
            libraries[library].gate.missing == nil, libraries[library].gate.holes.isEmpty,
            !libraries[library].machine.isHealing
        {
            libraries[library].machine.cancel()
        }
    }

    /// Applies the next event, and moves the cursor to it. One of a unit of several lines waits for the last line.
    ///
    /// - Returns: False for a heartbeat which shows that the log went back and so moved the cursor itself.
    private mutating func applyNext(
        _ view: EventView, _ sequence: EventSequence, in library: LibraryIndex, at now: Int64
    ) -> Bool {
        if view.event.hasMore || !libraries[library].gate.unit.isEmpty {
            return extendUnit(view, sequence, in: library, at: now)
        }
        return applyAlone(view, sequence, in: library, at: now)
    }

    /// Applies the next event outside of a unit of several lines, and moves the cursor to it.
    mutating func applyAlone(
        _ view: EventView, _ sequence: EventSequence, in library: LibraryIndex, at now: Int64
    ) -> Bool {
        let generation = libraries[library].gate.generation
        // A heartbeat describes the log from its own place on, so the cursor moves first.
        let speaks = if case .heartbeat = view.event.kind { true } else { false }
        if speaks { libraries[library].gate.advance(to: sequence) }
        applyEffect(view, in: library, at: now)
        guard libraries[library].gate.generation == generation else { return false }
        if !speaks { libraries[library].gate.advance(to: sequence) }
        return true
    }

    private mutating func hold(
        _ view: EventView, _ sequence: EventSequence, in library: LibraryIndex, at now: Int64
    ) {
        // A held copy from an input equals that of the upstream, and was counted with its line.
        if view.source == .upstream, libraries[library].gate.held.event(at: sequence) != nil { return }
        switch libraries[library].gate.hold(view.held(sequence: sequence, at: now)) {
        case .added:
            log(view, .held, at: now)
            libraries.watch(library)
            relieveFullBuffer(in: library, at: now)
        case .duplicate:
            countDuplicate(view, at: now)
        }
    }

    /// Reconciles at once if a buffer is past its bounds.
    ///
    /// With an upstream, the events stay held and the engine stops reading until the response has arrived. Without one,
    /// the gap is declared lost and the buffer drains.
    mutating func relieveFullBuffer(in library: LibraryIndex, at now: Int64) {
        guard libraries[library].gate.held.isOver else { return }
        if configuration.hasUpstream {
            libraries[library].isUrgent = true
            return
        }
        while libraries[library].gate.held.isOver, loseGap(library, at: now) {}
    }

    /// Declares the first gap lost, and applies the events held after it.
    ///
    /// - Parameter isFirstAlone: True to declare only the first sequence of the gap lost.
    /// - Returns: False if nothing is missing.
    @discardableResult
    mutating func loseGap(_ library: LibraryIndex, isFirstAlone: Bool = false, at now: Int64) -> Bool {
        guard libraries[library].gate.missing != nil else { return false }
        // What arrived of a unit takes effect before the gap inside it is passed over.
        if !libraries[library].gate.unit.isEmpty { _ = applyUnit(in: library, at: now) }
        guard libraries[library].gate.declareLost(isFirstAlone: isFirstAlone) != nil else { return false }
        lossCount += 1
        libraries[library].isChanged = true
        // A range has no single position: its events may still arrive, and late ones enter the lists of older
        // responses.
        markAllStale(in: library, nil, at: now)
        drain(library, at: now)
        return true
    }

    /// Applies held events while nothing is missing before them.
    mutating func drain(_ library: LibraryIndex, at now: Int64) {
        while let ready = libraries[library].gate.takeReady() {
            switch ready {
            case .apply(let held):
                held.withView { view in _ = applyNext(view, held.sequence, in: library, at: now) }
            case .passed(let held):
                held.withView { countDuplicate($0, at: now) }
            }
        }
    }

    private mutating func reset(_ view: EventView, in library: LibraryIndex, at now: Int64) {
        // No input reaches it: the decoder calls a reset without an epoch unusable.
        guard let newEpoch = view.string(view.event.detail) else { preconditionFailure("a reset without an epoch") }
        let isOfNewLog = view.event.epoch.isAbsent || view.string(view.event.epoch) == newEpoch
        let sequence = isOfNewLog ? view.event.sequence : nil
        if let sequence, let cursor = libraries[library].gate.cursor, sequence <= cursor,
            libraries[library].gate.epoch == newEpoch
        {
            if libraries[library].gate.lost.contains(sequence) {
                applyLate(view, sequence, in: library, at: now)
            } else {
                countDuplicate(view, at: now)
            }
            return
        }
        beginEpoch(newEpoch, baseline: sequence, in: library, at: now)
        if view.event.beginsState { libraries[library].gate.beginState() }
        count(view, at: now)
    }

    mutating func hearHeartbeat(
        _ last: EventSequence, epoch: ByteString?, in library: LibraryIndex, at now: Int64
    ) {
        libraries[library].isChanged = true
        switch libraries[library].gate.heartbeat(last: last, epoch: epoch, at: now) {
        case .even, .baseline:
            break
        case .ahead:
            if configuration.hasUpstream { libraries[library].isUrgent = true }
            libraries.watch(library)
        case .newLog(let forgotten):
            counts.held += Int64(forgotten)
            forgetLog(of: library, at: now)
        }
    }

    private mutating func beginEpoch(
        _ epoch: ByteString?, baseline: EventSequence?, in library: LibraryIndex, at now: Int64
    ) {
        counts.held += Int64(libraries[library].gate.beginEpoch(epoch, baseline: baseline))
        libraries[library].isChanged = true
        forgetLog(of: library, at: now)
    }

    /// Forgets the sequences of a library's log, because it was replaced and they cannot be compared any more.
    private mutating func forgetLog(of library: LibraryIndex, at now: Int64) {
        libraries[library].machine.cancel()
        recentWrites.forgetSequences(of: library)
        fieldWrites.endLog(of: library)
        libraries[library].answeredThrough = nil
        libraries[library].forgottenThrough = nil
        libraries[library].heldOff = []
        libraries[library].staleThrough.endLog()
        meanwhile.endLog(of: libraries.name(of: library))
        for query in queries.all where queries[query].library == library { queries[query].endLog() }
        markAllStale(in: library, nil, at: now)
    }

    private mutating func countDuplicate(_ view: EventView, at now: Int64) {
        guard view.source.isCounted else { return }
        counts.duplicate += 1
        tallies.add(.duplicate, view.source)
        log(view, .duplicate, at: now)
    }

    /// Returns the event's epoch. If it equals the library's own, that value is returned and nothing is copied.
    func epoch(of view: EventView, in library: LibraryIndex) -> ByteString? {
        guard let text = view.text(view.event.epoch) else { return nil }
        let epoch = libraries[library].gate.epoch
        if let epoch, epoch.bytes.withUnsafeBytes({ JSONText.haveEqualBytes($0, text) }) { return epoch }
        return ByteString(text)
    }
}
