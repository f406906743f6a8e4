import TidemarkModel
import TidemarkStore

extension PlanRoute {
    /// The keys by which a use is found.
    func keys(_ binding: ViewBinding, _ types: [ByteString: ByteString]) -> JoinKeys {
        let value = binding.values[parameter]
        // Unlike a condition of `on`, `eq` holds for null too.
        if case .value = origin { return JoinKeys(ByteString(ValueSlice(value).exactCode)) }
        return extractor.keys(of: value, types: types)
    }
}

extension Evaluation {
    /// The uses whose parameters let the bound entities of the steps before another one through, ascending.
    mutating func uses(before step: Int) -> [UseNumber] {
        guard let sharing else { return [] }
        var candidates: [UseNumber] = []
        if let route = plan.route, route.step < step || step == plan.end {
            candidates = routed(route, sharing)
        } else {
            candidates = Array(sharing.bindings.keys)
        }
        if candidates.count > 1 { candidates.sort() }
        guard !candidates.isEmpty, plan.checksParameters(before: step) else { return candidates }
        defer { binding = nil }
        return candidates.filter { use in
            binding = sharing.bindings[use]
            return passesParameters(before: step)
        }
    }

    /// The uses with a key of the row that is bound, each once.
    private func routed(_ route: PlanRoute, _ sharing: SharedUses) -> [UseNumber] {
        var found: [UseNumber] = []
        var several: Set<UseNumber> = []
        func note(_ key: ByteString, isOnly: Bool) {
            guard routeRestriction?.contains(key) ?? true else { return }
            if isOnly { found = Array(sharing.uses(key)) } else { several.formUnion(sharing.uses(key)) }
        }
        switch route.origin {
        case .value(let path):
            if let value = value(path) { note(ByteString(value.exactCode), isOnly: true) }
        case .condition(let step, let condition):
            let source = plan.body.steps[step].source
            let keys = keys(source.conditions[condition].left, source.slot)
            for key in keys { note(key, isOnly: keys.count == 1) }
        case .check:
            for key in routeKeys { note(key, isOnly: routeKeys.count == 1) }
        }
        return found.isEmpty ? Array(several) : found
    }

    /// Returns true if the entity at the slot of a source already tells that no use shows a row with it.
    func hasNoUse(_ route: PlanRoute, by source: PlanSource) -> Bool {
        guard let sharing else { return false }
        switch route.origin {
        case .value(let path):
            guard path.slot == source.slot else { return false }
            return value(path).map { sharing.uses(ByteString($0.exactCode)).isEmpty } ?? true
        case .condition(let step, let condition):
            guard plan.body.steps[step].source === source else { return false }
            return keys(source.conditions[condition].left, source.slot).allSatisfy { sharing.uses($0).isEmpty }
        case .check: return false
        }
    }

    /// Returns true if the conditions with parameters hold for the bound entities of the steps before another one. An
    /// `exists` that tells uses apart is not examined: its matches are what the uses were found by.
    private func passesParameters(before end: Int) -> Bool {
        for step in plan.body.steps[..<end] where !step.kind.isCheck && step.hasParameter {
            for condition in step.source.conditions where condition.hasParameter {
                guard holds(condition, step.source) else { return false }
            }
            if let deferred = step.source.deferred, !holds(deferred) { return false }
        }
        return true
    }
}
