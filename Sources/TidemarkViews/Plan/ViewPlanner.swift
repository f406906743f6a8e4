import TidemarkModel
import TidemarkStore

/// Compiles rules into plans.
struct ViewPlanner {
    private let rule: ViewRule
    private var indexes: ViewIndexes
    private var sources: [PlanSource] = []
    private var relations: [Int] = []
    /// The source at each slot that is visible at the place being compiled.
    private var visible: [Int: PlanSource] = [:]

    private init(_ rule: ViewRule, _ indexes: ViewIndexes) {
        self.rule = rule
        self.indexes = indexes
    }

    /// Compiles a rule, and adds the relations and indexes that it needs.
    static func plan(_ rule: ViewRule, _ indexes: inout ViewIndexes) -> ViewPlan {
        var builder = ViewPlanner(rule, indexes)
        let plan = builder.plan()
        indexes = builder.indexes
        return plan
    }

    private mutating func plan() -> ViewPlan {
        let structural = ViewPlanner.structuralIncludes(rule.body)
        let steps = rule.body.steps.enumerated().map { step($1, at: $0, follows: true) }
        var includes: [PlanInclude] = []
        for (index, include) in rule.body.includes.enumerated() {
            includes.append(self.include(include, at: steps.count, follows: structural.contains(index)))
        }
        let body = body(rule.body, steps, includes)
        let route = route(steps)
        let structure = sources.map { PlanStructure(of: $0, in: body, sources, structural) }
        return ViewPlan(
            rule: rule, body: body, sources: sources,
            sourcesByType: Dictionary(grouping: sources.indices, by: { sources[$0].type }), structure: structure,
            route: route, relations: relations, structuralIncludes: structural)
    }

    private func body(_ body: ViewBody, _ steps: [PlanStep], _ includes: [PlanInclude]) -> PlanBody {
        PlanBody(
            steps: steps, filter: filter(body.filter, deferred: false), deferred: filter(body.filter, deferred: true),
            output: body.output, includes: includes, order: body.order, offset: body.offset, limit: body.limit,
            rowSlots: body.rowSlots)
    }

    /// Returns the conditions of a predicate that read parameters, or those that read none.
    private func filter(_ predicate: ViewPredicate?, deferred: Bool) -> ViewPredicate? {
        ViewPredicate.joined((predicate?.conjuncts ?? []).filter { $0.hasParameter == deferred })
    }

    private static func structuralIncludes(_ body: ViewBody) -> Set<Int> {
        var found: Set<Int> = []
        func note(_ reference: ViewReference) {
            if case .include(let index, _) = reference { found.insert(index) }
        }
        body.filter?.forEachTest { $0.forEachReference(note) }
        for component in body.order { note(component.reference) }
        return found
    }

    // MARK: Steps

    /// Compiles a step.
    ///
    /// - Parameters:
    ///   - position: The step of the view that the source decides on.
    ///   - follows: True if changes of the source have to be followed back to rows.
    private mutating func step(_ step: ViewStep, at position: Int, follows: Bool) -> PlanStep {
        let isRow = !step.kind.isCheck && rule.body.rowSlots.contains(step.source.slot)
        let source = source(step.source, at: position, follows: follows, isRow: isRow)
        var inner: [PlanStep] = []
        if step.kind.isCheck {
            inner.append(PlanStep(kind: .inner, source: source, checkSteps: []))
            for join in step.joins { inner.append(self.step(join, at: position, follows: follows)) }
        }
        return PlanStep(kind: step.kind, source: source, checkSteps: inner)
    }

    private mutating func include(_ include: ViewInclude, at position: Int, follows: Bool) -> PlanInclude {
        let steps = include.body.steps.map { step($0, at: position, follows: follows) }
        let inner = include.body.includes.map { self.include($0, at: position, follows: false) }
        return PlanInclude(name: include.name, body: body(include.body, steps, inner), isOne: include.isOne)
    }

    private mutating func source(
        _ source: ViewSource, at position: Int, follows: Bool, isRow: Bool
    ) -> PlanSource {
        let type = indexes.types[source.type] ?? source.type
        let conjuncts = source.filter?.conjuncts ?? []
        let fixed = conjuncts.filter { $0.isStatic(on: source.slot) }
        let residual = conjuncts.filter { !$0.isStatic(on: source.slot) }
        let relation = indexes.relation(type: type, filter: ViewPredicate.joined(fixed))
        relations.append(relation)
        let conditions = source.conditions.map { condition($0, type: type, relation: relation, follows: follows) }
        let compiled = PlanSource(
            number: follows ? sources.count : -1, slot: source.slot, alias: source.alias, type: type,
            relation: relation, conditions: conditions,
            residual: filter(ViewPredicate.joined(residual), deferred: false),
            deferred: filter(ViewPredicate.joined(residual), deferred: true), filter: source.filter, step: position,
            isRow: isRow, place: source.place)
        if follows { sources.append(compiled) }
        visible[source.slot] = compiled
        return compiled
    }

