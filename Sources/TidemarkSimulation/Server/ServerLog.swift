/// One branch of a library's log: the events between two restarts or restorations of its server.
package struct ServerLog: Sendable {
    /// The epoch; nil if the log's lines name none.
    package let epoch: String?
    /// The entities before the first event.
    package let start: [String: ItemFields]
    /// The sequence before the first event.
    package let base: Int64
    /// The events in ascending order. Bounded by the inputs of a schedule.
    package private(set) var events: [ServerEvent]

    /// Creates a branch.
    package init(epoch: String?, start: [String: ItemFields], base: Int64, events: [ServerEvent] = []) {
        self.epoch = epoch
        self.start = start
        self.base = base
        self.events = events
    }

    /// The last sequence; ``base`` if the branch is empty.
    package var last: Int64 { events.last?.sequence ?? base }

    /// Appends an event, whose sequence must be higher than ``last``.
    package mutating func append(_ event: ServerEvent) {
        precondition(event.sequence > last, "event \(event.sequence) stands behind \(last)")
        events.append(event)
    }

    /// Returns the events after `first`, up to and including `last`.
    package func events(after first: Int64, through last: Int64) -> ArraySlice<ServerEvent> {
        let lower = events.firstIndex { $0.sequence > first } ?? events.endIndex
        let upper = events.firstIndex { $0.sequence > last } ?? events.endIndex
        return events[lower..<max(lower, upper)]
    }

    /// Returns the entities after the event with a sequence.
    package func entities(at sequence: Int64) -> [String: ItemFields] {
        var entities = start
        for event in events where event.sequence <= sequence && !event.isPoison {
            for (id, change) in event.changes { entities[id] = change.applied(to: entities[id]) }
        }
        return entities
    }
}
