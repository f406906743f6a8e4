import TidemarkModel
import TidemarkStore

extension ViewShape {
    /// Computes rows of a use, in a step of bounded length.
    ///
    /// - Parameters:
    ///   - page: The next first entities; nil to read them.
    ///   - countMax: The most first entities to walk from. Rows that the route finds are computed at once: they are the
    ///     result.
    /// - Returns: True once the use is complete.
    mutating func fill(
        _ number: UseNumber, _ indexes: ViewIndexes, _ entities: any ListableEntities, _ page: FillPage?, countMax: Int
    ) -> Bool {
        guard commonProgress == .complete else {
            // A step reads one page, which the owner may have read for it.
            fillCommonAsks(indexes, entities, countMax: countMax)
            return false
        }
        guard let progress = uses[number]?.value.progress, progress != .complete else { return true }
        // Out of the table while it changes, so that its rows are not copied.
        guard var use = uses.removeValue(forKey: number)?.value else { return true }
        defer { uses[number] = CopiedOnWrite(use) }
        let reader = ResourceReader(entities)
        var evaluation = Evaluation(indexes, plan, reader, use.binding)
        if let keys = entryKeys(use), let route = plan.route, let entries = route.entries {
            var emissions = Emissions()
            let source = plan.sources[entries.source]
            for key in keys {
                evaluation.entities(source, source.entryExtractor(route), entries.index, key).forEach { entity in
                    walk(&evaluation, from: source, entity) { emissions.add(&$0, number) }
                }
            }
            for (row, shares) in emissions.rows {
                for share in shares { use.apply(row, from: nil, to: share.contribution) }
            }
            use.complete()
        } else {
            // From different first entities different rows are reached, each once.
            let progress = walkAll(&evaluation, use.progress, page, entities, countMax) { bound in
                if let contribution = bound.contribution() { use.apply(bound.row, from: nil, to: contribution) }
            }
            if progress == .complete { use.complete() } else { use.progress = progress }
        }
        let own = evaluation.asks.filter { $0.use ?? number == number }
            .filter { sharing == nil || plan.isDeferred(before: plan.step(of: $0.slot)) }
        _ = use.applyAsks(from: [], to: own)
        use.endChange()
        return use.progress == .complete
    }

    /// Returns true if an index has the rows of a use.
    func needsNoPage(_ use: ViewUse) -> Bool { entryKeys(use) != nil && plan.route?.entries != nil }

    /// The keys by which an index has the rows of a use; nil if all first entities have to be walked from.
    private func entryKeys(_ use: ViewUse) -> JoinKeys? {
        guard let route = plan.route, route.entries != nil else { return nil }
        // A step before the route that depends on parameters asks for entities that only a whole walk reaches.
        guard !plan.asks || !plan.isDeferred(before: route.step) else { return nil }
        if case .value = route.origin, use.binding.values[route.parameter] == Array("null".utf8) {
            // An index of join keys has no entry for null.
            return nil
        }
        return use.routeKeys
    }

    private func walk(
        _ evaluation: inout Evaluation, from source: PlanSource, _ entity: EntityNumber,
        _ emit: (inout Evaluation) -> Void
    ) {
        if source.isRow {
            evaluation.walkRows(from: source, entity, emit)
        } else {
            evaluation.walkBeginnings(of: source, entity, emit)
        }
    }

    /// Walks from the next first entities.
    private func walkAll(
        _ evaluation: inout Evaluation, _ progress: ViewUse.Progress, _ page: FillPage?,
        _ entities: any ListableEntities,
        _ countMax: Int, _ emit: (inout Evaluation) -> Void
    ) -> ViewUse.Progress {
        guard case .upTo(let last) = progress else { return .complete }
        let source = plan.body.steps[0].source
        let page = page ?? FillPage(of: source.type, after: last, entities, countMax: countMax)
        for entity in page.entities {
            guard let number = evaluation.indexes.table.number(of: ViewKey(type: source.type, id: entity.id)),
                evaluation.indexes.relations[source.relation].members.contains(number)
            else { continue }
            evaluation.reader.note(entity.resource, of: number)
            evaluation.walkRows(from: source, number, emit)
        }
        return page.isLast ? .complete : .upTo(page.entities.last?.id)
    }

    /// Collects the questions for unknown entities that are the same for every use.
    private mutating func fillCommonAsks(
        _ indexes: ViewIndexes, _ entities: any ListableEntities, countMax: Int
    ) {
        var evaluation = Evaluation(indexes, plan, ResourceReader(entities), nil)
        // Without uses every row is dropped, and every question that depends on parameters.
        evaluation.sharing = SharedUses()
        var emissions = Emissions()
        commonProgress = walkAll(&evaluation, commonProgress, nil, entities, countMax) { _ in }
        emissions.addAsks(evaluation, nil)
        _ = commonAsks.apply(from: [], to: emissions.commonAsks)
    }
}

extension PlanSource {
    /// Makes the keys by which an index has the source's entities for a route.
    fileprivate func entryExtractor(_ route: PlanRoute) -> KeyExtractor {
        switch route.origin {
        case .value: .nothing
        case .condition(_, let condition), .check(_, let condition): conditions[condition].left
        }
    }
}

extension ViewPlan {
    /// The step that the source at a slot decides on.
    func step(of slot: Int) -> Int { sources.first { $0.slot == slot }?.step ?? end }
}
