import TidemarkModel
import TidemarkStore

extension Evaluation {
    /// Walks over all rows of this state that a change of an entity may have added, removed or moved.
    ///
    /// The evaluation shows either the state before the change or the one after it. A row that both states have is
    /// reached in both, so that the difference of the two walks is the difference of the results: a row with the entity
    /// in it is reached from the entity; a row whose check or left join depends on the entity is reached from either
    /// version of the entity, by the conditions that lead back to the row, and these read unchanged entities only. If
    /// one of them changed too, its own change leads to the row.
    ///
    /// - Parameters:
    ///   - isOld: True if the evaluation shows the state before the change.
    ///   - emit: Called with the entities of each row bound. The view's `where` was not examined yet.
    mutating func walkRows(
        of changed: ChangedSource, isOld: Bool, emit: (inout Evaluation) -> Void
    ) {
        let source = changed.source
        let own = isOld ? changed.change.oldResource : changed.change.newResource
        let other = isOld ? changed.change.newResource : changed.change.oldResource
        let number = member(changed)
        if changed.effect != .none {
            if source.isRow, let number, own != nil { walkRows(from: source, number, emit) }
            if !source.isRow || plan.body.steps[source.step].kind == .left {
                restrictRoute(changed)
                if let number, own != nil { walkBeginnings(of: source, number, emit) }
                if let other, indexes.relations[source.relation].admits(other) {
                    phantom = (changed.change.key, other)
                    walkBeginnings(of: source, EntityTable.phantom, emit)
                    phantom = nil
                }
                routeRestriction = nil
            }
        }
        if changed.changesAsks { walkAsks(of: changed) }
    }

    /// Walks over all rows that a change of an entity moves: the same before and after it.
    mutating func walkMoves(of changed: ChangedSource, _ emit: (inout Evaluation) -> Void) {
        guard changed.source.isRow, let number = member(changed) else { return }
        leavesAsks = true
        walkRows(from: changed.source, number, emit)
        leavesAsks = false
    }

    /// The number of a changed entity; nil if the source's relation does not have it.
    private func member(_ changed: ChangedSource) -> EntityNumber? {
        guard let number = indexes.table.number(of: changed.change.key),
            indexes.relations[changed.source.relation].members.contains(number)
        else { return nil }
        return number
    }

    /// Walks over the rows with an entity at the slot of a source.
    mutating func walkRows(
        from source: PlanSource, _ number: EntityNumber, _ emit: (inout Evaluation) -> Void
    ) {
        slots[source.slot] = number
        defer { slots[source.slot] = EntityTable.none }
        // Without a use nothing follows from a row, but questions that all uses share.
        if sharing != nil, leavesAsks || !plan.asks, let route = plan.route, hasNoUse(route, by: source) { return }
        climb(from: source, by: source.anchor, to: source.step) { evaluation in
            evaluation.slots[source.slot] = number
            // The way here was found by the anchor.
            if evaluation.acceptsBound(source, foundBy: source.anchor) {
                evaluation.walkRest(from: source.step + 1, emit)
            }
            evaluation.slots[source.slot] = EntityTable.none
        }
    }

    /// Walks over the rows whose check, include or left join may depend on an entity.
    mutating func walkBeginnings(
        of source: PlanSource, _ number: EntityNumber, _ emit: (inout Evaluation) -> Void
    ) {
        slots[source.slot] = number
        defer { slots[source.slot] = EntityTable.none }
        climb(from: source, by: source.anchor, to: source.step) { evaluation in
            guard source.isRow else {
                let step = source.step
                let steps = evaluation.plan.body.steps
                if step < steps.count, evaluation.hasUnchangedMatch(steps[step]) { return }
                return evaluation.walkRest(from: step, emit)
            }
            if evaluation.matches(source).isEmpty { evaluation.walkRest(from: source.step + 1, emit) }
        }
    }

    private mutating func walkRest(from step: Int, _ emit: (inout Evaluation) -> Void) {
        let former = collectsAsks
        collectsAsks = plan.asks && !leavesAsks
        walk(plan.body.steps, from: step, to: plan.end) { evaluation in
            emit(&evaluation)
            return true
        }
        collectsAsks = former
    }

    /// A match of the `exists` that tells uses apart concerns only the uses with its keys, before or after the change.
    private mutating func restrictRoute(_ changed: ChangedSource) {
        guard sharing != nil, case .check(changed.source.step, let condition)? = plan.route?.origin,
            plan.body.steps[changed.source.step].source.number == changed.source.number
        else { return }
        let left = changed.source.conditions[condition].left
        var keys: Set<ByteString> = []
        for resource in [changed.change.oldResource, changed.change.newResource] {
            if let resource { keys.formUnion(indexes.keys(left, changed.change.key, resource)) }
        }
        routeRestriction = keys
    }

    /// Collects the questions for an entity that became known or unknown.
    private mutating func walkAsks(of changed: ChangedSource) {
        let source = changed.source
        phantom = (changed.change.key, OutlinedResource(Array("{}".utf8)))
        slots[source.slot] = EntityTable.phantom
        defer {
            phantom = nil
            slots[source.slot] = EntityTable.none
        }
        for (index, condition) in source.conditions.enumerated() where condition.asks {
            climb(from: source, by: index, to: source.step, checksParameters: false) { evaluation in
                guard source.step < evaluation.plan.end else { return }
                evaluation.collectsAsks = true
                if source.isRow {
                    evaluation.ask(source)
                } else {
                    _ = evaluation.check(evaluation.plan.body.steps[source.step])
                }
                evaluation.collectsAsks = false
            }
        }
    }
}
