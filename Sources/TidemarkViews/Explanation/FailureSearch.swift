import TidemarkModel
import TidemarkStore

/// Walks over the rows that an entity could be in, and remembers the condition that stopped the one that came furthest.
struct FailureSearch {
    /// The most rows that are examined, so that an explanation ends.
    static let rowCountMax = 10_000

    var evaluation: Evaluation
    private let entities: any ViewEntities
    /// The entities of ``ViewSet/searchedTypes(_:)``.
    private let listed: any ListableEntities
    /// The slot at which the entity has to be.
    private let slot: Int
    private let entity: EntityNumber
    /// The complete rows.
    private(set) var rows: [[EntityNumber]] = []
    /// The condition that failed last, in the order of the rule.
    private(set) var best: (rank: [Int], failure: ViewFailure)?
    private var stepCount = 0

    /// - Parameters:
    ///   - evaluation: An evaluation of the current state. Its phantom is the entity, if no relation holds it.
    ///   - entity: The number of the entity, or ``EntityTable/phantom``.
    init(
        _ evaluation: Evaluation, at slot: Int, _ entity: EntityNumber, _ entities: any ViewEntities,
        listed: any ListableEntities
    ) {
        self.entities = entities
        self.listed = listed
        self.evaluation = evaluation
        self.slot = slot
        self.entity = entity
    }

    /// Searches all rows with the entity.
    mutating func search() {
        let plan = evaluation.plan
        walk(plan.body.steps, 0, rank: []) { search in
            let includes = search.evaluation.structuralIncludes()
            for predicate in [plan.body.filter, plan.body.deferred] {
                guard let predicate, !search.evaluation.holds(predicate, includes: includes) else { continue }
                return search.note(predicate, rank: [plan.end], includes: includes)
            }
            search.rows.append(search.evaluation.slots)
        }
    }

    private mutating func note(rank: [Int], _ failure: ViewFailure) {
        if let best, !best.rank.lexicographicallyPrecedes(rank) { return }
        best = (rank, failure)
    }

    // MARK: Steps

    private mutating func walk(
        _ steps: [PlanStep], _ index: Int, rank: [Int], _ complete: (inout FailureSearch) -> Void
    ) {
        guard stepCount < FailureSearch.rowCountMax else { return }
        stepCount += 1
        guard index < steps.count else { return complete(&self) }
        let step = steps[index]
        let source = step.source
        let rank = rank + [index]
        if step.kind.isCheck {
            if check(step, rank: rank) { walk(steps, index + 1, rank: Array(rank.dropLast()), complete) }
            return
        }
        let candidates = source.slot == slot ? [entity] : candidates(source)
        var isMatched = false
        defer { evaluation.slots[source.slot] = EntityTable.none }
        for candidate in candidates {
            evaluation.slots[source.slot] = candidate
            guard accepts(source, rank: rank) else { continue }
            isMatched = true
            walk(steps, index + 1, rank: Array(rank.dropLast()), complete)
        }
        evaluation.slots[source.slot] = EntityTable.none
        guard !isMatched, source.slot != slot else { return }
        if step.kind == .left { return walk(steps, index + 1, rank: Array(rank.dropLast()), complete) }
        noteUnmatched(source, rank: rank, candidates.isEmpty)
    }

    /// The entities of a source that fulfil its first condition, ascending by their keys.
    private mutating func candidates(_ source: PlanSource) -> [EntityNumber] {
        let table = evaluation.indexes.table
        let all = evaluation.all(source)
        guard let first = source.conditions.first else { return all.sorted { table.key(of: $0) < table.key(of: $1) } }
        let keys = evaluation.rightKeys(first) ?? JoinKeys()
        var found: Set<EntityNumber> = []
        for key in keys {
            evaluation.entities(source, first.left, first.leftIndex, key).forEach { found.insert($0) }
        }
        return found.sorted { table.key(of: $0) < table.key(of: $1) } + strangers(source, first, keys)
    }

