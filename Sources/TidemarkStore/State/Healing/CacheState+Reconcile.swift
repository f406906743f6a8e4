import TidemarkModel

/// What the engine has to do for a library that misses events.
package enum ReconcileRequest: Equatable {
    /// Ask the upstream for everything from a sequence on, and pass on the response with the attempt's number.
    case ask(library: LibraryIndex, from: EventSequence, attempt: UInt64)
    /// Call ``CacheState/resumeReconcile(of:attempt:at:)`` after a pause.
    case wait(library: LibraryIndex, attempt: UInt64, milliseconds: Int64)
}

extension CacheState {
    /// How long a gap may wait for late events.
    package enum GapPatience: Equatable {
        /// Not at all: the input has ended, so nothing can arrive late.
        case none
        /// For the length of the reorder window.
        case window
        /// Without end: unread input is waiting, and the missing events may be in it.
        case endless
    }

    /// True if something is missing, or was at the last check.
    package var isWatching: Bool { !libraries.watched.isEmpty }

    /// Handles the gaps of every library: asks the upstream or, without one, declares lost what has waited longer than
    /// the reorder window.
    ///
    /// - Returns: What the engine has to do.
    package mutating func expireGaps(at now: Int64, patience: GapPatience) -> [ReconcileRequest] {
        guard isWatching else { return [] }
        isUnwritten = true
        var requests: [ReconcileRequest] = []
        for library in libraries.watched {
            defer { noteStatus(of: library, at: now) }
            while isDue(library, at: now, patience: patience) {
                libraries[library].isUrgent = false
                if configuration.hasUpstream {
                    let action = libraries[library].machine.start(at: now)
                    requests.append(contentsOf: follow(action, of: library, at: now))
                } else {
                    loseGap(library, at: now)
                }
            }
        }
        libraries.endWatchingComplete()
        return requests
    }

    private func isDue(_ library: LibraryIndex, at now: Int64, patience: GapPatience) -> Bool {
        let entry = libraries[library]
        guard !entry.machine.isActive, let since = entry.openSince else { return false }
        switch patience {
        case .none: return true
        case .window: return entry.isUrgent || now.subtractingClamped(since) >= configuration.reorderWindow
        case .endless: return entry.isUrgent
        }
    }

    /// When ``expireGaps(at:patience:)`` has something to do next, in milliseconds since 1970; nil if nothing is
    /// missing.
    package var nextGapDeadline: Int64? {
        var deadline: Int64?
        for library in libraries.watched {
            let entry = libraries[library]
            guard !entry.machine.isActive, let since = entry.openSince else { continue }
            let own = entry.isUrgent ? since : since.addingClamped(configuration.reorderWindow)
            deadline = min(deadline ?? own, own)
        }
        return deadline
    }

    /// True if some library's reorder buffer is full. The engine stops reading until the upstream has answered.
    package var isFull: Bool {
        libraries.watched.contains { libraries[$0].gate.held.isOver }
    }

    /// True if an upstream is being asked, or will be asked again.
    package var isReconciling: Bool {
        libraries.watched.contains { libraries[$0].machine.isActive }
    }

