import TidemarkModel

extension Evaluation {
    /// Binds the sources of steps one after the other, in every way that fulfils their conditions.
    ///
    /// A source of a row that is bound before the walk keeps its entity, which is checked.
    ///
    /// - Parameters:
    ///   - first: The step to begin with.
    ///   - end: The step to end before.
    ///   - body: Called for each way. Returns false to end the walk.
    /// - Returns: False if the body ended the walk.
    @discardableResult
    mutating func walk(
        _ steps: [PlanStep], from first: Int, to end: Int, _ body: (inout Evaluation) -> Bool
    ) -> Bool {
        guard first < end else { return body(&self) }
        let step = steps[first]
        let slot = step.source.slot
        switch step.kind {
        case .exists, .absent:
            guard check(step) == (step.kind == .exists) else { return true }
            return walk(steps, from: first + 1, to: end, body)
        case .from, .inner, .left:
            if slots[slot] != EntityTable.none {
                if collectsAsks { ask(step.source) }
                guard acceptsBound(step.source) else { return true }
                return walk(steps, from: first + 1, to: end, body)
            }
        }
        var found =
            step.kind == .from
            ? MatchedEntities(all(step.source).filter { accepts(step.source, $0) }) : matches(step.source)
        if collectsAsks, found.count != 1 || log != nil || asksForSeveral(step.source) { ask(step.source) }
        if leavesOutChanged, let changedEntities {
            found = MatchedEntities(found.filter { !changedEntities.contains($0) })
        }
        if found.isEmpty, step.kind == .left { return walk(steps, from: first + 1, to: end, body) }
        defer { slots[slot] = EntityTable.none }
        for number in found {
            slots[slot] = number
            guard walk(steps, from: first + 1, to: end, body) else { return false }
        }
        return true
    }

    /// Returns true if an `exists` or `absent` has a match, given the entities that are bound.
    mutating func check(_ step: PlanStep) -> Bool {
        let steps = step.checkSteps
        if binding == nil, let route = plan.route, case .check(step.source.step, let condition) = route.origin,
            step.source.number == plan.body.steps[step.source.step].source.number
        {
            return collectRoute(step, condition)
        }
        guard collectsAsks, step.asks else {
            return !walk(steps, from: 0, to: steps.count) { _ in false }
        }
        // Every question counts, also one behind the first match.
        var isFound = false
        walk(steps, from: 0, to: steps.count) { _ in
            isFound = true
            return true
        }
        return isFound
    }

    /// Returns true if an `exists` or `absent` has a match that the change does not touch, given the entities that are
    /// bound: then it has one before and after the change, and no row depends on the change.
    ///
    /// - Returns: False also where leaving entities out could add matches: with a left join, or a check inside.
    mutating func hasUnchangedMatch(_ step: PlanStep) -> Bool {
        guard changedEntities != nil, binding != nil, !step.asks, step.checkSteps.allSatisfy({ $0.kind == .inner })
        else { return false }
        leavesOutChanged = true
        defer { leavesOutChanged = false }
        return !walk(step.checkSteps, from: 0, to: step.checkSteps.count) { _ in false }
    }

    /// Collects the keys of all matches, by which the uses are found for which the check holds.
    private mutating func collectRoute(_ step: PlanStep, _ condition: Int) -> Bool {
        var keys: Set<ByteString> = []
        let left = step.source.conditions[condition].left
        walk(step.checkSteps, from: 0, to: step.checkSteps.count) { evaluation in
            keys.formUnion(evaluation.keys(left, step.source.slot))
            return true
        }
        routeKeys = Array(keys)
        return !keys.isEmpty
    }

    private mutating func note(_ key: ViewKey, of source: PlanSource) {
        let row = RowTuple(slots)
        guard sharing != nil, plan.isDeferred(before: source.step) else {
            asks.insert(AskID(use: nil, slot: source.slot, row: row, key: key))
            return
        }
        for use in uses(before: source.step) { asks.insert(AskID(use: use, slot: source.slot, row: row, key: key)) }
    }

    /// Returns true if a source asks for more than one entity by one condition. Otherwise a match is the entity that
    /// was asked for, and the cache knows it.
    private func asksForSeveral(_ source: PlanSource) -> Bool {
        source.asks && source.conditions.contains { $0.asks && rightKeys($0)?.count ?? 0 > 1 }
    }

    /// Collects the entities that a source asks for by `@key` and that the cache does not know.
    mutating func ask(_ source: PlanSource) {
        for condition in source.conditions where condition.asks {
            for id in rightKeys(condition) ?? JoinKeys() {
                let key = ViewKey(type: source.type, id: id)
                log?.note(entity: key)
                // An entity of a relation is present in this state.
                guard indexes.table.number(of: key) == nil, reader.state(of: key) == .unknown else { continue }
                if let log {
                    log.note(missing: key)
                } else {
                    note(key, of: source)
                }
            }
        }
    }
}
