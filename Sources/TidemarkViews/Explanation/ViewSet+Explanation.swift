import TidemarkModel
import TidemarkStore

extension ViewSet {
    /// Returns how the rows of a window are found and kept, with counts.
    package func plan(_ number: ViewWindowID) -> [ViewPlanLine] {
        guard let window = windows[number], let shape = shapes[window.shape], let use = shape.uses[window.use]?.value
        else {
            return []
        }
        let body = shape.plan.body
        var lines = body.steps.map { line($0) }
        if shape.plan.rule.body.filter != nil {
            lines.append(ViewPlanLine(operation: "where", source: nil, index: nil, rows: use.rows.count, bytes: 0))
        }
        if let groups = use.groups {
            let count = groups.keys.count
            lines.append(
                ViewPlanLine(operation: "group", source: nil, index: nil, rows: count, bytes: groups.byteCount))
        }
        lines.append(
            ViewPlanLine(
                operation: "order", source: nil, index: nil, rows: use.rows.count, bytes: use.rows.byteCount))
        for include in body.includes {
            guard let first = include.body.steps.first else { continue }
            var line = line(first)
            line.operation = "include"
            line.source = String(decoding: include.name, as: UTF8.self)
            lines.append(line)
        }
        return lines
    }

    private func line(_ step: PlanStep) -> ViewPlanLine {
        let relation = indexes.relations[step.source.relation]
        let condition = step.source.conditions.first
        return ViewPlanLine(
            operation: "\(step.kind)", source: step.source.alias,
            index: condition.map { $0.left == .identity ? "@key" : String(decoding: $0.text, as: UTF8.self) },
            rows: relation.members.count, bytes: relation.byteCount)
    }

    /// Returns entities that were asked for by `@key` and that the cache does not know, ascending.
    package func missing(_ number: ViewWindowID, countMax: Int = 100) -> [ViewKey] {
        guard let window = windows[number], let shape = shapes[window.shape], let use = shape.uses[window.use]?.value
        else {
            return []
        }
        var keys = Set(shape.commonAsks.keys).union(use.asks.keys)
        keys.formUnion(window.missing.keys)
        return Array(keys.sorted().prefix(countMax))
    }

    /// Returns the shown rows that an entity is in, or why it is in none, where all entities can be listed.
    package func explain(
        _ key: ViewKey, _ number: ViewWindowID, _ entities: any ListableEntities
    ) -> ViewEntityExplanation? {
        explain(key, number, entities, listed: entities)
    }

    /// The most entities of a type that an explanation searches: 10,000.
    package static var searchedCountMax: Int { FailureSearch.rowCountMax }

    /// Returns the types of which an explanation searches all entities: of a join whose `where` they may fail, so that
    /// no index has them.
    package func searchedTypes(_ number: ViewWindowID) -> Set<ByteString> {
        guard let window = windows[number], let shape = shapes[window.shape] else { return [] }
        return Set(
            shape.plan.sources.filter { source in
                guard source.filter != nil, let first = source.conditions.first else { return false }
                return first.left != .identity
            }.map(\.type))
    }

    /// Returns the shown rows that an entity is in, as a source or inside an include, or why it is in none.
    ///
    /// - Parameter listed: The entities of ``searchedTypes(_:)``, at least the first ``searchedCountMax`` of each type.
    ///   They may be somewhat older than `entities`: they only decide which condition of a join is said to have failed.
    /// - Complexity: O(rows that could have the entity), at most ``FailureSearch/rowCountMax``.
    package func explain(
        _ key: ViewKey, _ number: ViewWindowID, _ entities: any ViewEntities, listed: any ListableEntities
    ) -> ViewEntityExplanation? {
        guard let window = windows[number], let shape = shapes[window.shape], let use = shape.uses[window.use]?.value
        else {
            return nil
        }
        let refresh = WindowRefresh(window.shape, shape, CopiedOnWrite(use), indexes, ResourceReader(entities), limits)
        let state = entities.state(of: key)
        guard let resource = state.resource else {
            return .failed(ViewFailure(at: "/from", condition: nil, value: nil, entity: key, isMiss: true))
        }
        let inside = window.order.filter { window.shown[$0]?.entities.contains(key) ?? false }
        if !inside.isEmpty { return .rows(inside.map { refresh.key(of: $0) }) }
        var best: (rank: [Int], failure: ViewFailure)?
        var outside: ViewFailure?
        var rows: [ViewRowKey] = []
        let shown = Set(window.order)
        for source in shape.plan.sources where source.isRow && source.type == key.type {
            var search = search(key, resource, source, shape.plan, use.binding, entities, listed)
            search.search()
            for row in search.rows {
                let (result, failure) = result(row, shape, use, search.evaluation)
                guard let found = use.rows.number(of: result), shown.contains(found) else {
                    outside = outside ?? failure
                    continue
                }
                let key = refresh.key(of: found)
                if !rows.contains(key) { rows.append(key) }
            }
            if let found = search.best, best?.rank.lexicographicallyPrecedes(found.rank) ?? true { best = found }
        }
        if !rows.isEmpty { return .rows(rows) }
        if let outside { return .failed(outside) }
        if let best { return .failed(best.failure) }
        return .failed(ViewFailure(at: "/from", condition: nil, value: nil, entity: key))
    }

