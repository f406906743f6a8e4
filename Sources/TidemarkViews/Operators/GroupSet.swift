import TidemarkModel
import TidemarkStore

/// The groups of a result, each with the states of its aggregates.
struct GroupSet: Sendable {
    private struct Group: Sendable {
        var rowCount = 0
        /// The group's values in their canonical spelling; nil for an absent one.
        var shown: [[UInt8]?]
        var states: [AggregateState]

        mutating func add(_ inputs: [AggregateInput]) {
            rowCount += 1
            for (index, input) in inputs.enumerated() { states[index].add(input) }
        }
    }

    private let rule: ViewGroups
    private var groups: [ByteString: Group] = [:]

    /// Creates the groups of no rows: one for aggregates without groups, otherwise none.
    init(_ rule: ViewGroups) {
        self.rule = rule
        if rule.keys == nil {
            groups[ByteString([])] = Group(shown: [], states: rule.aggregates.map { AggregateState($0.function) })
        }
    }

    /// The keys of the groups.
    var keys: [ByteString] { Array(groups.keys) }

    mutating func add(_ contribution: GroupContribution) {
        let key = ByteString(contribution.key)
        if let position = groups.index(forKey: key) {
            groups.values[position].add(contribution.inputs)
        } else {
            var group = Group(
                shown: contribution.shown.map { $0.map { CanonicalValue.text($0) } },
                states: rule.aggregates.map { AggregateState($0.function) })
            group.add(contribution.inputs)
            groups[key] = group
        }
    }

    /// Takes a row away. A group without rows ends, except the one of aggregates without groups.
    mutating func remove(_ contribution: GroupContribution) {
        guard let position = groups.index(forKey: ByteString(contribution.key)) else { return }
        groups.values[position].rowCount -= 1
        if groups.values[position].rowCount == 0, rule.keys != nil {
            groups.remove(at: position)
            return
        }
        for (index, input) in contribution.inputs.enumerated() {
            groups.values[position].states[index].remove(input)
        }
    }

    /// Counts a row of a group with other inputs than before.
    ///
    /// - Parameters:
    ///   - old: What the row added.
    ///   - new: What it adds now, to the same group.
    mutating func replace(_ old: GroupContribution, with new: GroupContribution) {
        guard let position = groups.index(forKey: ByteString(old.key)) else { return }
        guard groups.values[position].rowCount > 1 || rule.keys == nil else {
            // The values of a group are shown as its first row has them.
            remove(old)
            return add(new)
        }
        for (index, (former, current)) in zip(old.inputs, new.inputs).enumerated() where former != current {
            groups.values[position].states[index].remove(former)
            groups.values[position].states[index].add(current)
        }
    }

    /// Returns the row of a group; nil if the group does not exist, or `having` drops it.
    func row(_ key: [UInt8], _ binding: ViewBinding?) -> GroupRow? {
        guard let group = groups[ByteString(key)] else { return nil }
        let row = GroupRow(values: group.shown + group.states.map(\.text))
        guard rule.having?.holds(binding, row.value) ?? true else { return nil }
        return row
    }

    /// An estimate of the bytes that the groups take.
    var byteCount: Int {
        groups.reduce(0) { $0 + 200 + $1.key.bytes.count + $1.value.states.reduce(0) { $0 + 160 + $1.byteCount } }
    }
}

/// The values of a group's row: its groups, then its aggregates; nil for an absent one.
struct GroupRow: Hashable, Sendable {
    var values: [[UInt8]?]

    func value(_ reference: ViewReference) -> ValueSlice? {
        guard case .member(let index, let pointer) = reference, let value = values[index] else { return nil }
        return ValueSlice(value, at: pointer)
    }

    /// The row's place in the order: the components of the order, then the values, then the bytes shown.
    func sortKey(_ order: [ViewOrder], groupCount: Int) -> [UInt8] {
        var key: [UInt8] = []
        for component in order { SortKey.append(value(component.reference), component.isDescending, to: &key) }
        for value in values[..<groupCount] { ValueSlice.appendOrdered(value.map { ValueSlice($0) }, to: &key) }
        for value in values[..<groupCount] { SortKey.append(text: value ?? [], to: &key) }
        return key
    }
}
