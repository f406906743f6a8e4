import TidemarkJSON
import TidemarkModel

/// One event with the bin in which it was counted.
package struct LoggedEvent: Hashable, Sendable {
    /// How an event was counted.
    package enum Bin: String, Sendable, CaseIterable {
        /// The event took effect.
        case applied
        /// The event had taken effect before.
        case duplicate
        /// The event is of an unknown kind.
        case ignored
        /// The event could not be used.
        case quarantined
        /// The event waits for a missing one. It is logged again when it is applied.
        case held
        /// The event was returned by an upstream, and was admitted.
        case reconciled
    }

    /// How the event was counted.
    package var bin: Bin
    /// The kind of the event.
    package var kind: ChangeEvent.Kind
    /// The library; nil if the event is broken and does not name it.
    package var library: ByteString?
    /// The event's sequence; nil if it has none.
    package var sequence: EventSequence?
    /// The cache's own name of the resource type; nil for an event without one.
    package var type: ByteString?
    /// The keys that the event names, as `type:id`; at most ``keyCountMax``.
    package var keys: [ByteString]
    /// How many resources the event names.
    package var resourceCount: Int
    /// The number of the event's line in its input; nil for an event from an upstream.
    package var line: Int64?
    /// The mutation that caused the event; nil if the event names none.
    package var mutationID: ByteString?
    /// Why the event was quarantined; nil in other bins.
    package var reason: QuarantineReason?
    /// True if the event's sequence had been declared lost before.
    package var isLate: Bool
    /// When the event was counted, in milliseconds since 1970.
    package var at: Int64
    /// The number under which the event is kept, from 1; nil if events are not kept.
    package var number: Int64?

    /// The most keys that are listed for one event: 10.
    package static let keyCountMax = 10
}

extension CacheState {
    /// Logs an event for the observers of the log, and keeps it. If nobody observes and nothing is kept, it costs two
    /// tests.
    mutating func log(_ view: EventView, _ bin: LoggedEvent.Bin, reason: QuarantineReason? = nil, at now: Int64) {
        if keptEvents.isOn { keep(view, bin, reason: reason, at: now) }
        guard !eventLog.isEmpty else { return }
        let number = keptEvents.isOn ? keptEvents.lastNumber : nil
        let event = view.event
        let library = loggedLibrary(of: view)
        let type = loggedType(of: view)
        let isLate = queries.recorder.lateSequence != nil
        // The log is moved out during the call, because listing keys reads the rest of the state.
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

    /// Returns the library of an event; nil if the event is broken and does not name it.
    func loggedLibrary(of view: EventView) -> ByteString? {
        if view.event.kind == .unusable, !view.event.isLibraryKnown { return nil }
        guard let text = view.text(view.event.library) else { return configuration.defaultLibrary }
        // Consecutive events mostly name the same library: its name exists already and need not be made again.
        if !libraries.indexes.isEmpty {
            let last = libraries.name(of: libraries.lastIndex)
            if last.bytes.withUnsafeBytes({ JSONText.haveEqualBytes($0, text) }) { return last }
        }
        return ByteString(text)
    }

    /// Returns the cache's own name of an event's type; nil if the event has none.
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

    /// Adds an observer of the log, under a number of the caller.
    ///
    /// - Returns: False if there are already ``EventLog/tapCountMax`` observers.
    package mutating func observeLog(_ number: Int64, _ filter: EventLog.Filter) -> Bool {
        guard eventLog.count < EventLog.tapCountMax else { return false }
        eventLog.add(number, filter)
        return true
    }

    /// Removes an observer of the log. No effect for an unknown number.
    package mutating func stopObservingLog(_ number: Int64) { eventLog.remove(number) }

    /// True if the log has observers.
    package var hasLogObservers: Bool { !eventLog.isEmpty }

    /// Removes and returns the events that observers of the log are yet to be notified of.
    package mutating func drainLoggedEvents() -> [EventLog.News] { eventLog.isEmpty ? [] : eventLog.drain() }
}
