import TidemarkModel

extension Evaluation {
    /// The entities of a source that fulfil its conditions, given the entities that are bound.
    ///
    /// - Complexity: O(entities of the smallest bucket among those of the conditions).
    mutating func matches(_ source: PlanSource) -> MatchedEntities {
        var best: (condition: Int, keys: JoinKeys, count: Int)?
        for (index, condition) in source.conditions.enumerated() {
            guard let keys = rightKeys(condition) else { continue }
            if source.conditions.count == 1 {
                best = (index, keys, 0)
                break
            }
            let count = keys.reduce(0) { $0 + bucketCount(condition, source, $1) }
            if count < best?.count ?? .max { best = (index, keys, count) }
        }
        guard let best else { return MatchedEntities(all(source).filter { accepts(source, $0) }) }
        let condition = source.conditions[best.condition]
        let former = slots[source.slot]
        defer { slots[source.slot] = former }
        var found = MatchedEntities()
        func note(_ number: EntityNumber) {
            slots[source.slot] = number
            if acceptsBound(source, foundBy: best.condition) { found.append(number) }
        }
        if best.keys.count == 1 {
            entities(source, condition.left, condition.leftIndex, best.keys[0]).forEach(note)
            return found
        }
        var candidates: Set<EntityNumber> = []
        for key in best.keys {
            entities(source, condition.left, condition.leftIndex, key).forEach { candidates.insert($0) }
        }
        candidates.forEach(note)
        return found
    }

    private func bucketCount(_ condition: PlanCondition, _ source: PlanSource, _ key: ByteString) -> Int {
        condition.leftIndex.map { indexes.relations[source.relation].indexes[$0].count(of: key) } ?? 1
    }

    /// The entities of a source's relation with a key.
    func entities(_ source: PlanSource, _ extractor: KeyExtractor, _ index: Int?, _ key: ByteString) -> EntityBucket {
        if let index {
            log?.note(BucketID(relation: source.relation, index: index, key: key))
            return indexes.relations[source.relation].indexes[index].entities(key)
        }
        guard case .identity = extractor else { return .none }
        let key = ViewKey(type: source.type, id: key)
        log?.note(entity: key)
        guard let number = indexes.table.number(of: key), indexes.relations[source.relation].members.contains(number)
        else { return .none }
        return .one(number)
    }

    /// All entities of a source's relation.
    func all(_ source: PlanSource) -> [EntityNumber] {
        var numbers: [EntityNumber] = []
        indexes.relations[source.relation].members.forEach { numbers.append($0) }
        return numbers
    }

    /// Returns true if an entity fulfils the conditions of a source, given the entities that are bound. Its slot is as
    /// before afterwards.
    mutating func accepts(_ source: PlanSource, _ number: EntityNumber) -> Bool {
        let former = slots[source.slot]
        slots[source.slot] = number
        defer { slots[source.slot] = former }
        return acceptsBound(source)
    }

    /// Returns true if the entity at the slot of a source fulfils the source's conditions.
    ///
    /// - Parameter known: The condition that holds, because the entity was found by it; nil for none.
    func acceptsBound(_ source: PlanSource, foundBy known: Int? = nil) -> Bool {
        for index in source.conditions.indices where index != known {
            if !holds(source.conditions[index], source) { return false }
        }
        if let residual = source.residual, !holds(residual) { return false }
        if let deferred = source.deferred, binding != nil, !holds(deferred) { return false }
        return true
    }

    /// Returns true if the entities that are bound fulfil a condition; true for a parameter that is not bound.
    func holds(_ condition: PlanCondition, _ source: PlanSource) -> Bool {
        guard let right = rightKeys(condition) else { return true }
        guard !right.isEmpty else { return false }
        return keys(condition.left, source.slot).meets(right)
    }
}
