import TidemarkModel

/// Admits events: their library and type get indexes, and the library's gate decides.
extension CacheState {
    /// Admits one event and, if it is next, applies it and the events held after it. An unusable event is accepted only
    /// from a ``/TidemarkModel/LineOrigin/log``.
    mutating func admit(_ view: EventView, of batch: EventBatch, at now: Int64) {
        let event = view.event
        if case .unusable = event.kind { return admitUnusable(view, of: batch, at: now) }
        guard event.sequence != nil || event.kind.concernsLibrary else {
            // The library need not be known, because the event touches no entity.
            count(view, at: now)
            if event.kind == .bulk || event.kind == .refresh { invalidate(by: view, at: now) }
            if !layers.isEmpty { settleUnsequenced(by: view, at: now) }
            return
        }
        let name = view.text(event.library)
        let library =
            if let name {
                libraries.admit(name)
            } else {
                configuration.defaultLibrary.bytes.withUnsafeBytes { libraries.admit($0) }
            }
        guard let library else { return refuse(view, of: batch, because: .tooManyLibraries, at: now) }
        if !event.type.isAbsent, admitType(view.bytes[event.type]) == nil {
            return refuse(view, of: batch, because: .badType, at: now)
        }
        offer(view, to: library, at: now)
    }

    /// Admits a line whose event is unusable, but whose sequence its log itself names. It keeps its place, and only its
    /// sequence is lost.
    ///
    /// - Precondition: The event has a sequence.
    private mutating func admitUnusable(_ view: EventView, of batch: EventBatch, at now: Int64) {
        let name = view.text(view.event.library)
        let library =
            if let name {
                libraries.admit(name)
            } else {
                configuration.defaultLibrary.bytes.withUnsafeBytes { libraries.admit($0) }
            }
        guard let library else { return refuse(view, of: batch, because: .tooManyLibraries, at: now) }
        let span = batch.lines[Int(view.event.line)]
        var event = view.event
        // The line is stored as the event's details, so that it is kept while the event is held.
        let kept = min(span.count, UInt32(clamping: configuration.limits.quarantineByteCountMax))
        event.detail = ByteRange(offset: span.offset, count: kept)
        event.memberCount = 0
        offer(
            EventView(
                event: event, members: view.members, bytes: view.bytes, source: view.source, offset: view.offset,
                byteCount: batch.wholeByteCounts[view.event.line] ?? Int(span.count)),
            to: library, at: now)
    }
}
