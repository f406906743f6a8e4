import TidemarkModel

/// Units of several lines, and states.
extension SequenceGate {
    /// How far the log was followed: inside an open unit, or else the cursor. nil before the first event.
    package var reached: EventSequence? { unit.position ?? cursor }

    /// Adds the next event to the open unit, or opens one. The cursor stays before the unit.
    ///
    /// - Precondition: The verdict on the event was to apply it.
    package mutating func extendUnit(_ event: HeldEvent) {
        // No input reaches it: only events that are next are added.
        if let reached { precondition(event.sequence > reached, "\(event.sequence) is not after \(reached)") }
        unit.append(event)
        forgetReached()
    }

    /// Removes and returns the events of the open unit, to apply them and advance the cursor.
    ///
    /// - Returns: The events, and how far the log was followed behind the last one.
    package mutating func takeUnit() -> (events: [HeldEvent], position: EventSequence?) {
        defer { unit.removeAll() }
        return (unit.events, unit.position)
    }

    /// The events that wait: those of the open unit, and those after a gap.
    package var waiting: [HeldEvent] { unit.isEmpty ? Array(held.all) : unit.events + held.all }

    /// Drops everything that waits: an open unit, and what is held after a gap.
    ///
    /// - Returns: How many events from inputs were dropped.
    package mutating func dropWaiting() -> Int {
        defer {
            unit.removeAll()
            removeHeld()
        }
        return waiting.count { $0.source.isCounted }
    }
}
