import TidemarkStore

/// What the rows of one state add to the results of a shape's uses, for the rows that a change concerns.
struct Emissions {
    /// What a row adds to one use.
    struct Share {
        let use: UseNumber
        let contribution: Contribution
    }

    /// By row, what it adds to each use that shows it, ascending by the uses.
    private(set) var rows: [RowTuple: [Share]] = [:]
    /// By use, the questions for unknown entities.
    private(set) var asks: [UseNumber: Set<AskID>] = [:]
    /// The questions that do not depend on parameters, where uses share a walk.
    private(set) var commonAsks: Set<AskID> = []

    /// Adds the row that is bound in an evaluation, for every use that shows it.
    ///
    /// The uses of a shape that shares no walk are added one after the other, ascending.
    ///
    /// - Parameter use: The use of the evaluation's parameters; nil if it serves all uses.
    mutating func add(_ evaluation: inout Evaluation, _ use: UseNumber?) {
        let row = evaluation.row
        if let use {
            if rows[row]?.last?.use == use { return }
            guard let contribution = evaluation.contribution() else { return }
            rows[row, default: []].append(Share(use: use, contribution: contribution))
        } else {
            addShared(&evaluation, row)
        }
    }

    private mutating func addShared(_ evaluation: inout Evaluation, _ row: RowTuple) {
        var uses = evaluation.uses(before: evaluation.plan.end)
        let known = rows[row]
        if let known {
            let those = Set(known.map(\.use))
            uses.removeAll { those.contains($0) }
        }
        guard !uses.isEmpty else { return }
        var shares: [Share] = []
        if evaluation.plan.contributesAlike {
            guard let contribution = evaluation.contribution() else { return }
            shares = uses.map { Share(use: $0, contribution: contribution) }
        } else {
            defer { evaluation.binding = nil }
            for use in uses {
                evaluation.binding = evaluation.sharing?.bindings[use]
                if let contribution = evaluation.contribution() {
                    shares.append(Share(use: use, contribution: contribution))
                }
            }
        }
        guard !shares.isEmpty else { return }
        rows[row] = known.map { ($0 + shares).sorted { $0.use < $1.use } } ?? shares
    }

    /// Takes over the questions that an evaluation has collected.
    mutating func addAsks(_ evaluation: Evaluation, _ use: UseNumber?) {
        for ask in evaluation.asks {
            if let owner = ask.use ?? use {
                asks[owner, default: []].insert(ask)
            } else {
                commonAsks.insert(ask)
            }
        }
    }
}

extension Emissions {
    /// Calls `body` for each row and use whose contribution differs between two states.
    static func forEachDifference(
        from old: Emissions, to new: Emissions, _ body: (RowTuple, UseNumber, Contribution?, Contribution?) -> Void
    ) {
        for (row, before) in old.rows { differences(row, before, new.rows[row] ?? [], body) }
        for (row, after) in new.rows where old.rows[row] == nil { differences(row, [], after, body) }
    }

    private static func differences(
        _ row: RowTuple, _ old: [Share], _ new: [Share],
        _ body: (RowTuple, UseNumber, Contribution?, Contribution?) -> Void
    ) {
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if right == new.count || left < old.count && old[left].use < new[right].use {
                body(row, old[left].use, old[left].contribution, nil)
                left += 1
            } else if left == old.count || new[right].use < old[left].use {
                body(row, new[right].use, nil, new[right].contribution)
                right += 1
            } else {
                let (before, after) = (old[left].contribution, new[right].contribution)
                if before != after { body(row, old[left].use, before, after) }
                left += 1
                right += 1
            }
        }
    }
}

extension Evaluation {
    /// The entities of the row that is bound.
    var row: RowTuple { RowTuple(slots, keeping: plan.body.rowSlots) }

    /// What the row that is bound adds to a use with the evaluation's parameters; nil if the view's `where` drops it.
    ///
    /// Conditions with parameters that are not bound count as fulfilled.
    mutating func contribution() -> Contribution? {
        let body = plan.body
        let includes = plan.structuralIncludes.isEmpty ? [:] : structuralIncludes()
        if let filter = body.filter, !holds(filter, includes: includes) { return nil }
        if let deferred = body.deferred, binding != nil, !holds(deferred, includes: includes) { return nil }
        if let groups = plan.groups { return .grouped(contribution(groups)) }
        return .row(sortKey: sortKey(body, includes: includes))
    }
}
