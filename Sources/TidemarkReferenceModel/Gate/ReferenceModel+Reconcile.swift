// How a gap ends that later events do not fill: the upstream's log is read, and the rest is declared lost.

extension ReferenceModel {
    /// Takes everything after the cursor from the upstream, then declares lost what is still missing.
    mutating func reconcile(_ id: [UInt8]) {
        guard let library = libraries[id], library.hasGap || library.hasHole, let reached = library.reached else {
            return
        }
        isReconciling = true
        var provenThrough = reached
        for line in upstream ?? [] {
            // A log of another epoch is not this library's log.
            guard line.library == id else { continue }
            if let epoch = line.epoch, let current = libraries[id]?.epoch, epoch != current { continue }
            switch line {
            case .offer(let offer):
                guard let sequence = offer.event.sequence, sequence > reached else { continue }
                admitOrHold(offer)
            case .bad(_, let sequence, let epoch):
                // A line without an epoch may belong to a log that ended.
                if epoch != nil || libraries[id]?.epoch == nil { provenThrough = max(provenThrough, sequence) }
            }
        }
        isReconciling = false
        if let after = libraries[id], let proven = after.highestHole(through: provenThrough) {
            libraries[id]?.tail = max(proven, after.tail ?? proven)
        }
        while libraries[id]?.hasGap == true { declareFirstGapLost(id) }
        libraries[id]?.tail = nil
        libraries[id]?.holes = []
    }

    /// Declares the missing events next to the cursor lost, and applies the held events that can follow.
    mutating func declareFirstGapLost(_ id: [UInt8]) {
        // What arrived of a unit takes effect before the gap inside it is passed over.
        if libraries[id]?.hasGap == true { applyUnit(id) }
        guard var library = libraries[id], let cursor = library.cursor else { return }
        let last: Int64
        if let waiting = library.held.first {
            last = waiting.previous
            library.recordLost(cursor + 1...last)
        } else if let tail = library.tail, tail > cursor {
            last = tail
            library.recordLost(cursor + 1...last)
        } else {
            return
        }
        library.cursor = last
        libraries[id] = library
        drain(id)
    }

    /// Returns the lines of an upstream's log that name a sequence. Its heartbeats only fill their sequence; resets and
    /// events without a sequence have no effect.
    static func lines(of log: [UInt8], _ configuration: ReferenceConfiguration) -> [ReferenceUpstreamLine] {
        let decoder = ReferenceDecoder(configuration: configuration)
        return ReferenceFraming.lines(of: log).compactMap { line in
            switch decoder.decode(line.bytes) {
            case .event(let event):
                if event.sequence == nil { return nil }
                if case .reset = event.kind { return nil }
                return .offer(
                    ReferenceOffer(event: event, place: line.place, byteCount: line.bytes.count, origin: .upstream))
            case .rejected(let rejection):
                guard let library = rejection.library, let sequence = rejection.sequence else { return nil }
                return .bad(library: library, sequence: sequence, epoch: rejection.epoch)
            default: return nil
            }
        }
    }
}
