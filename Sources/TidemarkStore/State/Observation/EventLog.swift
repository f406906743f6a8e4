import TidemarkModel

/// The events that observers of the log are yet to be notified of.
///
/// Each observer has its own filter, so that many events of another type do not displace the few that it wants. Bound:
/// ``tapCountMax`` observers with ``eventCountMax`` events each. Further events are counted as missed.
package struct EventLog: Sendable {
    /// Which events an observer wants. An empty part admits all events.
    package struct Filter: Sendable {
        /// The cache's own names of the wanted resource types. An event without a type passes only if this is empty.
        package var types: Set<ByteString>
        /// The wanted bins.
        package var bins: Set<LoggedEvent.Bin>
        /// The only wanted library; nil for every library.
        package var library: ByteString?
        /// A fragment of a key that the event must name; nil for every event.
        package var part: KeyFragment?

        /// Creates a filter; without arguments it admits all events.
        package init(types: Set<ByteString> = [], bins: Set<LoggedEvent.Bin> = [], library: ByteString? = nil) {
            self.types = types
            self.bins = bins
            self.library = library
        }
    }

    /// The events for one observer since the last ``drain()``.
    package struct News: Sendable {
        /// The observer's number.
        package var number: Int64
        /// The events, oldest first.
        package var events: [LoggedEvent]
        /// How many further events there was no room for.
        package var missed: Int
    }

    private struct Tap: Sendable {
        var filter: Filter
        var events: [LoggedEvent] = []
        var missed = 0
    }

    /// The most observers: 100.
    package static let tapCountMax = 100
    /// The most events kept for one observer between two deliveries: 500.
    package static let eventCountMax = 500

    /// The observers in the order in which they were added; ``tapCountMax`` bounds them.
    private var taps: [(number: Int64, tap: Tap)] = []

    var isEmpty: Bool { taps.isEmpty }
    var count: Int { taps.count }

    mutating func add(_ number: Int64, _ filter: Filter) { taps.append((number, Tap(filter: filter))) }

    mutating func remove(_ number: Int64) { taps.removeAll { $0.number == number } }

    /// Adds an event for every observer that wants it.
    ///
    /// - Parameters:
    ///   - isNamed: Returns true if the event names a key with a fragment. Called only for observers that want one.
    ///   - event: Makes the event. Called at most once, and only if some observer has room for it.
    mutating func add(
        _ bin: LoggedEvent.Bin, library: ByteString?, type: ByteString?, isNamed: (KeyFragment) -> Bool,
        _ event: () -> LoggedEvent
    ) {
        var made: LoggedEvent?
        for index in taps.indices {
            let filter = taps[index].tap.filter
            guard filter.bins.isEmpty || filter.bins.contains(bin),
                filter.types.isEmpty || type.map({ filter.types.contains($0) }) ?? false,
                filter.library == nil || filter.library == library, filter.part.map(isNamed) ?? true
            else { continue }
            guard taps[index].tap.events.count < EventLog.eventCountMax else {
                taps[index].tap.missed += 1
                continue
            }
            let event = made ?? event()
            made = event
            taps[index].tap.events.append(event)
        }
    }

    /// Removes and returns the events of all observers, in the order in which these were added.
    mutating func drain() -> [News] {
        var news: [News] = []
        for index in taps.indices where !taps[index].tap.events.isEmpty || taps[index].tap.missed > 0 {
            news.append(
                News(number: taps[index].number, events: taps[index].tap.events, missed: taps[index].tap.missed))
            taps[index].tap.events = []
            taps[index].tap.missed = 0
        }
        return news
    }
}