    /// Applies an upstream's response.
    ///
    /// - Parameters:
    ///   - answer: The events as lines. Events of other libraries or epochs, resets, and events without a sequence are
    ///     skipped.
    ///   - coveredThrough: Up to which sequence the upstream says its log is complete; nil if it does not say.
    ///   - attempt: The number of the attempt. A response to an ended attempt has no effect.
    ///   - random: A number in 0 ..< 1 that determines the pause before another attempt.
    /// - Returns: What the engine has to do.
    package mutating func applyAnswer(
        _ answer: [EventBatch], coveredThrough: EventSequence?, to library: LibraryIndex, attempt: UInt64,
        random: Double, at now: Int64
    ) -> [ReconcileRequest] {
        guard libraries[library].machine.isAsking(attempt) else { return [] }
        defer { noteStatus(of: library, at: now) }
        isUnwritten = true
        if libraries[library].machine.isHealing {
            return heal(library, with: answer, coveredThrough: coveredThrough, attempt: attempt, at: now)
        }
        let reached = libraries[library].gate.reached
        let generation = libraries[library].gate.generation
        var scan = ResponseScan()
        for batch in answer {
            forEachEvent(of: batch, answering: library, &scan) { state, view in state.admit(view, of: batch, at: now) }
        }
        var witness = max(libraries[library].askedWitness, scan.last ?? .beforeFirst)
        if let last = scan.proving.max() {
            let tail = libraries[library].gate.tail
            libraries[library].gate.proveHoles(through: last, at: now)
            if let proven = libraries[library].gate.tail, proven != tail { witness = max(witness, proven) }
        }
        let coveredThrough = scan.covered(
            through: coveredThrough, from: libraries[library].gate.reached, witness: witness)
        // Skipping stops at each held event; applying that one leads to the next gap, which is covered as well.
        var skippedTo = reached
        while let coveredThrough, libraries[library].gate.generation == generation {
            libraries[library].gate.skip(through: coveredThrough)
            drain(library, at: now)
            guard libraries[library].gate.reached != skippedTo else { break }
            skippedTo = libraries[library].gate.reached
        }
        // The upstream returned the same unusable event, so no source has a usable copy.
        while let missing = libraries[library].gate.missing, scan.proving.contains(missing.first),
            libraries[library].gate.isFirstMissingHole
        {
            loseGap(library, isFirstAlone: true, at: now)
        }
        libraries[library].isChanged = true
        let gate = libraries[library].gate
        let action = libraries[library].machine.answered(
            attempt: attempt, hasProgress: gate.reached != reached || gate.generation != generation,
            isMissing: gate.missing != nil, random: random, at: now)
        return follow(action, of: library, at: now)
    }

    /// Handles a failed request to the upstream.
    ///
    /// - Parameter isFinal: True if another attempt is useless.
    /// - Returns: What the engine has to do.
    package mutating func failReconcile(
        of library: LibraryIndex, attempt: UInt64, isFinal: Bool, random: Double, at now: Int64
    ) -> [ReconcileRequest] {
        defer { noteStatus(of: library, at: now) }
        if libraries[library].machine.isHealing { return endHealing(of: library, attempt: attempt, at: now) }
        // An unproven hole is requested only once.
        let isFinal = isFinal || libraries[library].gate.missing == nil
        let action = libraries[library].machine.failed(attempt: attempt, isFinal: isFinal, random: random)
        return follow(action, of: library, at: now)
    }

    /// Postpones a response or failure that needs entities which cannot be loaded now. The request is repeated later.
    package mutating func postponeReconcile(of library: LibraryIndex, attempt: UInt64) -> [ReconcileRequest] {
        follow(libraries[library].machine.postponed(attempt: attempt), of: library, at: 0)
    }

    /// Continues after the pause of a ``ReconcileRequest/wait(library:attempt:milliseconds:)``.
    package mutating func resumeReconcile(
        of library: LibraryIndex, attempt: UInt64, at now: Int64
    ) -> [ReconcileRequest] {
        defer { noteStatus(of: library, at: now) }
        let isMissing = libraries[library].gate.missing != nil || !libraries[library].gate.holes.isEmpty
        let action = libraries[library].machine.resumed(attempt: attempt, isMissing: isMissing, at: now)
        return follow(action, of: library, at: now)
    }

    mutating func follow(
        _ action: ReconcileMachine.Action, of library: LibraryIndex, at now: Int64
    ) -> [ReconcileRequest] {
        switch action {
        case .ask(let attempt):
            if libraries[library].machine.isHealing {
                let first = libraries[library].healingFrom ?? EventSequence(0)
                return [.ask(library: library, from: first, attempt: attempt)]
            }
            // No input reaches it: without a cursor nothing is held or missing, and removing a cursor ends the request.
            // Lost sequences without a cursor, as a forged file may have them, are healed above.
            guard let reached = libraries[library].gate.reached else {
                preconditionFailure("a library without a cursor misses nothing")
            }
            libraries[library].gate.markHolesAsked()
            libraries[library].askedWitness = libraries[library].gate.witness
            return [.ask(library: library, from: reached.successor, attempt: attempt)]
        case .wait(let attempt, let milliseconds):
            return [.wait(library: library, attempt: attempt, milliseconds: milliseconds)]
        case .giveUp:
            isUnwritten = true
            // Gaps that opened after the request get a request of their own.
            let askedAt = libraries[library].machine.askedAt
            while let since = libraries[library].gate.missingSince, since <= askedAt {
                loseGap(library, at: now)
            }
            libraries[library].gate.removeAskedHoles()
            return []
        case .settled:
            libraries[library].gate.removeAskedHoles()
            return []
        case .ignore:
            return []
        }
    }
}
