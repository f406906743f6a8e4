import TidemarkModel

/// The events that observers of the log have not been notified of.
///
/// Each observer has a filter of its own, so that many events of another type do not displace the few that it wants.
/// Bound: ``tapCountMax`` observers of ``eventCountMax`` events each; further events are counted as missed.
package struct EventLog: Sendable {
    /// The events that an observer wants; a part that is empty admits all.
    package struct Filter: Sendable {
        /// The names of resource types. An event without a type passes only when this is empty.
        package var types: Set<ByteString>
        package var bins: Set<LoggedEvent.Bin>
        /// The only library; nil: every library.
        package var library: ByteString?
        /// A part of a key that the event names; nil: every event.
        package var part: KeyFragment?

        package init(types: Set<ByteString> = [], bins: Set<LoggedEvent.Bin> = [], library: ByteString? = nil) {
            self.types = types
            self.bins = bins
            self.library = library
        }
    }

    /// The events for one observer since the last call of ``drain()``.
    package struct News: Sendable {
        package var number: Int64
        package var events: [LoggedEvent]
        /// The number of events that came when there was no room for more.
        package var missed: Int
    }

    private struct Tap: Sendable {
        var filter: Filter
        var events: [LoggedEvent] = []
        var missed = 0
    }

    /// The observers at most: 100.
    package static let tapCountMax = 100
    /// The events of one observer that are kept between two deliveries: 500.
    package static let eventCountMax = 500

    /// The observers by number, ascending. Bounded by ``tapCountMax``.
    private var taps: [(number: Int64, tap: Tap)] = []

    var isEmpty: Bool { taps.isEmpty }
    var count: Int { taps.count }

    mutating func add(_ number: Int64, _ filter: Filter) { taps.append((number, Tap(filter: filter))) }

    mutating func remove(_ number: Int64) { taps.removeAll { $0.number == number } }

    /// Passes an event to every observer that wants it.
    ///
    /// - Parameters:
    ///   - isNamed: Tells whether the event names a key with a part. Called only for observers that want one.
    ///   - event: Called at most once, when some observer has room for it.
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

    /// Removes and returns the events that observers were not notified of, in the order of their numbers.
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
