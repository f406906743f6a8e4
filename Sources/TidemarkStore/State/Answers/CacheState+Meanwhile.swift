import TidemarkModel

/// Checks each response against everything that happened since its request was made: the one place for queries,
/// documents and the entities of HTTP responses (law L12).
///
/// - Source: Protocol/queries.md, while an answer is on its way.
extension CacheState {
    // MARK: Joining

    /// Returns true if a reader of a query may wait for the response to an earlier request.
    package func mayJoin(_ key: QueryKey, since start: FetchStart) -> Bool {
        let entry = queries.find(key).map { queries[$0] }
        return meanwhile.mayJoin(key.library, since: start.happened) { selection in
            let matcher = SelectionMatcher(selection, types)
            // The types and tags of the response on its way are unknown.
            guard let entry, entry.isStored else { return matcher.mayConcern(key) }
            return matcher.concerns(entry)
        }
    }

    /// Returns true if a reader of a document may wait for the response to an earlier request. Whatever concerns a
    /// library concerns all documents of it.
    package func mayJoin(documentIn library: ByteString, since start: FetchStart) -> Bool {
        meanwhile.mayJoin(library, since: start.happened) { _ in true }
    }

    // MARK: Judging an answer

    /// Returns true if nothing of a response may be stored, because its library was cleared after the request.
    package func isCleared(_ library: ByteString, since start: FetchStart?) -> Bool {
        start.map { meanwhile.isCleared(library, since: $0.happened) } ?? false
    }

    /// Returns the number of a request; a new one for a response that nobody requested, which counts as requested now.
    mutating func question(of start: FetchStart?) -> Int64 {
        if let start { return start.question }
        questionCount += 1
        return questionCount
    }

    /// Returns true if the stored answer of a query is newer than a response that is about to be stored: it was
    /// requested later, and the response is not known to have a higher position in the log.
    func isListNewer(_ query: QueryID, than head: QueryResultHead, _ question: Int64) -> Bool {
        let entry = queries[query]
        guard !head.isLocal, entry.isStored, !entry.isLocal, entry.question > question else { return false }
        guard let own = head.asOf ?? head.start?.cursor, let stored = entry.listedThrough else {
            return true
        }
        return own <= stored
    }

    /// Returns why a response is already stale when it is stored: its list became stale since the request, or after the
    /// response's position. nil if it is fresh.
    func staleCause(of query: QueryID, _ head: QueryResultHead) -> StaleCause? {
        guard !head.isLocal else { return nil }
        return staleCause(of: query, in: head.key.library, asOf: head.asOf, since: head.start)
    }

    /// Marks the list of a response as stale, if it is.
    ///
    /// - Parameter cause: Why the list was stale before the response replaced it; nil if it was not. What concerns only
    ///   the new list counts as well.
    /// - Returns: True if the list is stale.
    mutating func followMeanwhile(_ query: QueryID, _ head: QueryResultHead, _ cause: StaleCause?, at now: Int64)
        -> Bool
    {
        guard let cause = cause ?? staleCause(of: query, head) else { return false }
        markStale(query, because: cause, at: now)
        return true
    }

    /// Returns why a response to a query is already stale when it is stored; nil if it is fresh.
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

    /// Returns the fields of an entity that were written since a request was made, and that its response must not
    /// change.
    ///
    /// - Parameter place: The position in the log of the response; nil if unknown.
    /// - Returns: nil if they are no longer known.
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

    /// Remembers the fields that a response wrote, for other responses that are on their way.
    ///
    /// - Parameter start: What was known when the request began; nil for a response that nobody requested.
    mutating func noteAnsweredFields(
        of key: @autoclosure () -> StoredKey, _ paths: @autoclosure () -> [ByteString], _ start: FetchStart?,
        _ question: Int64, _ place: EventSequence?
    ) {
        guard fetchCount > (start == nil ? 0 : 1) else { return }
        fieldWrites.append(key(), paths(), .question, question: question, place: place)
    }
}
