import TidemarkModel

/// Each answer is held against everything that happened since its question was asked: one place for queries, documents
/// and the entities of HTTP answers (law L12).
///
/// - Source: Protocol/queries.md, while an answer is on its way.
extension CacheState {
    // MARK: Joining

    /// Tells whether a reader of a query may wait for the answer to a question that was asked before.
    package func mayJoin(_ key: QueryKey, since start: FetchStart) -> Bool {
        let entry = queries.find(key).map { queries[$0] }
        return meanwhile.mayJoin(key.library, since: start.happened) { selection in
            let matcher = SelectionMatcher(selection, types)
            // Nothing is known of the types and tags that the answer on its way will have.
            guard let entry, entry.isStored else { return matcher.mayConcern(key) }
            return matcher.concerns(entry)
        }
    }

    /// Tells whether a reader of a document may wait for the answer to a question that was asked before. Every document
    /// counts as concerned by what concerns its library.
    package func mayJoin(documentIn library: ByteString, since start: FetchStart) -> Bool {
        meanwhile.mayJoin(library, since: start.happened) { _ in true }
    }

    // MARK: Judging an answer

    /// Tells whether nothing of an answer may be stored, because its library was cleared after it was asked for.
    package func isCleared(_ library: ByteString, since start: FetchStart?) -> Bool {
        start.map { meanwhile.isCleared(library, since: $0.happened) } ?? false
    }

    /// Returns the number of a question; a new one for an answer that nobody asked for: it counts as asked for now.
    mutating func question(of start: FetchStart?) -> Int64 {
        if let start { return start.question }
        questionCount += 1
        return questionCount
    }

    /// Tells whether the stored answer of a query is newer than one that is about to be stored: it was asked for later,
    /// and the other one is not known to stand for a higher place in the log.
    func isListNewer(_ query: QueryID, than head: AnswerHead, _ question: Int64) -> Bool {
        let entry = queries[query]
        guard !head.isLocal, entry.isStored, !entry.isLocal, entry.question > question else { return false }
        guard let own = head.asOf ?? head.start?.cursor, let stored = entry.listedThrough else {
            return true
        }
        return own <= stored
    }

    /// Returns the cause for which an answer is stale although it is about to be stored: its list became stale since it
    /// was asked for, or after the place that it stands for.
    func staleCause(of query: QueryID, _ head: AnswerHead) -> StaleCause? {
        guard !head.isLocal else { return nil }
        return staleCause(of: query, in: head.key.library, asOf: head.asOf, since: head.start)
    }

    /// Marks the list of an answer stale for such a cause.
    ///
    /// - Parameter cause: The cause that concerned the list before the answer replaced it; one that concerns the new
    ///   list counts as well.
    /// - Returns: Whether there is one.
    mutating func followMeanwhile(_ query: QueryID, _ head: AnswerHead, _ cause: StaleCause?, at now: Int64) -> Bool {
        guard let cause = cause ?? staleCause(of: query, head) else { return false }
        markStale(query, because: cause, at: now)
        return true
    }

    /// Returns the cause for which an answer to a query is stale although it is about to be stored.
    func staleCause(
        of query: QueryID, in library: ByteString, asOf: EventSequence?, since start: FetchStart?
    ) -> StaleCause? {
        let entry = queries[query]
        let staling = meanwhile.staling(in: library, since: start?.happened, asOf: asOf) {
            SelectionMatcher($0, types).concerns(entry)
        }
        if let staling { return staling.cause }
        if let asOf, libraries[entry.library].staleThrough.concernsAnswer(at: asOf) { return .event }
        if let start, meanwhile.isUnsure(since: start.happened) { return .answer }
        return nil
    }

    // MARK: Fields

    /// Returns the fields of an entity that were written since a question was asked, and that its answer leaves.
    ///
    /// - Parameter place: The place in the log that the answer stands for.
    /// - Returns: nil when that is not known any more.
    func newerFields(
        of key: StoredKey, since start: FetchStart, _ place: EventSequence?, isMutation: Bool = false
    ) -> Set<ByteString>? {
        let generation = libraries[key.library].gate.generation
        return fieldWrites.paths(
            of: key,
            over: FieldWrites.Answer(
                start: start.fieldWrite, question: start.question, isMutation: isMutation,
                place: start.generation == generation ? place : nil))
    }

    /// Remembers the fields that an answer wrote, for other answers that are on their way.
    ///
    /// - Parameter start: The mark of its question; nil for an answer that nobody asked for.
    mutating func noteAnsweredFields(
        of key: @autoclosure () -> StoredKey, _ paths: @autoclosure () -> [ByteString], _ start: FetchStart?,
        _ question: Int64, _ place: EventSequence?
    ) {
        guard fetchCount > (start == nil ? 0 : 1) else { return }
        fieldWrites.append(key(), paths(), .question, question: question, place: place)
    }
}
