import TidemarkModel

/// What the engine is asked to do for a library that misses events.
package enum ReconcileRequest: Equatable {
    /// Ask the upstream for everything from a sequence on, and bring the answer with the attempt's number.
    case ask(library: LibraryIndex, from: EventSequence, attempt: UInt64)
    /// Call ``CacheState/resumeReconcile(of:attempt:at:)`` after a while.
    case wait(library: LibraryIndex, attempt: UInt64, milliseconds: Int64)
}

extension CacheState {
    /// How long a gap may wait for events that are late.
    package enum GapPatience: Equatable {
        /// The input ended: nothing can arrive late any more.
        case none
        /// The reorder window.
        case window
        /// Unread input waits: what is missing may stand in it.
        case endless
    }

    /// Whether something is missing, or was when it was last looked at.
    package var isWatching: Bool { !watched.isEmpty }

    /// Looks at every library that misses something: asks the upstream or, without one, declares lost what has
    /// waited out the reorder window.
    ///
    /// - Returns: What the engine has to do.
    package mutating func expireGaps(at now: Int64, patience: GapPatience) -> [ReconcileRequest] {
        guard isWatching else { return [] }
        isUnwritten = true
        var requests: [ReconcileRequest] = []
        for library in watched {
            defer { noteStatus(of: library, at: now) }
            while isDue(library, at: now, patience: patience) {
                libraries[Int(library)].isUrgent = false
                if configuration.hasUpstream {
                    let action = libraries[Int(library)].machine.start(at: now)
                    requests.append(contentsOf: follow(action, of: library, at: now))
                } else {
                    loseGap(library, at: now)
                }
            }
        }
        watched.removeAll { library in
            let entry = libraries[Int(library)]
            guard entry.gate.missing == nil, entry.gate.holes.isEmpty, !entry.machine.isActive else { return false }
            libraries[Int(library)].isWatched = false
            libraries[Int(library)].isUrgent = false
            return true
        }
        return requests
    }

    private func isDue(_ library: LibraryIndex, at now: Int64, patience: GapPatience) -> Bool {
        let entry = libraries[Int(library)]
        guard !entry.machine.isActive, let since = entry.openSince else { return false }
        switch patience {
        case .none: return true
        case .window: return entry.isUrgent || now.subtractingClamped(since) >= configuration.reorderWindow
        case .endless: return entry.isUrgent
        }
    }

    /// When ``expireGaps(at:patience:)`` has something to do next; nil when nothing is missing.
    package var nextGapDeadline: Int64? {
        var deadline: Int64?
        for library in watched {
            let entry = libraries[Int(library)]
            guard !entry.machine.isActive, let since = entry.openSince else { continue }
            let own = entry.isUrgent ? since : since.addingClamped(configuration.reorderWindow)
            deadline = min(deadline ?? own, own)
        }
        return deadline
    }

    /// Whether some library holds all it may: the engine stops reading until its upstream has answered.
    package var isFull: Bool {
        watched.contains { libraries[Int($0)].gate.held.isOver }
    }

    /// Whether an upstream is being asked, or will be again.
    package var isReconciling: Bool {
        watched.contains { libraries[Int($0)].machine.isActive }
    }

