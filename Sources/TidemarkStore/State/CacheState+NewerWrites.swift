import TidemarkModel

/// What is written while an answer is on its way, or after the place in the log that it stands for, wins over it.
extension CacheState {
    /// Whether writes are remembered for answers that may be older than they are.
    var isAwaitingAnswers: Bool { fetchCount > 0 || queries.remoteRuleCount > 0 }

    /// A fetch begins: what is written from now on wins over its answer.
    package mutating func beginFetch(in library: ByteString) -> FetchStart {
        if !isAwaitingAnswers { forgetRecentWrites() }
        fetchCount += 1
        let index = libraryNames.existingIndex(of: library)
        return FetchStart(
            write: recentWrites.ordinal, cursor: index.flatMap { cursor(of: $0) },
            generation: index.map { libraries[Int($0)].gate.generation } ?? 0)
    }

    /// Whoever begins to remember writes knows nothing of those that were.
    ///
    /// - Complexity: O(libraries).
    mutating func forgetRecentWrites() {
        recentWrites.clear()
        for index in libraries.indices {
            recentWrites.forget(through: knownThrough(LibraryIndex(index)), in: LibraryIndex(index))
        }
    }

    /// The highest sequence that a stored value may stand for.
    func knownThrough(_ library: LibraryIndex) -> EventSequence? {
        guard let answered = libraries[Int(library)].answeredThrough else { return cursor(of: library) }
        return cursor(of: library).map { max($0, answered) } ?? answered
    }

    /// A fetch is over, whatever came of it.
    package mutating func endFetch() {
        fetchCount -= 1
        if !isAwaitingAnswers { recentWrites.clear() }
    }

    func cursor(of library: LibraryIndex) -> EventSequence? {
        let cursor = libraries[Int(library)].gate.cursor
        return cursor == .beforeFirst ? nil : cursor
    }

    /// What was written after an answer was made.
    struct NewerWrites {
        var keys: Set<StoredKey>
        var writes: [RecentWrites.Write]
        /// Some writes are not remembered: a list whose rule depends on them is stale from the start.
        var isPartial: Bool
        /// Sequences above it win; nil: only `keys` do.
        var asOf: EventSequence?
        /// Too much was written while the answer was on its way: whatever is not known to be older stays.
        var isUnsure = false
    }

    /// A log that began anew while an answer was on its way leaves nothing to compare its sequence with.
    func comparable(_ asked: AnswerHead) -> AnswerHead {
        guard let start = asked.start, let library = libraryNames.existingIndex(of: asked.key.library),
            start.generation != libraries[Int(library)].gate.generation
        else { return asked }
        var head = asked
        head.asOf = nil
        head.start?.cursor = nil
        return head
    }

    /// Keys that an answer touches, or that were written while it was on its way, and that only the journal may have.
    package func keysToLoad(for batch: EventBatch, _ asked: AnswerHead) -> [StoredKey] {
        let keys = keysToLoad(for: batch)
        guard absentCount > 0, asked.membership != nil, !asked.isLocal,
            let library = libraryNames.existingIndex(of: asked.key.library)
        else { return keys }
        let newer = newerWrites(than: comparable(asked), in: library).writes.map(\.key)
        return Array(Set(keys).union(newer.filter { !isKnown($0) }))
    }

    func newerWrites(than head: AnswerHead, in library: LibraryIndex) -> NewerWrites {
        if let asOf = head.asOf {
            let sequenced = recentWrites.writes(after: asOf, in: library)
            let meanwhile = head.start.map { recentWrites.writes(after: $0.write) } ?? []
            // A write with a sequence is judged by that alone, one without by when it came.
            let unsequenced = (meanwhile ?? []).filter { $0.sequence == nil && $0.key.library == library }
            let isBehind = knownThrough(library).map { $0 > asOf } ?? false
            return NewerWrites(
                keys: Set(unsequenced.map(\.key)), writes: sequenced.writes + unsequenced,
                isPartial: isBehind && !sequenced.isWhole, asOf: asOf, isUnsure: meanwhile == nil)
        }
        guard let start = head.start else { return NewerWrites(keys: [], writes: [], isPartial: false) }
        guard let remembered = recentWrites.writes(after: start.write) else {
            return NewerWrites(keys: [], writes: [], isPartial: true, asOf: start.cursor, isUnsure: true)
        }
        // The answer was made when the log was at the cursor, or later: it holds what a late event up to there says.
        let writes = remembered.filter { write in
            guard write.isLate, let sequence = write.sequence else { return true }
            return start.cursor.map { sequence > $0 } ?? true
        }
        // Another answer that came meanwhile, for a higher place, may be newer or older. It stays: what is behind its place will
        // come as events, and what is before it never again.
        let answers = recentWrites.answers(after: start.write).filter { write in
            guard write.key.library == library, let sequence = write.sequence else { return false }
            return start.cursor.map { sequence > $0 } ?? true
        }
        if !answers.isEmpty {
            let all = writes + answers
            return NewerWrites(keys: Set(all.map(\.key)), writes: all, isPartial: false, asOf: nil)
        }
        return NewerWrites(keys: Set(writes.map(\.key)), writes: writes, isPartial: false, asOf: nil)
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
