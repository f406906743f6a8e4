import TidemarkModel

extension CacheState {
    /// Quarantines a line, and records its sequence as a hole if it could be read.
    mutating func setAside(_ view: EventView, of batch: EventBatch, at now: Int64) {
        // No input reaches it: the decoder gives every unusable event a reason.
        guard let reason = view.event.reason else { preconditionFailure("an unusable event without a reason") }
        if batch.origin == .log, view.event.isLibraryKnown, view.event.sequence != nil {
            return admit(view, of: batch, at: now)
        }
        refuse(view, of: batch, because: reason, at: now)
    }

    mutating func refuse(
        _ view: EventView, of batch: EventBatch, because reason: QuarantineReason, at now: Int64
    ) {
        let event = view.event
        if view.source.isCounted { counts.quarantined += 1 }
        tallies.add(.quarantined, view.source)
        log(view, .quarantined, reason: reason, at: now)
        let span = batch.lines[Int(event.line)]
        let kept = min(Int(span.count), configuration.limits.quarantineByteCountMax)
        let start = Int(span.offset)
        quarantine.append(
            QuarantineRecord(
                kind: view.source == .upstream ? .upstream : .line, reason: reason,
                line: batch.firstLine + Int64(event.line), offset: view.offset, library: libraryName(of: view),
                sequence: event.sequence, receivedAt: now, bytes: Array(batch.block[start..<start + kept]),
                byteCount: batch.wholeByteCounts[event.line] ?? Int(span.count)))
        guard reason != .tooManyLibraries, event.isLibraryKnown, let sequence = event.sequence else { return }
        noteHole(view, at: sequence, now: now)
    }

    /// Quarantines an unusable member of a batch; the others are applied. A member from an upstream has no line to
    /// inspect and is dropped.
    mutating func setAside(
        _ member: ChangeMember, of view: EventView, because reason: QuarantineReason, at now: Int64
    ) {
        guard case .line(_, let line) = view.source else { return }
        counts.membersQuarantined += 1
        tallies.add(.membersQuarantined, view.source)
        let bytes = view.bytes[member.resource]
        quarantine.append(
            QuarantineRecord(
                kind: .member, reason: reason, line: line, offset: view.offset,
                library: libraryName(of: view), sequence: view.event.sequence, receivedAt: now,
                bytes: Array(bytes.prefix(configuration.limits.quarantineByteCountMax)), byteCount: bytes.count))
    }

    /// Returns the library of an event; nil if the event is broken and does not name it.
    private func libraryName(of view: EventView) -> ByteString? {
        guard view.event.isLibraryKnown else { return nil }
        return view.string(view.event.library) ?? configuration.defaultLibrary
    }

    /// Records the sequence of an unusable line as a hole, so that the upstream is asked for it. Without an upstream
    /// this is skipped, because it would add nothing to what the next usable event shows.
    private mutating func noteHole(_ view: EventView, at sequence: EventSequence, now: Int64) {
        let library =
            if let name = view.text(view.event.library) {
                libraries.admit(name)
            } else {
                configuration.defaultLibrary.bytes.withUnsafeBytes { libraries.admit($0) }
            }
        guard let library, configuration.hasUpstream, view.source != .upstream,
            libraries[library].gate.noteHole(at: sequence, epoch: epoch(of: view, in: library), now: now)
        else { return }
        libraries.watch(library)
    }
}
