import TidemarkModel

/// Units of several lines: their events wait, and are applied as one unit.
///
/// - Source: Protocol/events.md, units of several lines.
extension CacheState {
    /// Adds the next event to its unit, and applies the unit if this was its last one, or if it is past its bound.
    ///
    /// - Returns: False if an event of the unit showed that the log went back.
    mutating func extendUnit(
        _ view: EventView, _ sequence: EventSequence, in library: LibraryIndex, at now: Int64
    ) -> Bool {
        let hasMore = view.event.hasMore
        libraries[library].gate.extendUnit(view.held(sequence: sequence, at: now))
        if hasMore { log(view, .held, at: now) }
        guard !hasMore || libraries[library].gate.unit.isOver else {
            libraries.watch(library)
            return true
        }
        return applyUnit(in: library, at: now)
    }

    /// Applies the events of an open unit as one unit, and moves the cursor past them.
    ///
    /// - Returns: False if an event showed that the log went back. Those after it are dropped: they belong to the old
    ///   log.
    mutating func applyUnit(in library: LibraryIndex, at now: Int64) -> Bool {
        let unit = libraries[library].gate.takeUnit()
        let hasReaders = !queries.isEmpty || !followedTypes.isEmpty
        if hasReaders {
            beginUnit(isMulti: true)
            isUnitShared = true
        }
        defer {
            if hasReaders {
                isUnitShared = false
                endUnit(at: now)
            }
        }
        for (place, event) in unit.events.enumerated() {
            let isSameLog = event.withView { applyAlone($0, event.sequence, in: library, at: now) }
            guard isSameLog else {
                counts.held += Int64(unit.events[(place + 1)...].count { $0.source.isCounted })
                return false
            }
        }
        // Sequences after the last event that do not exist.
        if let position = unit.position, let cursor = libraries[library].gate.cursor, position > cursor {
            libraries[library].gate.advance(to: position)
        }
        return true
    }

    /// Drops what waits in a library, because the connection that brought it ended: the source may number its lines
    /// anew. They are counted as held.
    ///
    /// - Returns: True if anything waited.
    package mutating func dropWaiting(in name: ByteString, at now: Int64) -> Bool {
        guard let library = libraries.index(of: name) else { return false }
        let hadGap = libraries[library].gate.missing != nil
        let count = libraries[library].gate.dropWaiting()
        guard count > 0 || hadGap else { return false }
        libraries[library].machine.cancel()
        counts.held += Int64(count)
        areCountsUnwritten = true
        noteStatus(of: library, at: now)
        return true
    }

    /// Returns where a library's log can be resumed: its epoch and cursor. nil if something of the log may be missing,
    /// so that only a state brings it up to date.
    package func resumption(of name: ByteString) -> (epoch: ByteString, cursor: EventSequence)? {
        guard let library = libraries.index(of: name) else { return nil }
        let gate = libraries[library].gate
        guard let epoch = gate.epoch, let cursor = gate.cursor, gate.staleCause == nil, !gate.isInState else {
            return nil
        }
        return (epoch, cursor)
    }
}
