import TidemarkModel
import TidemarkViews

extension ScopeSet {
    /// What ``prepare(_:countMax:)`` needs next; nil once everything is read.
    package var nextStepOfRules: ViewFillStep? { views.nextStepOfRelations }

    /// What ``fill(_:_:countMax:identity:now:)`` needs next; ``/TidemarkViews/ViewFillStep/complete`` for a call that
    /// reads no page.
    package func nextStep(of handle: ScopeHandle) -> ViewFillStep {
        guard let scope = scopes[handle], case .filling = scope.phase, scope.filledCount < scope.uses.count else {
            return .complete
        }
        return views.nextStep(of: scope.uses[scope.filledCount])
    }

    /// Evaluates a scope, in a step of bounded length. Between two steps any change may be applied.
    ///
    /// - Parameters:
    ///   - countMax: The most entities to read, at least 1.
    ///   - identity: Random bytes, at least 8, for a log that begins.
    ///   - now: The time in seconds.
    /// - Returns: True once the scope is ready. It may be forbidden then.
    package mutating func fill(
        _ handle: ScopeHandle, _ entities: any ListableEntities, countMax: Int, identity: [UInt8], now: Int64
    ) -> Bool {
        guard let scope = scopes[handle], case .filling = scope.phase else { return true }
        if scope.filledCount >= scope.matchCounts.count, !scope.isAllowed {
            scopes[handle]?.phase = .forbidden
            return true
        }
        if scope.filledCount < scope.uses.count {
            let use = scope.uses[scope.filledCount]
            let isComplete = views.fill(use, entities, countMax: countMax)
            collect(views.takeMoves())
            if isComplete { scopes[handle]?.filledCount += 1 }
            return false
        }
        guard var filled = scopes.removeValue(forKey: handle) else { return true }
        defer { scopes[handle] = filled }
        begin(&filled, entities, identity: identity, now: now)
        return true
    }

    /// Folds moves into scopes that are being evaluated.
    private mutating func collect(_ moves: [ViewUseID: UseMoves]) {
        for (use, moves) in moves {
            for owner in owners[use] ?? [] {
                guard case .filling? = scopes[owner.scope]?.phase else { continue }
                scopes[owner.scope]?.fold(moves, requirement: owner.requirement)
            }
        }
    }

    private func begin(_ scope: inout HeldScope, _ entities: any ViewEntities, identity: [UInt8], now: Int64) {
        if let image = scope.image {
            restore(&scope, image, scope.withheld, entities, now: now)
        } else {
            scope.log = ScopeLog(identity: identity, numbers: scope.withheld, limits: limits)
        }
        scope.image = nil
        scope.withheld = []
        scope.phase = .open
    }

    /// Continues a stored log: what happened while nobody had the scope is one unit.
    private func restore(
        _ scope: inout HeldScope, _ image: ScopeLogImage, _ inside: Set<UInt32>, _ entities: any ViewEntities,
        now: Int64
    ) {
        let numbers = Dictionary(inside.map { (views.key(of: $0), $0) }) { first, _ in first }
        var log = ScopeLog(image, numbers: numbers, limits: limits)
        let stored = Dictionary(image.members.map { ($0.key, $0) }) { first, _ in first }
        var unit = ScopeUnit()
        for (key, number) in numbers.sorted(by: { $0.value < $1.value }) {
            let row = UseMoves.Row(number: number, key: key)
            guard let member = stored[key] else {
                unit.entered.append(row)
                continue
            }
            let sent = scope.sent(key, entities.state(of: key)) ?? []
            if ScopeLogImage.checksum(sent) != member.checksum {
                unit.changed.append(ScopeUnit.Former(row: row, sent: sent))
            }
        }
        let gone = image.members.filter { numbers[$0.key] == nil }.map { (key: $0.key, entered: $0.entered) }
        log.reconcile(gone: gone, unit, now: now)
        scope.log = log
    }
}

extension HeldScope {
    /// Takes over the rows of a use that another scope has had already: they are not reported again.
    mutating func adopt(
        _ other: HeldScope?, _ owner: ScopeSet.Owner, _ requirement: Int?, _ rule: ViewRule, _ views: ViewSet
    ) {
        guard let other else { return }
        if let requirement, let theirs = owner.requirement {
            matchCounts[requirement] = other.matchCounts[theirs]
        } else if let requirement {
            matchCounts[requirement] = other.rows(of: rule, views).count
        } else {
            withheld.formUnion(other.rows(of: rule, views))
        }
    }

    /// The entities that a type's rule lets in, whether the scope shows them or not.
    private func rows(of rule: ViewRule, _ views: ViewSet) -> [UInt32] {
        guard let type = definition.types.first(where: { $0.rule == rule })?.type else { return [] }
        let shown = (log?.members).map { Array($0.numbers) } ?? []
        return (shown + withheld).filter { views.key(of: $0).type == type }
    }

    /// Folds moves into what is known of a scope that shows nothing at the moment.
    mutating func fold(_ moves: UseMoves, requirement: Int?) {
        if let requirement {
            matchCounts[requirement] += moves.entered.count - moves.left.count
        } else {
            for row in moves.left { withheld.remove(row.number) }
            for row in moves.entered { withheld.insert(row.number) }
        }
    }
}
