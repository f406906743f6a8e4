// What happens between a question and its answer: everything is remembered, and each answer is compared with all of it.

/// A cause that made lists stale.
struct ReferenceStaling: Sendable {
    /// The library; nil for all libraries.
    let library: [UInt8]?
    /// The sequence of the event that was the cause, included in answers from there on; nil if no event was.
    let place: Int64?
    let generation: Int
    let concerns: @Sendable (ReferenceQueryName, ReferenceQuery) -> Bool
}

/// The fields that a result wrote.
struct ReferenceAnsweredFields: Sendable {
    let key: ReferenceKey
    let names: [[UInt8]]
    /// The log position that the result counts for.
    let place: Int64?
    let generation: Int
    let question: Int
}

extension ReferenceCache {
    /// Marks queries as stale, and records the cause for answers on their way.
    ///
    /// - Parameter event: The sequence of the event that is the cause; nil for a request, and for an event without one.
    /// - Returns: The number of queries that were not stale before.
    @discardableResult
    mutating func makeStale(
        in library: [UInt8]?, event place: Int64?,
        _ concerns: @escaping @Sendable (ReferenceQueryName, ReferenceQuery) -> Bool
    ) -> Int {
        let own = library.flatMap { libraries[$0] }
        stalings.append(
            ReferenceStaling(
                library: library, place: place, generation: own?.generation ?? 0, concerns: concerns))
        if let library, let place {
            let generation = own?.generation ?? 0
            var highest = place
            if let known = staleThrough[library], known.generation == generation { highest = max(highest, known.place) }
            staleThrough[library] = (highest, generation)
        }
        return markStale { (library == nil || $0.library == library) && concerns($0, $1) }
    }

    /// True if a result that arrives now is stale already.
    func isOutdated(_ name: ReferenceQueryName, _ query: ReferenceQuery, asOf: Int64?, _ fetch: ReferenceFetch?) -> Bool
    {
        let generation = libraries[name.library]?.generation ?? 0
        let old = queries[name]
        for (index, staling) in stalings.enumerated()
        where staling.library.map({ $0 == name.library }) ?? true {
            guard staling.concerns(name, query) || old.map({ staling.concerns(name, $0) }) ?? false else { continue }
            if let asOf, let place = staling.place, staling.generation == generation {
                if asOf < place { return true }
            } else if fetch.map({ index >= $0.stalingCount }) ?? false {
                return true
            }
        }
        // Causes from before a restart are known only by their sequence.
        if let asOf, let known = staleThroughBefore[name.library], known.generation == generation {
            return asOf < known.place
        }
        return false
    }

    /// True if a library was cleared after a question was asked.
    func isCleared(_ library: [UInt8], since fetch: ReferenceFetch?) -> Bool {
        guard let fetch else { return false }
        return clears[fetch.clearCount...].contains { $0 == nil || $0 == library }
    }

    /// True if the stored list of a query stays, because it answers a later question.
    func keepsList(
        _ name: ReferenceQueryName, _ answer: ReferenceAnswer, asOf: Int64?, _ start: Int64?, _ question: Int
    )
        -> Bool
    {
        guard let query = queries[name], !query.isLocal, !answer.isLocal, query.question > question else {
            return false
        }
        guard let own = asOf ?? start, let stored = query.listedThrough,
            query.generation == libraries[name.library]?.generation ?? 0
        else { return true }
        return own <= stored
    }

    /// Returns the fields of an entity that a result must not write, because the answer to a later question wrote them.
    func fieldsOfLaterAnswers(
        _ key: ReferenceKey, _ fetch: ReferenceFetch?, place: Int64?, _ question: Int
    ) -> [[UInt8]] {
        guard let fetch else { return [] }
        let generation = libraries[key.library]?.generation ?? 0
        let own = fetch.generation == generation ? place : nil
        return answeredFields[fetch.answeredCount...].filter { other in
            guard other.key == key else { return false }
            let place = other.generation == generation ? other.place : nil
            if let own, let place, own != place { return place > own }
            return other.question > question
        }.flatMap(\.names)
    }

    /// Returns the number of a question; a new one for an unsolicited result.
    mutating func question(of fetch: ReferenceFetch?) -> Int {
        if let fetch { return fetch.question }
        questionCount += 1
        return questionCount
    }
}
