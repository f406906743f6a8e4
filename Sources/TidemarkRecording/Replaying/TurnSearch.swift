import Tidemark
import TidemarkModel
import TidemarkStore

/// Finds the entries after which a predicate changes its value.
///
/// The search makes one pass. A predicate may change any number of times, and bisection would find one of the turns,
/// not the first. Bisection would only save evaluations of the predicate, which cost less than a step, and would replay
/// steps from the start many times.
///
/// - Source: Protocol/recordings.md, looking for a turn.
package struct TurnSearch: Sendable {
    /// One change of the predicate's value, with the step that caused it.
    package struct Turn: Hashable, Sendable {
        /// The number of the entry, from 1.
        package var number: Int64
        /// The number of its line in the recording, from 1.
        package var line: Int64
        /// The name of the step.
        package var step: ByteString
        /// The time of the step in milliseconds since 1970.
        package var at: Int64
        /// The number of the event's line in the recorded input; nil when the step is not about an event.
        package var inputLine: Int64?
        /// The library that the event names; nil when it names none, or the step is not about an event.
        package var library: ByteString?
        /// The event's sequence; nil when it has none, or the step is not about an event.
        package var sequence: EventSequence?
        /// The bytes of the event's line; nil when the step is not about an event.
        package var event: [UInt8]?
        /// The value of the predicate after the step.
        package var value: Bool
    }

    /// The value of the predicate before the first step.
    package let initial: Bool
    /// The current value of the predicate.
    package private(set) var value: Bool
    /// The first turn; nil while there is none.
    package private(set) var first: Turn?
    /// The number of turns found so far.
    package private(set) var count = 0
    /// The first ``turnCountMax`` turns; empty unless all turns are wanted.
    package private(set) var turns: [Turn] = []
    private let predicate: TurnPredicate
    private let wantsAll: Bool

    /// The most turns that are kept: 10,000. All are counted.
    package static let turnCountMax = 10_000

    /// Starts a search, and evaluates the predicate.
    ///
    /// - Parameters:
    ///   - predicate: The condition to watch.
    ///   - cache: The cache on which the steps are replayed.
    ///   - wantsAll: True to find all turns; false to end at the first.
    /// - Throws: ``/Tidemark/CacheError`` when an entity cannot be read.
    package init(_ predicate: TurnPredicate, in cache: SyncCache, wantsAll: Bool) async throws(CacheError) {
        self.predicate = predicate
        self.wantsAll = wantsAll
        initial = try await predicate.holds(in: cache)
        value = initial
    }

    /// Evaluates the predicate after an entry was replayed.
    ///
    /// - Returns: False when the search is over.
    /// - Throws: ``/Tidemark/CacheError`` when an entity cannot be read.
    package mutating func look(after entry: RecordingReader.Entry, in cache: SyncCache) async throws(CacheError) -> Bool
    {
        let now = try await predicate.holds(in: cache)
        guard now != value else { return true }
        value = now
        count += 1
        let turn = Turn(entry, value: now)
        if first == nil { first = turn }
        if wantsAll, turns.count < TurnSearch.turnCountMax { turns.append(turn) }
        return wantsAll
    }
}

extension TurnSearch.Turn {
    init(_ entry: RecordingReader.Entry, value: Bool) {
        self.init(number: entry.number, line: entry.line, step: entry.step.name, at: entry.at, value: value)
        guard case .lines(let batch, let events) = entry.step, let index = events.first else { return }
        let event = batch.events[index]
        inputLine = batch.firstLine + Int64(event.line)
        sequence = event.sequence
        self.event = Array(batch.text(of: Int(event.line)))
        library = batch.withBytes { event.library.isAbsent ? nil : ByteString($0[event.library]) }
    }
}
