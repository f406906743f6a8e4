import TidemarkModel
import TidemarkStore

/// Evaluates the steps of a plan over the relations, for one state of the entities.
///
/// The slots are the entities that are bound at the moment, one for each visible source. A walk binds one source after
/// the other and calls its body for each way to do so.
struct Evaluation {
    let indexes: ViewIndexes
    let plan: ViewPlan
    var reader: ResourceReader
    /// The parameters; nil for a walk that serves all uses at once: conditions with parameters then count as fulfilled.
    var binding: ViewBinding?
    /// The uses that a walk without parameters serves; nil otherwise.
    var sharing: SharedUses?
    var slots: [EntityNumber]
    /// The version of an entity that is not the one of this state, for ``EntityTable/phantom``.
    var phantom: (key: ViewKey, resource: OutlinedResource)?
    /// Entities that the relations do not have, for explanations, by numbers from ``EntityTable/firstExtra`` on.
    var extras: [(key: ViewKey, resource: OutlinedResource)] = []
    /// What was read for one row; nil outside of rendering.
    var log: ReadLog?
    /// True while the entities that joins ask for are collected.
    var collectsAsks = false
    /// The collected questions for entities that the cache does not know.
    var asks: Set<AskID> = []
    /// The keys by which the current row finds its uses.
    var routeKeys: [ByteString] = []
    /// The entities of this state that the change concerns; nil outside of changes.
    var changedEntities: Set<EntityNumber>?
    /// True if rows only move, so that no question for unknown entities can change.
    var leavesAsks = false
    /// True while changed entities are left out.
    var leavesOutChanged = false
    /// The keys of the only uses that the examined change concerns; nil for all.
    var routeRestriction: Set<ByteString>?

    init(_ indexes: ViewIndexes, _ plan: ViewPlan, _ reader: ResourceReader, _ binding: ViewBinding?) {
        self.indexes = indexes
        self.plan = plan
        self.reader = reader
        self.binding = binding
        slots = [EntityNumber](
            repeating: EntityTable.none, count: max(plan.rule.slotCount, ViewLimits.sourceCountCeiling))
    }

    // MARK: Entities

    /// The key of the entity at a slot; nil without one.
    func key(_ slot: Int) -> ViewKey? {
        switch slots[slot] {
        case EntityTable.none: nil
        case EntityTable.phantom: phantom?.key
        case EntityTable.firstExtra...: extras[Int(slots[slot] - EntityTable.firstExtra)].key
        default: indexes.table.key(of: slots[slot])
        }
    }

    /// The resource of the entity at a slot; nil without one.
    func resource(_ slot: Int) -> OutlinedResource? {
        switch slots[slot] {
        case EntityTable.none: nil
        case EntityTable.phantom: phantom?.resource
        case EntityTable.firstExtra...: extras[Int(slots[slot] - EntityTable.firstExtra)].resource
        default: reader.resource(slots[slot], indexes.table)
        }
    }

    /// The join keys of the entity at a slot; none without one.
    func keys(_ extractor: KeyExtractor, _ slot: Int) -> JoinKeys {
        guard let key = key(slot) else { return JoinKeys() }
        if case .identity = extractor { return JoinKeys(key.id) }
        return resource(slot).map { indexes.keys(extractor, key, $0) } ?? JoinKeys()
    }

    /// The keys that the right side of a condition has; nil if they are those of a parameter that is not bound.
    func rightKeys(_ condition: PlanCondition) -> JoinKeys? {
        switch condition.right {
        case .source(let slot, let extractor, _, _):
            let number = slots[slot]
            guard number != EntityTable.none, number < EntityTable.firstExtra else { return keys(extractor, slot) }
            return reader.keys(condition, number) { keys(extractor, slot) }
        case .parameter(let index, let extractor):
            guard let binding else { return nil }
            return extractor.keys(of: binding.values[index], types: indexes.types)
        }
    }
}

/// One question for an entity that the cache does not know.
struct AskID: Hashable {
    /// The use whose parameters let the row through that asks; nil if the parameters do not matter.
    let use: UseNumber?
    /// The slot of the source that asks.
    let slot: Int
    /// The entities that were bound.
    let row: RowTuple
    let key: ViewKey
}
