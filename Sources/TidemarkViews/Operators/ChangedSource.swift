import TidemarkStore

/// A change of an entity, seen from one source of a plan.
struct ChangedSource {
    let change: ViewChange
    let source: PlanSource
    /// What the change can do to rows.
    let effect: PlanStructure.Effect
    /// True if the entity became known or unknown, and the source asks for such entities.
    let changesAsks: Bool

    /// True if rows only move: then one walk over the present state finds them all.
    var isPlacement: Bool { effect == .placement && !changesAsks }

    /// Returns a change as a plan's sources see it; only sources that it concerns.
    ///
    /// - Parameter difference: What differs between both states of the entity.
    static func all(_ change: ViewChange, _ difference: MemberDifference, _ plan: ViewPlan) -> [ChangedSource] {
        var found: [ChangedSource] = []
        for number in plan.sourcesByType[change.key.type] ?? [] {
            let source = plan.sources[number]
            let effect = effect(change, difference, plan.structure[number])
            let changesAsks = source.asks && (change.old == .unknown) != (change.new == .unknown)
            guard effect != .none || changesAsks else { continue }
            found.append(ChangedSource(change: change, source: source, effect: effect, changesAsks: changesAsks))
        }
        return found
    }

    private static func effect(
        _ change: ViewChange, _ difference: MemberDifference, _ structure: PlanStructure
    ) -> PlanStructure.Effect {
        switch (change.old.resource, change.new.resource) {
        case (nil, nil): .none
        case (let old?, let new?): structure.effect(old, new, difference)
        case (nil, .some), (.some, nil): .membership
        }
    }
}

extension ViewChange {
    /// The top-level members in which both states of the entity differ; unknown without two resources.
    var difference: MemberDifference {
        guard let old = old.resource, let new = new.resource else { return .unknown }
        return MemberDifference(old, new)
    }
}
