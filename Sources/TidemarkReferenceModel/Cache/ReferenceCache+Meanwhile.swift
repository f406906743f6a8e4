// What happens between a question and its answer: everything is remembered, and each answer is held against all of it.

/// Something that made lists stale.
struct ReferenceStaling: Sendable {
    /// The library; nil: all of them.
    let library: [UInt8]?
    /// The place in the library's log: of the event, or the cursor at that moment.
    let place: Int64?
    /// Whether an event of the log did it: an answer from its place on includes it.
    let isEvent: Bool
    let generation: Int
    let concerns: @Sendable (ReferenceQueryName, ReferenceQuery) -> Bool
}

/// The fields that an answer wrote.
struct ReferenceAnsweredFields: Sendable {
    let key: ReferenceKey
    let names: [[UInt8]]
    /// The place in the log that the answer stands for.
    let place: Int64?
    let generation: Int
    let question: Int
}

extension ReferenceCache {
    /// Marks queries as stale, and remembers it for answers on their way.
    ///
    /// - Parameter event: The sequence of the event that did it; nil for a request, and for an event without one.
    /// - Returns: The number of queries that were not stale before.
    @discardableResult
    mutating func makeStale(
        in library: [UInt8]?, event: Int64?, hasPlace: Bool = true,
        _ concerns: @escaping @Sendable (ReferenceQueryName, ReferenceQuery) -> Bool
    ) -> Int {
        let own = library.flatMap { libraries[$0] }
        let place = hasPlace ? event ?? own?.cursor : nil
        stalings.append(
            ReferenceStaling(
                library: library, place: place, isEvent: event != nil, generation: own?.generation ?? 0,
                concerns: concerns))
        if let library, let place {
            let generation = own?.generation ?? 0
            var highest = place
            if let known = staleThrough[library], known.generation == generation { highest = max(highest, known.place) }
            staleThrough[library] = (highest, generation)
        }
        return markStale { (library == nil || $0.library == library) && concerns($0, $1) }
    }

    /// Whether an answer is stale although it comes now.
    func isOutdated(_ name: ReferenceQueryName, _ query: ReferenceQuery, asOf: Int64?, _ fetch: ReferenceFetch?) -> Bool
    {
        let generation = libraries[name.library]?.generation ?? 0
        for (index, staling) in stalings.enumerated()
        where staling.library.map({ $0 == name.library }) ?? true && staling.concerns(name, query) {
            let isLater = fetch.map { index >= $0.stalingCount } ?? false
            let place = staling.generation == generation ? staling.place : nil
            let isBefore = asOf.flatMap { asOf in place.map { asOf < $0 } } ?? false
            if staling.isEvent, asOf != nil, place != nil {
                if isBefore { return true }
            } else if isLater || isBefore {
                return true
            }
        }
        // What happened before a restart is known by its place alone.
        if let asOf, let known = staleThroughBefore[name.library], known.generation == generation {
            return asOf < known.place
        }
        return false
    }

    /// Whether a library was cleared after a question was asked.
    func isCleared(_ library: [UInt8], since fetch: ReferenceFetch?) -> Bool {
        guard let fetch else { return false }
        return clears[fetch.clearCount...].contains { $0 == nil || $0 == library }
    }

    /// Whether the list of a query stays, because it answers a later question.
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

    /// The fields of an entity that an answer leaves, because the answer to a later question wrote them.
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

    /// The number of a question; a new one for an answer that nobody asked for.
    mutating func question(of fetch: ReferenceFetch?) -> Int {
        if let fetch { return fetch.question }
        questionCount += 1
        return questionCount
    }
}
