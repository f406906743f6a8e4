/// A change of an entity, seen from one source of a plan.
struct ChangedSource {
    let change: ChangedEntity
    let source: PlanSource
    /// What the change can do to rows.
    let effect: PlanStructure.Effect
    /// True if the entity became known or unknown, and the source asks for such entities.
    let changesAsks: Bool

    /// True if rows only move: then one walk over the present state finds them all.
    var isPlacement: Bool { effect == .placement && !changesAsks }

    /// Returns a change as a plan's sources see it; only sources that it concerns.
    static func all(_ change: ChangedEntity, _ plan: ViewPlan) -> [ChangedSource] {
        var found: [ChangedSource] = []
        for number in plan.sourcesByType[change.key.type] ?? [] {
            let source = plan.sources[number]
            let effect = effect(change, plan.structure[number])
            let changesAsks = source.asks && (change.old == .unknown) != (change.new == .unknown)
            guard effect != .none || changesAsks else { continue }
            found.append(ChangedSource(change: change, source: source, effect: effect, changesAsks: changesAsks))
        }
        return found
    }

    private static func effect(_ change: ChangedEntity, _ structure: PlanStructure) -> PlanStructure.Effect {
        switch (change.oldResource, change.newResource) {
        case (nil, nil): .none
        case (let old?, let new?): structure.effect(old, new, change.difference)
        case (nil, .some), (.some, nil): .membership
        }
    }
}