    private mutating func condition(
        _ condition: ViewCondition, type: ByteString, relation: Int, follows: Bool
    ) -> PlanCondition {
        var left: KeyExtractor
        var right: KeyExtractor
        var slot: Int?
        switch (condition.left, condition.right) {
        case (.key, .path(let path, let everyElement)):
            left = .identity
            right = .references(path.pointer, everyElement: everyElement, target: type)
            slot = path.slot
        case (.key, .entity(let other)):
            left = .identity
            right = visible[other]?.type == type ? .identity : .nothing
            slot = other
        case (.key, .parameter):
            left = .identity
            right = .references(RulePointer(tokens: []), everyElement: false, target: type)
        case (.value(let pointer, let everyElement), .path(let path, let everyOther)):
            left = .values(pointer, everyElement: everyElement)
            right = .values(path.pointer, everyElement: everyOther)
            slot = path.slot
        case (.value(let pointer, let everyElement), .entity(let other)):
            left = .references(pointer, everyElement: everyElement, target: visible[other]?.type ?? type)
            right = .identity
            slot = other
        case (.value(let pointer, let everyElement), .parameter):
            left = .values(pointer, everyElement: everyElement)
            right = .values(RulePointer(tokens: []), everyElement: false)
        }
        let leftIndex = left == .identity ? nil : indexes.index(left, of: relation)
        var compiled: PlanCondition.Right
        if let slot, let other = visible[slot] {
            let needsIndex = follows && right != .identity && right != .nothing
            let index = needsIndex ? indexes.index(right, of: other.relation) : nil
            compiled = .source(slot: slot, right, source: other.number, index: index)
        } else if case .parameter(let index) = condition.right {
            compiled = .parameter(index, right)
        } else {
            // A slot is always that of a visible source; the parser refuses other aliases.
            compiled = .parameter(0, .nothing)
        }
        return PlanCondition(
            left: left, leftIndex: leftIndex, right: compiled, place: condition.place, text: condition.text)
    }

    // MARK: Sharing

    /// Finds the condition by which uses with different parameters share one walk.
    ///
    /// Every other step may depend on a parameter only where leaving the condition out lets more rows through, which
    /// each use then checks: not in a left join, `absent`, or a second `exists`.
    private mutating func route(_ steps: [PlanStep]) -> PlanRoute? {
        // The entities that parameters ask for differ from use to use.
        guard !rule.parameters.isEmpty, !steps.contains(where: { $0.asksByParameter }) else { return nil }
        var route: PlanRoute?
        for (position, step) in steps.enumerated() where step.hasParameter {
            switch step.kind {
            case .from, .inner:
                guard step.kind == .from || step.source.conditions.contains(where: { !$0.hasParameter }) else {
                    return nil
                }
                if route == nil { route = PlanRoute(joined: step, at: position, &indexes) }
            case .left, .absent: return nil
            case .exists:
                guard case nil = route?.origin, let found = PlanRoute(check: step, at: position) else { return nil }
                route = found
            }
        }
        let isShareable = rule.body.filter.map { filter in
            filter.conjuncts.allSatisfy { !$0.hasParameter || !$0.readsIncludes }
        }
        guard isShareable ?? true, !structuralIncludesHaveParameters else { return nil }
        return route ?? PlanRoute(filter: rule.body.filter, visible, end: steps.count, &indexes)
    }

    private var structuralIncludesHaveParameters: Bool {
        ViewPlanner.structuralIncludes(rule.body).contains { index in
            var found = false
            let body = rule.body.includes[index].body
            func examine(_ step: ViewStep) {
                found = found || step.source.filter?.hasParameter ?? false
                for condition in step.source.conditions {
                    if case .parameter = condition.right { found = true }
                }
                step.joins.forEach(examine)
            }
            body.steps.forEach(examine)
            if body.filter?.hasParameter ?? false { found = true }
            if case .groups(let groups) = body.output {
                if groups.aggregates.contains(where: { $0.filter?.hasParameter ?? false }) { found = true }
            }
            return found
        }
    }
}
