import Tidemark
import TidemarkModel
import TidemarkStore

/// Looks for the entry after which something turned from what it was at the start.
///
/// In one pass: a predicate may turn any number of times, and halving would find one of them, not the first. What it would save
/// is looking at the predicate, which costs less than the step; doing steps again from the start it would need many times.
///
/// - Source: Protocol/recordings.md, looking for a turn.
package struct TurnSearch: Sendable {
    /// One turn, and the event or step that brought it.
    package struct Turn: Hashable, Sendable {
        /// Among the entries, from 1, and its line in the file.
        package var number: Int64
        package var line: Int64
        package var step: ByteString
        package var at: Int64
        /// Of the input that the event stood on; nil for what is no line.
        package var inputLine: Int64?
        package var library: ByteString?
        package var sequence: EventSequence?
        /// The line as it came; nil for what is no event.
        package var event: [UInt8]?
        /// What is true from here on.
        package var value: Bool
    }

    /// What it was before the first step.
    package let initial: Bool
    /// What it is now.
    package private(set) var value: Bool
    package private(set) var first: Turn?
    package private(set) var count = 0
    /// The first ``turnCountMax``, when all are wanted.
    package private(set) var turns: [Turn] = []
    private let predicate: TurnPredicate
    private let wantsAll: Bool

    /// Turns that are kept: 10,000; all are counted.
    package static let turnCountMax = 10_000

    /// - Throws: ``Tidemark/CacheError``.
    package init(_ predicate: TurnPredicate, in cache: SyncCache, wantsAll: Bool) async throws(CacheError) {
        self.predicate = predicate
        self.wantsAll = wantsAll
        initial = try await predicate.holds(in: cache)
        value = initial
    }

    /// Looks after an entry was done.
    ///
    /// - Returns: false when nothing more has to be looked at.
    /// - Throws: ``Tidemark/CacheError``.
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
