import TidemarkModel
import TidemarkStore

extension Evaluation {
    /// The aggregates of an include for the row that is bound, as JSON.
    mutating func includeValue(_ include: PlanInclude) -> [UInt8] {
        if case .object(let object) = content(include) { object } else { [] }
    }

    /// An include of the row that is bound.
    mutating func content(_ include: PlanInclude) -> RenderedInclude.Content {
        let formerAsks = collectsAsks
        collectsAsks = log != nil
        defer { collectsAsks = formerAsks }
        if case .groups(let groups) = include.body.output {
            return content(of: groupSet(include.body, groups), include.body, groups)
        }
        var rows: [(sortKey: [UInt8], slots: [EntityNumber])] = []
        walkRows(include.body) { evaluation in
            var values: [Int: [UInt8]] = [:]
            for component in include.body.order {
                if case .include(let index, _) = component.reference, values[index] == nil {
                    values[index] = evaluation.includeValue(include.body.includes[index])
                }
            }
            let slots = include.body.rowSlots.map { evaluation.slots[$0] }
            rows.append((evaluation.sortKey(include.body, includes: values), slots))
        }
        rows.sort { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
        let limit = include.isOne ? 1 : include.body.limit ?? rows.count
        let elements = rows.dropFirst(include.body.offset).prefix(limit).map { element($0.slots, include.body) }
        return include.isOne ? .one(elements.first) : .list(elements)
    }

    private mutating func element(_ row: [EntityNumber], _ body: PlanBody) -> RenderedElement {
        for (slot, number) in zip(body.rowSlots, row) { slots[slot] = number }
        defer { for slot in body.rowSlots { slots[slot] = EntityTable.none } }
        var key: [UInt8] = []
        for slot in body.rowSlots { SortKey.append(id: self.key(slot)?.id, to: &key) }
        return RenderedElement(key: key, row: self.row(body))
    }

    /// The groups of an include, for the row that is bound.
    mutating func groupSet(_ body: PlanBody, _ groups: ViewGroups) -> GroupSet {
        var set = GroupSet(groups)
        walkRows(body) { evaluation in
            if let log = evaluation.log {
                for slot in body.rowSlots { if let key = evaluation.key(slot) { log.note(behind: key) } }
            }
            set.add(evaluation.contribution(groups))
        }
        return set
    }

    /// The rows of groups, or the object of aggregates.
    func content(of set: GroupSet, _ body: PlanBody, _ groups: ViewGroups) -> RenderedInclude.Content {
        guard let keys = groups.keys else {
            return .object(set.row([], binding).map { Evaluation.text($0, groups) } ?? Array("{}".utf8))
        }
        var rows: [(sortKey: [UInt8], element: RenderedElement)] = []
        for key in set.keys {
            guard let row = set.row(key.bytes, binding) else { continue }
            let rendered = RenderedRow(own: Evaluation.text(row, groups))
            rows.append(
                (row.sortKey(body.order, groupCount: keys.count), RenderedElement(key: key.bytes, row: rendered)))
        }
        rows.sort { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
        return .list(rows.dropFirst(body.offset).prefix(body.limit ?? rows.count).map(\.element))
    }

    /// What an entity adds to the aggregates of an include without joins, for the row that is bound; nil if it is no
    /// match.
    mutating func contribution(
        _ key: ViewKey, _ resource: OutlinedResource?, _ body: PlanBody, _ groups: ViewGroups
    ) -> GroupContribution? {
        let source = body.steps[0].source
        guard let resource, indexes.relations[source.relation].admits(resource) else { return nil }
        phantom = (key, resource)
        slots[source.slot] = EntityTable.phantom
        defer {
            phantom = nil
            slots[source.slot] = EntityTable.none
        }
        guard acceptsBound(source) else { return nil }
        for predicate in [body.filter, body.deferred] {
            if let predicate, !holds(predicate) { return nil }
        }
        return contribution(groups)
    }

    /// Calls `action` for each way to bind the sources of an include that fulfils its `where`.
    private mutating func walkRows(_ body: PlanBody, _ action: (inout Evaluation) -> Void) {
        walk(body.steps, from: 0, to: body.steps.count) { evaluation in
            if let filter = body.filter, !evaluation.holds(filter) { return true }
            if let deferred = body.deferred, !evaluation.holds(deferred) { return true }
            action(&evaluation)
            return true
        }
    }
}