    private func search(
        _ key: ViewKey, _ resource: [UInt8], _ source: PlanSource, _ plan: ViewPlan, _ binding: ViewBinding,
        _ entities: any ViewEntities, _ listed: any ListableEntities
    ) -> FailureSearch {
        var evaluation = Evaluation(indexes, plan, ResourceReader(entities), binding)
        evaluation.phantom = (key, OutlinedResource(resource))
        let number = indexes.table.number(of: key)
        let isMember = number.map { indexes.relations[source.relation].members.contains($0) } ?? false
        return FailureSearch(
            evaluation, at: source.slot, isMember ? number ?? EntityTable.phantom : EntityTable.phantom, entities,
            listed: listed)
    }

    /// The row of the result to which a complete row belongs, and why it is not shown if it is not.
    private func result(
        _ row: [EntityNumber], _ shape: ViewShape, _ use: ViewUse, _ evaluation: Evaluation
    ) -> (ResultKey, ViewFailure) {
        let outside = ViewFailure(at: "/limit", condition: nil, value: nil, entity: nil)
        guard let groups = shape.plan.groups else {
            return (.row(RowTuple(row, keeping: shape.plan.body.rowSlots)), outside)
        }
        var bound = evaluation
        bound.slots = row
        let key = ResultKey.group(bound.contribution(groups).key)
        if use.rows.number(of: key) != nil { return (key, outside) }
        return (key, ViewFailure(at: "/having", condition: nil, value: nil, entity: nil))
    }

    /// Returns the entities behind a shown row: its sources, those of its includes, those that its group counts.
    ///
    /// - Parameter countMax: The most entities of a group.
    package func entities(
        behind key: ViewRowKey, _ number: ViewWindowID, _ entities: any ViewEntities, countMax: Int = 1_000
    ) -> [ViewKey] {
        guard let window = windows[number], let shape = shapes[window.shape], let use = shape.uses[window.use]?.value
        else {
            return []
        }
        let refresh = WindowRefresh(window.shape, shape, CopiedOnWrite(use), indexes, ResourceReader(entities), limits)
        guard let row = window.order.first(where: { refresh.key(of: $0) == key }) else { return [] }
        guard let groups = shape.plan.groups, case .group(let group)? = use.rows.key(of: row) else {
            return (window.shown[row]?.entities ?? FewSet()).sorted()
        }
        var found: Set<ViewKey> = []
        walkAll(shape, use, entities) { evaluation in
            guard evaluation.contribution(groups).key == group else { return true }
            for slot in shape.plan.body.rowSlots { if let key = evaluation.key(slot) { found.insert(key) } }
            return found.count < countMax
        }
        return found.sorted()
    }

    /// Calls `body` for every row of a use until it returns false.
    private func walkAll(
        _ shape: ViewShape, _ use: ViewUse, _ entities: any ViewEntities, _ body: (inout Evaluation) -> Bool
    ) {
        var evaluation = Evaluation(indexes, shape.plan, ResourceReader(entities), use.binding)
        let plan = shape.plan
        evaluation.walk(plan.body.steps, from: 0, to: plan.end) { evaluation in
            let includes = evaluation.structuralIncludes()
            for predicate in [plan.body.filter, plan.body.deferred] {
                if let predicate, !evaluation.holds(predicate, includes: includes) { return true }
            }
            return body(&evaluation)
        }
    }

    /// Returns true if one of some entities is behind a shown row of a window.
    ///
    /// - Parameter covered: The entities that edits cover.
    /// - Complexity: O(shown rows); with groups O(rows with the entities).
    package func isPending(
        _ number: ViewWindowID, covered: Set<ViewKey>, _ entities: any ViewEntities
    ) -> Bool {
        guard !covered.isEmpty, let window = windows[number], let shape = shapes[window.shape],
            let use = shape.uses[window.use]?.value
        else { return false }
        guard let groups = shape.plan.groups else {
            return window.shown.values.contains { !$0.entities.isDisjoint(with: covered) }
        }
        let shown = Set(window.order)
        for key in covered {
            for source in shape.plan.sources where source.isRow && source.type == key.type {
                guard let entity = indexes.table.number(of: key),
                    indexes.relations[source.relation].members.contains(entity)
                else { continue }
                var evaluation = Evaluation(indexes, shape.plan, ResourceReader(entities), use.binding)
                var isFound = false
                evaluation.walkRows(from: source, entity) { evaluation in
                    for predicate in [shape.plan.body.filter, shape.plan.body.deferred] {
                        if let predicate, !evaluation.holds(predicate) { return }
                    }
                    let key = ResultKey.group(evaluation.contribution(groups).key)
                    if let row = use.rows.number(of: key), shown.contains(row) { isFound = true }
                }
                if isFound { return true }
            }
        }
        return false
    }
}