    /// Applies an upstream's answer.
    ///
    /// - Parameters:
    ///   - answer: Its events, as lines; those of other libraries or epochs, resets, and those without
    ///     a sequence are passed over.
    ///   - coveredThrough: Up to where the upstream says its log is whole; nil when it does not say.
    ///   - random: 0 ..< 1, for the delay before another attempt.
    package mutating func applyAnswer(
        _ answer: [EventBatch], coveredThrough: EventSequence?, to library: LibraryIndex, attempt: UInt64,
        random: Double, at now: Int64
    ) -> [ReconcileRequest] {
        guard libraries[Int(library)].machine.isAsking(attempt) else { return [] }
        defer { noteStatus(of: library, at: now) }
        isUnwritten = true
        if libraries[Int(library)].machine.isHealing {
            return heal(library, with: answer, coveredThrough: coveredThrough, attempt: attempt, at: now)
        }
        let cursor = libraries[Int(library)].gate.cursor
        let generation = libraries[Int(library)].gate.generation
        var scan = AnswerScan()
        for batch in answer {
            forEachEvent(of: batch, answering: library, &scan) { state, view in state.take(view, of: batch, at: now) }
        }
        if let last = scan.proving.max() { libraries[Int(library)].gate.proveHoles(through: last, at: now) }
        let coveredThrough = scan.covered(
            through: coveredThrough, from: libraries[Int(library)].gate.cursor,
            witness: libraries[Int(library)].gate.witness(answeredTo: scan.last))
        // Each held event stops the skipping; applying it leads on to the next gap, which is covered as well.
        var skippedTo = cursor
        while let coveredThrough, libraries[Int(library)].gate.generation == generation {
            libraries[Int(library)].gate.skip(through: coveredThrough)
            drain(library, at: now)
            guard libraries[Int(library)].gate.cursor != skippedTo else { break }
            skippedTo = libraries[Int(library)].gate.cursor
        }
        // The same bad event again: nobody has a good one.
        while let missing = libraries[Int(library)].gate.missing, scan.proving.contains(missing.first),
            libraries[Int(library)].gate.isFirstMissingHole
        {
            loseGap(library, isFirstAlone: true, at: now)
        }
        libraries[Int(library)].isChanged = true
        let gate = libraries[Int(library)].gate
        let action = libraries[Int(library)].machine.answered(
            attempt: attempt, hasProgress: gate.cursor != cursor || gate.generation != generation,
            isMissing: gate.missing != nil, random: random, at: now)
        return follow(action, of: library, at: now)
    }

    /// The upstream failed.
    ///
    /// - Parameter isFinal: Asking again is of no use.
    package mutating func failReconcile(
        of library: LibraryIndex, attempt: UInt64, isFinal: Bool, random: Double, at now: Int64
    ) -> [ReconcileRequest] {
        defer { noteStatus(of: library, at: now) }
        if libraries[Int(library)].machine.isHealing { return endHealing(of: library, attempt: attempt, at: now) }
        // A hole that nothing proved is asked for once.
        let isFinal = isFinal || libraries[Int(library)].gate.missing == nil
        let action = libraries[Int(library)].machine.failed(attempt: attempt, isFinal: isFinal, random: random)
        return follow(action, of: library, at: now)
    }

    /// What an answer or a failure brings about needs entities that cannot be read now: the question is asked again later.
    package mutating func postponeReconcile(of library: LibraryIndex, attempt: UInt64) -> [ReconcileRequest] {
        follow(libraries[Int(library)].machine.postponed(attempt: attempt), of: library, at: 0)
    }

    /// The delay of a ``ReconcileRequest/wait(library:attempt:milliseconds:)`` is over.
    package mutating func resumeReconcile(
        of library: LibraryIndex, attempt: UInt64, at now: Int64
    ) -> [ReconcileRequest] {
        defer { noteStatus(of: library, at: now) }
        let isMissing = libraries[Int(library)].gate.missing != nil || !libraries[Int(library)].gate.holes.isEmpty
        let action = libraries[Int(library)].machine.resumed(attempt: attempt, isMissing: isMissing, at: now)
        return follow(action, of: library, at: now)
    }

    mutating func follow(
        _ action: ReconcileMachine.Action, of library: LibraryIndex, at now: Int64
    ) -> [ReconcileRequest] {
        switch action {
        case .ask(let attempt):
            if libraries[Int(library)].machine.isHealing {
                let first = libraries[Int(library)].healingFrom ?? EventSequence(0)
                return [.ask(library: library, from: first, attempt: attempt)]
            }
            // No input reaches it: nothing is held, and no hole or tail noted, without a cursor, and whatever takes the cursor
            // away ends the question. Lost numbers without a cursor, as a forged file may have them, are healed above.
            guard let cursor = libraries[Int(library)].gate.cursor else {
                preconditionFailure("a library without a cursor misses nothing")
            }
            libraries[Int(library)].gate.markHolesAsked()
            return [.ask(library: library, from: cursor.successor, attempt: attempt)]
        case .wait(let attempt, let milliseconds):
            return [.wait(library: library, attempt: attempt, milliseconds: milliseconds)]
        case .giveUp:
            isUnwritten = true
            // Gaps that opened after the question was asked have their own turn.
            let askedAt = libraries[Int(library)].machine.askedAt
            while let since = libraries[Int(library)].gate.missingSince, since <= askedAt {
                loseGap(library, at: now)
            }
            libraries[Int(library)].gate.removeAskedHoles()
            return []
        case .settled:
            libraries[Int(library)].gate.removeAskedHoles()
            return []
        case .ignore:
            return []
        }
    }
}
