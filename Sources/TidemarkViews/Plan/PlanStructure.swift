import TidemarkStore

/// Finds the values of a source that can change which rows there are, their order and their groups. A change of other
/// values only changes what shown rows look like.
struct PlanStructure: Sendable {
    /// What a change of an entity can do to the rows of a plan.
    enum Effect: Int, Comparable, Sendable {
        /// Nothing, but what they look like.
        case none
        /// The same rows in another order, or in other groups.
        case placement
        /// Other rows.
        case membership

        static func < (left: Effect, right: Effect) -> Bool { left.rawValue < right.rawValue }
    }

    /// The values that are compared as `eq` does.
    private let values: [RulePointer]
    /// The values that refer to entities. Their spelling counts: 1 is an id, and 1.0 is none.
    private let references: [RulePointer]
    /// The values that only decide on the order and the groups.
    private let placements: [RulePointer]

    /// Collects what a view reads of one source.
    init(
        of source: PlanSource, in body: PlanBody, _ sources: [PlanSource], _ structural: Set<Int>
    ) {
        var found = PointerCollector(slot: source.slot)
        for condition in source.conditions { found.note(condition.left) }
        for other in sources {
            found.note(other.filter)
            for condition in other.conditions {
                if case .source(source.slot, let extractor, _, _) = condition.right { found.note(extractor) }
            }
        }
        found.note(body.filter)
        found.note(body.deferred)
        for index in structural.sorted() { found.note(body.includes[index].body) }
        var placed = PointerCollector(slot: source.slot)
        placed.noteOutput(body)
        values = Array(found.values)
        references = Array(found.references)
        // With includes that decide on rows or on their order, rows are compared as a whole.
        placements = Array(placed.values.subtracting(found.values))
        hasStructuralIncludes = !structural.isEmpty
    }

    private let hasStructuralIncludes: Bool

    /// What the difference of two versions of a resource can do.
    func effect(_ old: OutlinedResource, _ new: OutlinedResource, _ difference: MemberDifference) -> Effect {
        let isReferring = references.contains { difference.mayConcern($0) && !$0.readsAlike(old, new) }
        if isReferring || differ(values, old, new, difference) { return .membership }
        guard differ(placements, old, new, difference) else { return .none }
        return hasStructuralIncludes ? .membership : .placement
    }

    private func differ(
        _ pointers: [RulePointer], _ old: OutlinedResource, _ new: OutlinedResource, _ difference: MemberDifference
    ) -> Bool {
        pointers.contains { pointer in
            difference.mayConcern(pointer) && !pointer.readsAlike(old, new)
                && ValueSlice(old, at: pointer)?.exactCode != ValueSlice(new, at: pointer)?.exactCode
        }
    }
}

/// Collects the values that a plan reads of the source at one slot.
private struct PointerCollector {
    let slot: Int
    private(set) var values: Set<RulePointer> = []
    private(set) var references: Set<RulePointer> = []

    init(slot: Int) { self.slot = slot }

    mutating func note(_ reference: ViewReference) {
        if case .source(let path) = reference, path.slot == slot { values.insert(path.pointer) }
    }

    mutating func note(_ predicate: ViewPredicate?) {
        predicate?.forEachTest { test in test.forEachReference { note($0) } }
    }

    mutating func note(_ extractor: KeyExtractor) {
        switch extractor {
        case .values(let pointer, _): values.insert(pointer)
        case .references(let pointer, _, _): references.insert(pointer)
        case .identity, .nothing: break
        }
    }

    mutating func note(_ body: PlanBody) {
        note(body.filter)
        note(body.deferred)
        noteOutput(body)
    }

    /// Notes what decides on the order and the groups of rows.
    mutating func noteOutput(_ body: PlanBody) {
        for component in body.order { note(component.reference) }
        guard case .groups(let groups) = body.output else { return }
        for key in groups.keys ?? [] { note(.source(key.path)) }
        for aggregate in groups.aggregates {
            if let path = aggregate.path { note(.source(path)) }
            note(aggregate.filter)
        }
    }
}
