import TidemarkModel

/// Writes that win over an answer: those made while it is on its way, or after the place in the log that it stands for.
extension CacheState {
    /// Whether writes are remembered for answers that may be older than they are.
    var isAwaitingAnswers: Bool { fetchCount > 0 || queries.remoteRuleCount > 0 }

    /// Begins a fetch: what happens from now on wins over its answer.
    package mutating func beginFetch(in library: ByteString) -> FetchStart {
        if !isAwaitingAnswers { forgetRecentWrites() }
        fetchCount += 1
        questionCount += 1
        let index = libraries.index(of: library)
        return FetchStart(
            write: recentWrites.ordinal, fieldWrite: fieldWrites.ordinal, cursor: index.flatMap { cursor(of: $0) },
            generation: generation(of: library), question: questionCount, happened: meanwhile.ordinal)
    }

    /// Returns the generation of a library's log; 0 for a library that is not known.
    package func generation(of library: ByteString) -> UInt32 {
        libraries.index(of: library).map { libraries[$0].gate.generation } ?? 0
    }

    /// Empties the memory of writes before it is used again: writes until now are not known.
    ///
    /// - Complexity: O(libraries).
    mutating func forgetRecentWrites() {
        recentWrites.clear()
        fieldWrites.clear()
        for library in libraries.indexes {
            recentWrites.forget(through: knownThrough(library), in: library)
        }
    }

    /// The highest sequence that a stored value may stand for.
    func knownThrough(_ library: LibraryIndex) -> EventSequence? {
        guard let answered = libraries[library].answeredThrough else { return cursor(of: library) }
        return cursor(of: library).map { max($0, answered) } ?? answered
    }

    /// Ends a fetch, whatever its result.
    package mutating func endFetch() {
        fetchCount -= 1
        if fetchCount == 0 { meanwhile.endQuestions() }
        if !isAwaitingAnswers {
            recentWrites.clear()
            fieldWrites.clear()
        }
    }

    func cursor(of library: LibraryIndex) -> EventSequence? {
        let cursor = libraries[library].gate.cursor
        return cursor == .beforeFirst ? nil : cursor
    }

    /// The writes since an answer was made.
    struct NewerWrites {
        /// The entities that stay as they are as wholes.
        var keys: Set<StoredKey>
        var writes: [RecentWrites.Write]
        /// Whether some writes are not remembered: a list whose rule depends on them is stale from the start.
        var isPartial: Bool
        /// Writes with a sequence above this one win; nil: only `keys` do.
        var asOf: EventSequence?
        /// Whether too much was written while the answer was on its way: a value that is not known to be older stays.
        var isUnsure = false
    }

    /// Removes the sequence from an answer when the log began anew meanwhile: there is nothing to compare it with.
    func comparable(_ asked: AnswerHead) -> AnswerHead {
        guard let start = asked.start, let library = libraries.index(of: asked.key.library),
            start.generation != libraries[library].gate.generation
        else { return asked }
        var head = asked
        head.asOf = nil
        head.start?.cursor = nil
        return head
    }

    /// Returns the keys that an answer touches, or that were written while it was on its way, and that only the journal
    /// may have.
    package func keysToLoad(for batch: EventBatch, _ asked: AnswerHead) -> [StoredKey] {
        let keys = keysToLoad(for: batch)
        guard residency.hasAbsent, asked.membership != nil, !asked.isLocal,
            let library = libraries.index(of: asked.key.library)
        else { return keys }
        let newer = newerWrites(than: comparable(asked), in: library).writes.map(\.key)
        return Array(Set(keys).union(newer.filter { !isKnown($0) }))
    }

    func newerWrites(than head: AnswerHead, in library: LibraryIndex) -> NewerWrites {
        newerWrites(asOf: head.asOf, start: head.start, in: library)
    }

    func newerWrites(asOf: EventSequence?, start: FetchStart?, in library: LibraryIndex) -> NewerWrites {
        if let asOf {
            let sequenced = recentWrites.writes(after: asOf, in: library)
            let meanwhile = start.map { recentWrites.writes(after: $0.write) } ?? []
            // A write with a sequence is compared by that alone; one without, by its time of arrival.
            let unsequenced = (meanwhile ?? []).filter { $0.sequence == nil && $0.key.library == library }
            let isBehind = knownThrough(library).map { $0 > asOf } ?? false
            return NewerWrites(
                keys: Self.wholeKeys(unsequenced), writes: sequenced.writes + unsequenced,
                isPartial: isBehind && !sequenced.isWhole, asOf: asOf, isUnsure: meanwhile == nil)
        }
        guard let start else { return NewerWrites(keys: [], writes: [], isPartial: false) }
        guard let remembered = recentWrites.writes(after: start.write) else {
            return NewerWrites(keys: [], writes: [], isPartial: true, asOf: start.cursor, isUnsure: true)
        }
        // The answer was made when the log was at the cursor, or later: it includes late events up to there.
        let writes = remembered.filter { write in
            guard write.isLate, let sequence = write.sequence else { return true }
            return start.cursor.map { sequence > $0 } ?? true
        }
        // Another answer that came meanwhile, for a higher place, may be newer or older. It stays: events after its
        // place will come, and events before it never come again.
        let answers = recentWrites.answers(after: start.write).filter { write in
            guard write.key.library == library, let sequence = write.sequence else { return false }
            return start.cursor.map { sequence > $0 } ?? true
        }
        if !answers.isEmpty {
            let all = writes + answers
            return NewerWrites(keys: Self.wholeKeys(all), writes: all, isPartial: false, asOf: nil)
        }
        return NewerWrites(keys: Self.wholeKeys(writes), writes: writes, isPartial: false, asOf: nil)
    }

    /// The entities of writes that are judged as wholes, not by their fields.
    private static func wholeKeys(_ writes: [RecentWrites.Write]) -> Set<StoredKey> {
        Set(writes.lazy.filter { $0.extent != .fields }.map(\.key))
    }

    func isNewer(
        _ stamp: EntityStamp, _ key: @autoclosure () -> StoredKey, than newer: NewerWrites, generation: UInt32
    ) -> Bool {
        if !newer.keys.isEmpty, newer.keys.contains(key()) { return true }
        if newer.isUnsure, stamp.sequence == nil || newer.asOf == nil { return true }
        guard let asOf = newer.asOf, let sequence = stamp.sequence, stamp.generation == generation else { return false }
        return sequence > asOf
    }
}
