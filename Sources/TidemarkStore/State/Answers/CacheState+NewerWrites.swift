import TidemarkModel

/// Finds writes that win over a response: those made while it was on its way, or after its position in the log.
extension CacheState {
    /// True while writes are remembered for responses that may be older than they are.
    var isAwaitingAnswers: Bool { fetchCount > 0 || queries.remoteRuleCount > 0 }

    /// Begins a fetch. What happens from now on wins over its response. Each call needs an ``endFetch()``.
    package mutating func beginFetch(in library: ByteString) -> FetchStart {
        if !isAwaitingAnswers { forgetRecentWrites() }
        fetchCount += 1
        questionCount += 1
        let index = libraries.index(of: library)
        return FetchStart(
            write: recentWrites.ordinal, fieldWrite: fieldWrites.ordinal, cursor: index.flatMap { cursor(of: $0) },
            generation: generation(of: library), question: questionCount, happened: meanwhile.ordinal)
    }

    /// Returns the generation of a library's log; 0 for an unknown library.
    package func generation(of library: ByteString) -> UInt32 {
        libraries.index(of: library).map { libraries[$0].gate.generation } ?? 0
    }

    /// Empties the memory of writes before it is used again. Earlier writes are then treated as unknown.
    ///
    /// - Complexity: O(libraries).
    mutating func forgetRecentWrites() {
        recentWrites.clear()
        fieldWrites.clear()
        for library in libraries.indexes {
            recentWrites.forget(through: knownThrough(library), in: library)
        }
    }

    /// The highest sequence that a stored value of the library may include; nil if there is none.
    func knownThrough(_ library: LibraryIndex) -> EventSequence? {
        guard let answered = libraries[library].answeredThrough else { return cursor(of: library) }
        return cursor(of: library).map { max($0, answered) } ?? answered
    }

    /// Ends a fetch that succeeded, failed or was cancelled.
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

    /// The writes that win over a response.
    struct NewerWrites {
        /// The entities that keep their stored value as a whole.
        var keys: Set<StoredKey>
        /// The remembered writes, oldest first.
        var writes: [RecentWrites.Write]
        /// True if some writes are not remembered. A list whose rule depends on them is stale from the start.
        var isPartial: Bool
        /// Writes with a sequence above this one win; nil if only `keys` do.
        var asOf: EventSequence?
        /// True if too much was written while the response was on its way: a value that is not known to be older stays.
        var isUnsure = false
    }

    /// Removes the positions from a response if its log was replaced in the meantime, because they cannot be compared.
    func comparable(_ asked: QueryResultHead) -> QueryResultHead {
        guard let start = asked.start, let library = libraries.index(of: asked.key.library),
            start.generation != libraries[library].gate.generation
        else { return asked }
        var head = asked
        head.asOf = nil
        head.start?.cursor = nil
        return head
    }

    /// Returns the keys that a response touches, or that were written while it was on its way, and that only the
    /// journal may have.
    package func keysToLoad(for batch: EventBatch, _ asked: QueryResultHead) -> [StoredKey] {
        let keys = keysToLoad(for: batch)
        guard residency.hasAbsent, asked.membership != nil, !asked.isLocal,
            let library = libraries.index(of: asked.key.library)
        else { return keys }
        let newer = newerWrites(than: comparable(asked), in: library).writes.map(\.key)
        return Array(Set(keys).union(newer.filter { !isKnown($0) }))
    }

    func newerWrites(than head: QueryResultHead, in library: LibraryIndex) -> NewerWrites {
        newerWrites(asOf: head.asOf, start: head.start, in: library)
    }

    func newerWrites(asOf: EventSequence?, start: FetchStart?, in library: LibraryIndex) -> NewerWrites {
        if let asOf {
            let sequenced = recentWrites.writes(after: asOf, in: library)
            let meanwhile = start.map { recentWrites.writes(after: $0.write) } ?? []
            // A write with a sequence is compared by it alone; one without, by its time.
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
        // The response was made when the log was at the cursor or later, so it includes late events up to there.
        let writes = remembered.filter { write in
            guard write.isLate, let sequence = write.sequence else { return true }
            return start.cursor.map { sequence > $0 } ?? true
        }
        // Another response that arrived in the meantime, with a higher position, may be newer or older. It stays:
        // events after its position will still arrive, but those before it never will again.
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

    /// Returns the entities of writes that protect the whole entity, not only its fields.
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
