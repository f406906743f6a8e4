import TidemarkModel

/// Remembers what a response on its way cannot include: lists that became stale, libraries that were cleared, changes
/// that requests made.
///
/// Every response is checked against it before it is stored, whoever asked for it (law L12). A list that became stale
/// after the request was made is stored as stale. A response to a request from before a clear is not stored. A reader
/// that arrives after such an event does not join the older request. Staleness is remembered with its position in the
/// log too, for responses that state the position at which they are valid.
///
/// Writes of entities are in ``RecentWrites`` and ``FieldWrites``.
///
/// - Source: Protocol/queries.md, while an answer is on its way.
struct MeanwhileLog {
    /// One event or request that made lists stale.
    struct Staling {
        /// Its place in the order of everything that this log records.
        var ordinal: Int64
        /// The library that it concerned; nil for every library except ``exceptLibrary``.
        var library: ByteString?
        var exceptLibrary: ByteString?
        var selection: CacheState.Selection
        var cause: StaleCause
        /// The sequence of the event that caused it; a response that is valid at or after it includes it. nil if no
        /// event did: the time of the request then decides.
        var sequence: EventSequence?
        /// When it happened, in milliseconds since 1970.
        var at: Int64
    }

    /// How many causes of staleness are remembered: 1,024. Beyond that, the oldest counts as one that concerns every
    /// list of its library.
    static let stalingCountMax = 1_024
    /// The most bytes of tags and hints that are remembered with one cause of staleness: 4,096. Longer ones count as
    /// absent, so that the cause concerns everything that its other parts select.
    static let detailByteCountMax = 4_096

    /// How many things were recorded so far.
    private(set) var ordinal: Int64 = 0
    /// The causes of staleness, oldest first; ``stalingCountMax`` bounds them.
    private(set) var stalings: [Staling] = []
    /// The ordinal up to which causes of staleness were forgotten.
    private var forgotten: Int64 = 0
    /// For each library, the ordinal of its last clear. Kept while a request is open; `libraryCountMax` bounds it.
    private var clears: [ByteString: Int64] = [:]
    private var clearOfAll: Int64 = 0
    /// For each library, the ordinal of the last change that a request of the host made. Kept while a request is open;
    /// `libraryCountMax` bounds it.
    private var changes: [ByteString: Int64] = [:]

    // MARK: What happens

    /// Records that lists became stale.
    ///
    /// - Parameters:
    ///   - selection: Which lists.
    ///   - library: The library; nil for every library.
    ///   - other: A library that is not concerned.
    ///   - cause: Why they became stale.
    ///   - sequence: The sequence of the event that caused it; nil if no event did.
    /// - Returns: What was forgotten to make room; nil while there is room.
    mutating func noteStaling(
        _ selection: CacheState.Selection, in library: ByteString?, except other: ByteString? = nil,
        because cause: StaleCause, _ sequence: EventSequence?, at now: Int64
    ) -> Staling? {
        ordinal += 1
        var selection = selection
        if (selection.tags?.count ?? 0) + (selection.hints?.count ?? 0) > MeanwhileLog.detailByteCountMax {
            selection.tags = nil
            selection.hints = nil
        }
        stalings.append(
            Staling(
                ordinal: ordinal, library: library, exceptLibrary: other, selection: selection, cause: cause,
                sequence: sequence, at: now))
        guard stalings.count > MeanwhileLog.stalingCountMax else { return nil }
        let oldest = stalings.removeFirst()
        forgotten = oldest.ordinal
        return oldest
    }

    /// Records a clear.
    ///
    /// - Parameter library: The library; nil for every library.
    mutating func noteClear(of library: ByteString?) {
        ordinal += 1
        if let library { clears[library] = ordinal } else { clearOfAll = ordinal }
    }

    /// Records that a request of the host changed something in a library. Responses to earlier requests may not include
    /// it.
    mutating func noteChange(in library: ByteString) {
        ordinal += 1
        changes[library] = ordinal
    }

    /// Forgets the positions in a library's log, because it was replaced.
    mutating func endLog(of library: ByteString) {
        for index in stalings.indices where stalings[index].library == library { stalings[index].sequence = nil }
    }

    /// Forgets the positions of a library after a sequence, because its log continues there with other events.
    mutating func rewind(_ library: ByteString, to sequence: EventSequence) {
        for index in stalings.indices where stalings[index].library == library {
            if let own = stalings[index].sequence, own > sequence { stalings[index].sequence = nil }
        }
    }

    /// Forgets what only open requests need, because none is open.
    mutating func endQuestions() {
        clears = [:]
        changes = [:]
        clearOfAll = 0
    }

    // MARK: What it means for a question

    /// Returns true if a library was cleared after a request was made.
    func isCleared(_ library: ByteString, since start: Int64) -> Bool {
        clearOfAll > start || clears[library].map { $0 > start } ?? false
    }

    /// Returns true if a reader that arrives now may wait for the response to an earlier request.
    ///
    /// - Parameters:
    ///   - start: The ordinal when that request was made.
    ///   - concerns: Returns true if a selection can concern the reader's list.
    func mayJoin(
        _ library: ByteString, since start: Int64, concerns: (CacheState.Selection) -> Bool
    ) -> Bool {
        guard forgotten <= start, !isCleared(library, since: start) else { return false }
        if let change = changes[library], change > start { return false }
        return !stalings.reversed().prefix { $0.ordinal > start }.contains { staling in
            staling.concerns(library) && concerns(staling.selection)
        }
    }

    /// Returns the first thing that made a list stale and that a response does not include; nil if there is none.
    ///
    /// - Parameters:
    ///   - start: The ordinal when the request was made. nil for a response that nobody requested: it counts as made
    ///     now, and includes everything except what is after its position.
    ///   - asOf: The position at which the response says it is valid; nil if it does not say.
    ///   - concerns: Returns true if a selection concerns the list.
    func staling(
        in library: ByteString, since start: Int64?, asOf: EventSequence?, concerns: (CacheState.Selection) -> Bool
    ) -> Staling? {
        stalings.first { staling in
            staling.concerns(library) && staling.isUnknown(toAnswerAskedAt: start, asOf: asOf)
                && concerns(staling.selection)
        }
    }

    /// Returns true if something after a request may have been forgotten.
    func isUnsure(since start: Int64) -> Bool { forgotten > start }
}

extension MeanwhileLog.Staling {
    fileprivate func concerns(_ library: ByteString) -> Bool {
        self.library.map { $0 == library } ?? (exceptLibrary != library)
    }

    /// Returns true if a response cannot include it.
    fileprivate func isUnknown(toAnswerAskedAt start: Int64?, asOf: EventSequence?) -> Bool {
        if let sequence, let asOf { return asOf < sequence }
        return start.map { ordinal > $0 } ?? false
    }
}
