import TidemarkStore

/// What the rows of one state add to the results of a shape's uses, for the rows that a change concerns.
struct Emissions {
    /// What a row adds to one use.
    struct Share {
        let use: UseNumber
        let contribution: Contribution
    }

    /// Each row once, with what it adds to each use that shows it, ascending by the uses.
    private(set) var rows: [(row: RowTuple, shares: [Share])] = []
    /// The places of the rows, once they are too many to be searched one after the other.
    private var places: [RowTuple: Int] = [:]
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
            let place = place(of: row)
            if let place, rows[place].shares.last?.use == use { return }
            guard let contribution = evaluation.contribution() else { return }
            let share = Share(use: use, contribution: contribution)
            if let place { rows[place].shares.append(share) } else { append(row, [share]) }
        } else {
            addShared(&evaluation, row)
        }
    }

    private mutating func addShared(_ evaluation: inout Evaluation, _ row: RowTuple) {
        var uses = evaluation.uses(before: evaluation.plan.end)
        let place = place(of: row)
        if let place {
            let those = Set(rows[place].shares.map(\.use))
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
        guard let place else { return append(row, shares) }
        rows[place].shares = (rows[place].shares + shares).sorted { $0.use < $1.use }
    }

    private static let searchedCountMax = 8

    /// What a row adds; nothing for a row that is not there.
    func shares(of row: RowTuple) -> [Share] { place(of: row).map { rows[$0].shares } ?? [] }

    private func place(of row: RowTuple) -> Int? {
        rows.count > Emissions.searchedCountMax ? places[row] : rows.firstIndex { $0.row == row }
    }

    private mutating func append(_ row: RowTuple, _ shares: [Share]) {
        rows.append((row, shares))
        guard rows.count > Emissions.searchedCountMax else { return }
        if rows.count == Emissions.searchedCountMax + 1 {
            for (place, entry) in rows.enumerated() { places[entry.row] = place }
        } else {
            places[row] = rows.count - 1
        }
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
        for (row, before) in old.rows { differences(row, before, new.shares(of: row), body) }
        for (row, after) in new.rows where old.place(of: row) == nil { differences(row, [], after, body) }
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
