import TidemarkStore

extension Evaluation {
    /// What the row that is bound adds to its group.
    func contribution(_ groups: ViewGroups) -> GroupContribution {
        var contribution = GroupContribution(key: [], shown: [], inputs: [])
        for key in groups.keys ?? [] {
            let value = value(key.path)
            if let value {
                value.appendExact(to: &contribution.key)
            } else {
                contribution.key.append(ValueCode.missing)
            }
            contribution.shown.append(value)
        }
        contribution.inputs = groups.aggregates.map { input($0) }
        return contribution
    }

    private func input(_ aggregate: ViewAggregate) -> AggregateInput {
        if let filter = aggregate.filter, !holds(filter) { return .nothing }
        guard let path = aggregate.path else { return .row }
        guard let value = value(path), !value.isNull else { return .nothing }
        return .value(code: value.exactCode)
    }
}
