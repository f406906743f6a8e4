import TidemarkModel

/// What one row adds to the result of a use.
enum Contribution: Hashable, Sendable {
    /// A row of the result, with its sort key.
    case row(sortKey: [UInt8])
    /// A row that is counted in a group.
    case grouped(GroupContribution)
}

/// What one row adds to its group.
struct GroupContribution: Sendable {
    /// The codes of the group's values: equal for rows of one group.
    var key: [UInt8]
    /// The group's values; nil for an absent one.
    var shown: [ValueSlice?]
    /// What the row adds to each aggregate.
    var inputs: [AggregateInput]
}

extension GroupContribution: Hashable {
    static func == (left: GroupContribution, right: GroupContribution) -> Bool {
        ByteOrder.equal(left.key, right.key) && left.inputs == right.inputs
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(inputs)
    }
}
