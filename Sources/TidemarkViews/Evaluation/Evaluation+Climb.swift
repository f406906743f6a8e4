import TidemarkModel

extension Evaluation {
    /// Follows an entity back to the beginnings of rows that it may belong to.
    ///
    /// The entity is bound at the slot of its source. From there the conditions lead to earlier sources, through the
    /// indexes of those, until no condition leads on; then the steps before `end` are walked.
    ///
    /// - Parameters:
    ///   - source: The source at whose slot the entity is bound.
    ///   - anchor: The condition to follow; nil if there is none.
    ///   - end: The step before which the beginnings end.
    ///   - checksParameters: True if the entity has to fulfil the conditions with parameters. Those of the sources on
    ///     the way always have to be fulfilled: a way that leads through a changed entity is then as narrow as the ways
    ///     that begin at it, so that both states are reached alike.
    ///   - body: Called for each beginning, with its entities bound.
    mutating func climb(
        from source: PlanSource, by anchor: Int?, to end: Int, checksParameters: Bool = true,
        _ body: (inout Evaluation) -> Void
    ) {
        if checksParameters, binding != nil {
            if source.hasParameter {
                for condition in source.conditions where condition.hasParameter && !holds(condition, source) { return }
            }
        }
        let former = slots[source.slot]
        defer { slots[source.slot] = former }
        let staysBound = source.isRow && source.step < end
        guard let anchor, case .source(let slot, let extractor, let other, let index) = source.conditions[anchor].right
        else {
            if !staysBound { slots[source.slot] = EntityTable.none }
            walk(plan.body.steps, from: 0, to: end) { evaluation in
                body(&evaluation)
                return true
            }
            return
        }
        let keys = keys(source.conditions[anchor].left, source.slot)
        if !staysBound { slots[source.slot] = EntityTable.none }
        let target = plan.sources[other]
        func follow(_ candidate: EntityNumber) {
            slots[slot] = candidate
            climb(from: target, by: target.anchor, to: end, body)
        }
        if keys.count == 1 {
            entities(target, extractor, index, keys[0]).forEach(follow)
        } else {
            var candidates: Set<EntityNumber> = []
            for key in keys { entities(target, extractor, index, key).forEach { candidates.insert($0) } }
            candidates.forEach(follow)
        }
        slots[slot] = EntityTable.none
    }
}