    /// The entities that fulfil the first condition of a source, but not the fixed part of its `where`, so that its
    /// relation does not have them.
    private mutating func strangers(
        _ source: PlanSource, _ condition: PlanCondition, _ keys: JoinKeys
    ) -> [EntityNumber] {
        guard source.filter != nil else { return [] }
        let isListed = condition.left != .identity
        let ids =
            isListed ? listed.ids(of: source.type, after: nil, countMax: FailureSearch.rowCountMax) : Array(keys)
        let former = evaluation.slots[source.slot]
        defer { evaluation.slots[source.slot] = former }
        var found: [EntityNumber] = []
        for id in ids {
            let key = ViewKey(type: source.type, id: id)
            let number = evaluation.indexes.table.number(of: key)
            let isMember = number.map { evaluation.indexes.relations[source.relation].members.contains($0) } ?? false
            guard !isMember, evaluation.extras.count < FailureSearch.rowCountMax,
                let resource = (isListed ? listed.state(of: key) : entities.state(of: key)).resource
            else { continue }
            evaluation.extras.append((key, OutlinedResource(resource)))
            evaluation.slots[source.slot] = EntityTable.firstExtra + EntityNumber(evaluation.extras.count - 1)
            if evaluation.holds(condition, source) { found.append(evaluation.slots[source.slot]) }
        }
        return found
    }

    private mutating func accepts(_ source: PlanSource, rank: [Int]) -> Bool {
        for (number, condition) in source.conditions.enumerated() where !evaluation.holds(condition, source) {
            note(rank: rank + [number], failure(condition, source))
            return false
        }
        guard let filter = source.filter, !evaluation.holds(filter) else { return true }
        note(filter, rank: rank + [source.conditions.count])
        return false
    }

    /// Notes that no entity of a source fulfils the first condition.
    private mutating func noteUnmatched(_ source: PlanSource, rank: [Int], _ isEmpty: Bool) {
        guard isEmpty else { return }
        if let first = source.conditions.first {
            note(rank: rank + [0], failure(first, source))
        } else {
            note(rank: rank, ViewFailure(at: source.place, condition: nil, value: nil, entity: nil))
        }
    }

    private mutating func check(_ step: PlanStep, rank: [Int]) -> Bool {
        guard step.kind == .exists else {
            var match: ViewKey?
            var inner = evaluation
            inner.walk(step.checkSteps, from: 0, to: step.checkSteps.count) { evaluation in
                match = evaluation.key(step.source.slot)
                return false
            }
            guard let match else { return true }
            note(rank: rank, ViewFailure(at: step.source.place, condition: nil, value: nil, entity: match))
            return false
        }
        guard !evaluation.check(step) else { return true }
        walk(step.checkSteps, 0, rank: rank) { _ in }
        return false
    }

    // MARK: Failures

    private func failure(_ condition: PlanCondition, _ source: PlanSource) -> ViewFailure {
        var failure = ViewFailure(at: condition.place, condition: condition.text, value: nil, entity: nil)
        switch condition.right {
        case .source(let slot, let extractor, _, _):
            failure.entity = evaluation.key(slot)
            failure.value = value(extractor, slot)
        case .parameter:
            failure.entity = evaluation.key(source.slot)
            failure.value = value(condition.left, source.slot)
        }
        return failure
    }

    /// The value from which an extractor makes keys.
    private func value(_ extractor: KeyExtractor, _ slot: Int) -> [UInt8]? {
        switch extractor {
        case .identity, .nothing: return nil
        case .values(let pointer, _), .references(let pointer, _, _):
            return evaluation.value(ViewPath(slot: slot, pointer: pointer)).map { Array($0.text) }
        }
    }

    private mutating func note(_ predicate: ViewPredicate, rank: [Int], includes: [Int: [UInt8]] = [:]) {
        guard let (number, failed) = predicate.firstFailure(evaluation, includes) else { return }
        var failure = ViewFailure(at: "", condition: nil, value: nil, entity: nil)
        switch failed {
        case .test(let test):
            failure.at = test.place
            failure.condition = test.text
            failure.value = evaluation.value(test.reference, includes: includes).map { Array($0.text) }
            if case .source(let path) = test.reference { failure.entity = evaluation.key(path.slot) }
        case .any(_, let place, let text), .not(_, let place, let text):
            failure.at = place
            failure.condition = text
        case .all: break
        }
        note(rank: rank + [number], failure)
    }
}

extension ViewPredicate {
    /// The first condition that fails, with its number among those that must all hold.
    fileprivate func firstFailure(_ evaluation: Evaluation, _ includes: [Int: [UInt8]]) -> (Int, ViewPredicate)? {
        for (number, conjunct) in conjuncts.enumerated() where !evaluation.holds(conjunct, includes: includes) {
            return (number, conjunct)
        }
        return nil
    }
}
