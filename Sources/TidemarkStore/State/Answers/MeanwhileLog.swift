import TidemarkModel

/// A log of everything that an answer on its way cannot know of: lists became stale, a library was cleared, a request
/// changed something.
///
/// Every answer is judged by it when it is stored, whoever asked for it: a list that became stale after its question
/// was asked is stored stale, an answer that was asked for before a clear is not stored, and a reader that comes after
/// such a thing does not join the older question (law L12). What became stale is remembered with its place in the log,
/// too, for answers that say at which place they are valid.
///
/// Writes of entities are in ``RecentWrites`` and ``FieldWrites``.
///
/// - Source: Protocol/queries.md, while an answer is on its way.
struct MeanwhileLog {
    /// One thing that made lists stale.
    struct Staling {
        /// Grows by one with everything that happens.
        var ordinal: Int64
        /// The library; nil: every library but ``exceptLibrary``.
        var library: ByteString?
        var exceptLibrary: ByteString?
        var selection: CacheState.Selection
        var cause: StaleCause
        /// The sequence of the event that did it: an answer that is valid at this place or a later one includes it. nil
        /// where no event did: then the time of its question decides about an answer.
        var sequence: EventSequence?
        /// The time when it happened, in milliseconds since 1970.
        var at: Int64
    }

    /// The number of things that are remembered: 1,024. When there are more, the oldest counts as one that concerns
    /// every list of its library.
    static let stalingCountMax = 1_024
    /// The bytes of tags and hints that are remembered of one thing: 4,096. With more, they count as absent: then it
    /// concerns all that its other parts select.
    static let detailByteCountMax = 4_096

    /// The number of things that happened so far.
    private(set) var ordinal: Int64 = 0
    /// Oldest first. Bounded by ``stalingCountMax``.
    private(set) var stalings: [Staling] = []
    /// The ordinal up to which stalings were forgotten.
    private var forgotten: Int64 = 0
    /// The ordinal of the last clear of each library, and of all of them. Kept while a question is open; bounded by
    /// `libraryCountMax`.
    private var clears: [ByteString: Int64] = [:]
    private var clearOfAll: Int64 = 0
    /// The ordinal of the last change that a request made in each library. Kept while a question is open; bounded by
    /// `libraryCountMax`.
    private var changes: [ByteString: Int64] = [:]

    // MARK: What happens

    /// Notes that lists became stale.
    ///
    /// - Parameters:
    ///   - library: The library; nil: every library.
    ///   - other: A library that it does not concern.
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

    /// - Parameter library: nil: every library.
    mutating func noteClear(of library: ByteString?) {
        ordinal += 1
        if let library { clears[library] = ordinal } else { clearOfAll = ordinal }
    }

    /// Notes that a request of the host changed something in a library: what the server says of a question that was
    /// asked before may not include it.
    mutating func noteChange(in library: ByteString) {
        ordinal += 1
        changes[library] = ordinal
    }

    /// Notes that the places of a library's log have no meaning any more, because it began anew.
    mutating func endLog(of library: ByteString) {
        for index in stalings.indices where stalings[index].library == library { stalings[index].sequence = nil }
    }

    /// Notes that a library's log continues after a place: later places are those of other events.
    mutating func rewind(_ library: ByteString, to sequence: EventSequence) {
        for index in stalings.indices where stalings[index].library == library {
            if let own = stalings[index].sequence, own > sequence { stalings[index].sequence = nil }
        }
    }

    /// Forgets what only open questions need: none is open.
    mutating func endQuestions() {
        clears = [:]
        changes = [:]
        clearOfAll = 0
    }

    // MARK: What it means for a question

    /// Tells whether a library was cleared after a question was asked.
    func isCleared(_ library: ByteString, since start: Int64) -> Bool {
        clearOfAll > start || clears[library].map { $0 > start } ?? false
    }

    /// Tells whether a reader that comes now may wait for the answer to a question that was asked before.
    ///
    /// - Parameter concerns: Tells whether a selection can concern the reader's list.
    func mayJoin(
        _ library: ByteString, since start: Int64, concerns: (CacheState.Selection) -> Bool
    ) -> Bool {
        guard forgotten <= start, !isCleared(library, since: start) else { return false }
        if let change = changes[library], change > start { return false }
        return !stalings.reversed().prefix { $0.ordinal > start }.contains { staling in
            staling.concerns(library) && concerns(staling.selection)
        }
    }

    /// Returns the first thing that made a list stale and that its answer does not include.
    ///
    /// - Parameters:
    ///   - start: The ordinal when the question was asked; nil for an answer that nobody asked for: it counts as made
    ///     now, and includes everything but what is after its place.
    ///   - asOf: The place at which the answer says to be valid.
    ///   - concerns: Tells whether a selection concerns the list.
    func staling(
        in library: ByteString, since start: Int64?, asOf: EventSequence?, concerns: (CacheState.Selection) -> Bool
    ) -> Staling? {
        stalings.first { staling in
            staling.concerns(library) && staling.isUnknown(toAnswerAskedAt: start, asOf: asOf)
                && concerns(staling.selection)
        }
    }

    /// Tells whether something may have been forgotten that happened after a question was asked.
    func isUnsure(since start: Int64) -> Bool { forgotten > start }
}

extension MeanwhileLog.Staling {
    fileprivate func concerns(_ library: ByteString) -> Bool {
        self.library.map { $0 == library } ?? (exceptLibrary != library)
    }

    /// Tells whether an answer cannot include it.
    fileprivate func isUnknown(toAnswerAskedAt start: Int64?, asOf: EventSequence?) -> Bool {
        if let sequence, let asOf { return asOf < sequence }
        return start.map { ordinal > $0 } ?? false
    }
}
