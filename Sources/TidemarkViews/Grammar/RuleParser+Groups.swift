import TidemarkStore

extension RuleParser {
    /// Parses `group`, `aggregates` and `having`; nil if a rule has neither groups nor aggregates.
    mutating func groups(of rule: RuleObject, _ frame: BodyFrame) throws(ViewRuleError) -> ViewGroups? {
        let group = rule.present("group")
        let aggregates = rule.present("aggregates")
        guard group != nil || aggregates != nil else { return nil }
        var groups = ViewGroups()
        var names: Set<[UInt8]> = []
        if let group {
            let place = rule.place("group")
            var keys: [(name: [UInt8], path: ViewPath)] = []
            for member in try group.members(at: place) {
                let path = try sourcePath(member.value, at: place + RulePlace.token(member.name), frame.meaning)
                names.insert(member.name)
                keys.append((member.name, path))
            }
            guard !keys.isEmpty else {
                throw ViewRuleError(place, "is empty; write what forms the groups, or leave it out for one row")
            }
            groups.keys = keys
        }
        if let aggregates {
            let place = rule.place("aggregates")
            for member in try aggregates.members(at: place) {
                let inner = place + RulePlace.token(member.name)
                guard names.insert(member.name).inserted else {
                    throw ViewRuleError(inner, "has the name of a group; write another one")
                }
                groups.aggregates.append(try aggregate(member, at: inner, frame))
            }
            guard group != nil || !groups.aggregates.isEmpty else {
                throw ViewRuleError(place, "is empty; write an aggregate, such as {\"n\": {\"count\": true}}")
            }
        }
        if let having = rule.present("having") {
            let row = RowNames(output: .groups(groups), includes: [])
            let meaning = PathMeaning(scope: RuleScope(), slash: .output(row))
            groups.having = try predicate(having, at: rule.place("having"), meaning)
        }
        return groups
    }

    private mutating func aggregate(
        _ member: RuleNode.Member, at place: String, _ frame: BodyFrame
    ) throws(ViewRuleError) -> ViewAggregate {
        let functions = ViewAggregate.Function.allCases
        let object = try RuleObject(member.value, at: place, knows: functions.map(\.rawValue) + ["where"])
        let present = functions.filter { object.present($0.rawValue) != nil }
        guard let function = present.first, present.count == 1, let operand = object.present(function.rawValue) else {
            throw ViewRuleError(
                place, "is no aggregate; write one of \(functions.map(\.rawValue).joined(separator: ", "))")
        }
        var path: ViewPath?
        let inner = object.place(function.rawValue)
        if case .word = operand, function == .count {
            guard try operand.flag(at: inner) else { throw ViewRuleError(inner, "is false; write true or a path") }
        } else {
            path = try sourcePath(operand, at: inner, frame.meaning)
        }
        var filter: ViewPredicate?
        if let node = object.present("where") {
            filter = try predicate(node, at: object.place("where"), frame.meaning)
        }
        return ViewAggregate(name: member.name, function: function, path: path, filter: filter)
    }
}
