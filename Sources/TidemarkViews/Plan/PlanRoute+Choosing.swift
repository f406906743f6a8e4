import TidemarkStore

extension PlanRoute {
    /// Finds a route in the conditions and the `where` of a joined source; nil if there is none.
    init?(joined step: PlanStep, at position: Int, _ indexes: inout ViewIndexes) {
        for (number, condition) in step.source.conditions.enumerated() {
            guard case .parameter(let parameter, let extractor) = condition.right else { continue }
            self.init(
                origin: .condition(step: position, condition: number), parameter: parameter, extractor: extractor,
                entries: (step.source.number, step.source.relation, condition.leftIndex), step: position)
            return
        }
        for conjunct in step.source.deferred?.conjuncts ?? [] {
            guard let (path, parameter) = conjunct.equalParameter, path.slot == step.source.slot else { continue }
            self.init(path, parameter, of: step.source, step: position, &indexes)
            return
        }
        return nil
    }

    /// Finds a route in the `where` of a view; nil if there is none.
    init?(filter: ViewPredicate?, _ visible: [Int: PlanSource], end: Int, _ indexes: inout ViewIndexes) {
        for conjunct in filter?.conjuncts ?? [] {
            guard let (path, parameter) = conjunct.equalParameter, let source = visible[path.slot] else { continue }
            self.init(path, parameter, of: source, step: end, &indexes)
            return
        }
        return nil
    }

    /// Finds a route in an `exists` whose only use of a parameter is one condition of its own; nil for any other.
    init?(check step: PlanStep, at position: Int) {
        let conditions = step.source.conditions
        guard step.source.deferred == nil,
            !step.checkSteps.dropFirst().contains(where: { $0.hasParameter || $0.asks }),
            conditions.filter({ $0.hasParameter }).count == 1, conditions.count > 1,
            let number = conditions.firstIndex(where: { $0.hasParameter }),
            case .parameter(let parameter, let extractor) = conditions[number].right
        else { return nil }
        self.init(
            origin: .check(step: position, condition: number), parameter: parameter, extractor: extractor,
            entries: (step.source.number, step.source.relation, conditions[number].leftIndex), step: position)
    }

    private init(_ path: ViewPath, _ parameter: Int, of source: PlanSource, step: Int, _ indexes: inout ViewIndexes) {
        let index = indexes.index(.values(path.pointer, everyElement: false), of: source.relation)
        self.init(
            origin: .value(path), parameter: parameter,
            extractor: .values(RulePointer(tokens: []), everyElement: false),
            entries: (source.number, source.relation, index), step: step)
    }
}

extension ViewPredicate {
    /// The value that has to equal a parameter, if the condition is just that.
    var equalParameter: (path: ViewPath, parameter: Int)? {
        guard case .test(let test) = self, test.operation == .equal, case .source(let path) = test.reference,
            case .parameter(let parameter) = test.operand
        else { return nil }
        return (path, parameter)
    }

    /// True if the condition reads an aggregate of an include.
    var readsIncludes: Bool {
        var found = false
        forEachTest { test in
            test.forEachReference { reference in
                if case .include = reference { found = true }
            }
        }
        return found
    }
}
