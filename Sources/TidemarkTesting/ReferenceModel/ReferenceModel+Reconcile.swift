// How a gap ends when it does not fill by itself: the upstream first, then the declaration that it is lost.

extension ReferenceModel {
    /// Takes everything after the cursor from the upstream, then declares lost what is still missing.
    mutating func reconcile(_ id: [UInt8]) {
        guard let library = libraries[id], library.hasGap, let cursor = library.cursor else { return }
        isReconciling = true
        for offer in upstream ?? [] {
            guard offer.event.library == id, let sequence = offer.event.sequence, sequence > cursor else { continue }
            // The log of another epoch is not this library's log.
            if let epoch = offer.event.epoch, let current = libraries[id]?.epoch, epoch != current { continue }
            admitOrHold(offer)
        }
        isReconciling = false
        while libraries[id]?.hasGap == true { declareFirstGapLost(id) }
        libraries[id]?.tail = nil
    }

    /// Declares the missing events that are next to the cursor lost, and lets go of what waited for them.
    mutating func declareFirstGapLost(_ id: [UInt8]) {
        guard var library = libraries[id], let cursor = library.cursor else { return }
        let last: Int64
        if let waiting = library.held.first {
            // A hole with nothing missing before it is itself what is missing.
            let isHole = waiting.offer == nil && waiting.previous <= cursor
            last = isHole ? waiting.sequence : waiting.previous
            library.recordLost((isHole ? waiting.sequence : cursor + 1)...last)
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

    /// The events of an upstream's log that can fill a gap. Its heartbeats only take their place; its resets,
    /// its unsequenced events and its unusable lines bring nothing.
    static func offers(in log: [UInt8], _ configuration: ReferenceConfiguration) -> [ReferenceOffer] {
        let decoder = ReferenceDecoder(configuration: configuration)
        return ReferenceFraming.lines(of: log).compactMap { line in
            guard case .event(let event) = decoder.decode(line.bytes), event.sequence != nil else { return nil }
            if case .reset = event.kind { return nil }
            return ReferenceOffer(event: event, place: line.place, byteCount: line.bytes.count, origin: .upstream)
        }
    }
}
