import TidemarkModel

/// The admission of an event: its library and type get their numbers, and its library's gate decides.
extension CacheState {
    /// Admits one usable event and, when its turn has come, applies it and the events held for it.
    mutating func admit(_ view: EventView, of batch: EventBatch, at now: Int64) {
        let event = view.event
        guard event.sequence != nil || event.kind.concernsLibrary else {
            // Its library need not be known: the event touches no entity.
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
}
