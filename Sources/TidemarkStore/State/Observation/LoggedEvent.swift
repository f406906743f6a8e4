import TidemarkModel

/// One event, and the bin in which it was counted.
package struct LoggedEvent: Hashable, Sendable {
    /// The outcome of an event.
    package enum Bin: String, Sendable, CaseIterable {
        case applied
        case duplicate
        case ignored
        case quarantined
        /// The event waits for a missing one. It is logged again when it is applied.
        case held
        /// An upstream returned the event, and it was admitted.
        case reconciled
    }

    package var bin: Bin
    package var kind: ChangeEvent.Kind
    /// The library; nil when the event is broken and does not name it.
    package var library: ByteString?
    package var sequence: EventSequence?
    /// The name of the type as the cache stores it; nil for an event without one.
    package var type: ByteString?
    /// The keys that the event names, as `type:id`: at most ``keyCountMax``.
    package var keys: [ByteString]
    /// The number of resources that the event names.
    package var resourceCount: Int
    /// The number of its line in the input; nil for an event from an upstream.
    package var line: Int64?
    package var mutationID: ByteString?
    /// The reason of a quarantined event.
    package var reason: QuarantineReason?
    /// Whether its number was lost before it came.
    package var isLate: Bool
    /// The time when it was counted, in milliseconds since 1970.
    package var at: Int64
    /// The number under which the event is kept, from 1; nil when events are not kept.
    package var number: Int64?

    /// The keys of one event that are listed: 10.
    package static let keyCountMax = 10
}

extension CacheState {
    /// Logs an event for the observers of the log, and keeps it. Without observers, and where nothing is kept, it costs
    /// two tests.
    mutating func log(_ view: EventView, _ bin: LoggedEvent.Bin, reason: QuarantineReason? = nil, at now: Int64) {
        if keptEvents.isOn { keep(view, bin, reason: reason, at: now) }
        guard !eventLog.isEmpty else { return }
        let number = keptEvents.isOn ? keptEvents.lastNumber : nil
        let event = view.event
        let library = loggedLibrary(of: view)
        let type = loggedType(of: view)
        let isLate = queries.recorder.lateSequence != nil
        // The log is taken out for the call: listing the keys reads the rest of the state.
        var log = EventLog()
        swap(&log, &eventLog)
        log.add(
            bin, library: library, type: type,
            isNamed: { part in loggedKeys(of: view, library, countMax: .max).contains { part.isFound(in: $0) } }
        ) {
            var line: Int64?
            if case .line(_, let number) = view.source { line = number }
            return LoggedEvent(
                bin: bin, kind: event.kind, library: library, sequence: event.sequence, type: type,
                keys: loggedKeys(of: view, library, countMax: LoggedEvent.keyCountMax),
                resourceCount: Int(event.memberCount), line: line,
                mutationID: view.string(event.mutationID), reason: reason, isLate: isLate, at: now, number: number)
        }
        swap(&log, &eventLog)
    }

    /// Returns the library of an event; nil when the event is broken and does not name it.
    func loggedLibrary(of view: EventView) -> ByteString? {
        if view.event.kind == .unusable, !view.event.isLibraryKnown { return nil }
        guard let text = view.text(view.event.library) else { return configuration.defaultLibrary }
        // Events come in runs of one library: its name is there, and need not be made again.
        if !libraries.indexes.isEmpty {
            let last = libraries.name(of: libraries.lastIndex)
            if last.bytes.withUnsafeBytes({ JSONText.haveEqualBytes($0, text) }) { return last }
        }
        return ByteString(text)
    }

    /// Returns the name of an event's type as the cache stores it; nil when it has none.
    func loggedType(of view: EventView) -> ByteString? {
        guard let text = view.text(view.event.type) else { return nil }
        if let recent = types.recent(text) { return types.name(of: recent) }
        let name = ByteString(text)
        return types.index(of: name).map { types.name(of: $0) } ?? name
    }

    private func loggedKeys(of view: EventView, _ library: ByteString?, countMax: Int) -> [ByteString] {
        guard let library, !view.event.type.isAbsent, let libraryIndex = libraries.index(of: library),
            let type = types.index(of: ByteString(view.bytes[view.event.type]))
        else { return [] }
        return view.ownMembers.lazy.filter { $0.reason == nil }.prefix(countMax).map { member in
            entityKey(of: identity(of: member, in: view, library: libraryIndex, type: type).storedKey).text
        }
    }

    /// Notifies the observer with this number of events from now on.
    ///
    /// - Returns: false when there are ``EventLog/tapCountMax`` observers.
    package mutating func observeLog(_ number: Int64, _ filter: EventLog.Filter) -> Bool {
        guard eventLog.count < EventLog.tapCountMax else { return false }
        eventLog.add(number, filter)
        return true
    }

    package mutating func stopObservingLog(_ number: Int64) { eventLog.remove(number) }

    /// Whether the log is observed.
    package var hasLogObservers: Bool { !eventLog.isEmpty }

    /// Removes and returns the events that the observers of the log have not been notified of.
    package mutating func drainLoggedEvents() -> [EventLog.News] { eventLog.isEmpty ? [] : eventLog.drain() }
}
