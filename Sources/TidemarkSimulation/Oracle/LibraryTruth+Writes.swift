/// Writes by other sources than the log.
extension LibraryTruth {
    /// Records that an answer or a confirmation was stored.
    ///
    /// - Parameters:
    ///   - sequence: The answer's position in a log. A cache without a log takes it for a position in the first log
    ///     that it receives.
    ///   - isCertain: False if the answer may be stored now, later or not at all.
    ///   - askedAfter: The ``leftLogCount`` at the time of the question. If the log was left since, the position is
    ///     void.
    ///   - isWhole: True if the answer has every field of the entity.
    ///   - hasPlace: True if the answer names its position; false if it is as old as its question.
    ///   - keepsPlace: True for the confirmation of an edit that names no position: the entity keeps its own.
    ///   - isMutation: True for the answer to a mutation.
    ///   - question: The number of its question. Answers to questions from before a clear are not stored.
    package mutating func answer(
        _ id: String, _ fields: ItemFields, log: Int, sequence: Int64, askedAfter: Int, isWhole: Bool = true,
        hasPlace: Bool = true, keepsPlace: Bool = false, isMutation: Bool = false, question: Int = 0, isCertain: Bool
    ) {
        guard question > clearedAt else { return }
        let known = candidates(id)
        onTheWay[id, default: []].append(
            Answer(
                fields: fields, log: log, sequence: sequence, isWhole: isWhole, hasPlace: hasPlace,
                keepsPlace: keepsPlace, isMutation: isMutation, question: question))
        if !hasBegun { origins[id, default: []].insert(log) }
        guard log == self.log && askedAfter == leftLogCount || !hasBegun else {
            blurred.insert(id)
            // The cache cannot detect this: it takes the position for one in the log that it follows.
            believe(
                id,
                known.union(known.map { Candidate(fields: $0.fields?.merged(fields) ?? fields) })
                    .union(known.flatMap { $0.all(after: fields, sequence: sequence, isWhole: isWhole) }))
            return
        }
        let after = Set(
            known.flatMap {
                $0.all(
                    after: fields, sequence: sequence, isWhole: isWhole, hasPlace: hasPlace, keepsPlace: keepsPlace,
                    isMutation: isMutation, question: question)
            })
        believe(id, isCertain ? after : known.union(after))
    }

    /// Records that the library was cleared after a number of questions.
    package mutating func clear(after questionCount: Int) {
        (entities, origins, onTheWay, blurred, overflowed, removals) = ([:], [:], [:], [], [], [])
        clearedAt = questionCount
        hasGaps = true
    }

    /// Records that an entity was removed, or may have been.
    package mutating func remove(_ id: String, isCertain: Bool) {
        let known = candidates(id)
        let gone: Set = [Candidate(fields: nil)]
        entities[id] = isCertain ? gone : known.union(gone)
        if !isCertain { removals.insert(id) }
        hasGaps = true
    }
}
