import TidemarkStore

extension RuleParser {
    /// Parses a predicate.
    mutating func predicate(
        _ node: RuleNode, at place: String, _ meaning: PathMeaning, depth: Int = 1
    ) throws(ViewRuleError) -> ViewPredicate {
        guard depth <= MembershipParser.depthMax else {
            throw ViewRuleError(place, "nests deeper than \(MembershipParser.depthMax)")
        }
        let operators = ViewTest.Operator.allCases.map(\.rawValue)
        let object = try RuleObject(node, at: place, knows: ["path", "all", "any", "not"] + operators)
        let members = try node.members(at: place)
        if let path = object.present("path") { return try tests(members, path, at: place, meaning) }
        guard members.count == 1, let member = members.first else {
            throw ViewRuleError(place, "is no predicate; write a path with operators, or one of all, any, not alone")
        }
        try count(at: place)
        let inner = place + RulePlace.token(member.name)
        switch String(decoding: member.name, as: UTF8.self) {
        case "all": return .all(try predicates(member.value, at: inner, meaning, depth: depth + 1))
        case "any":
            let alternatives = try predicates(member.value, at: inner, meaning, depth: depth + 1)
            return .any(alternatives, place: place, text: node.canonical)
        case "not":
            let negated = try predicate(member.value, at: inner, meaning, depth: depth + 1)
            return .not(negated, place: place, text: node.canonical)
        default:
            throw ViewRuleError(place, "has no path; write one beside the operator")
        }
    }

    private mutating func predicates(
        _ node: RuleNode, at place: String, _ meaning: PathMeaning, depth: Int
    ) throws(ViewRuleError) -> [ViewPredicate] {
        var predicates: [ViewPredicate] = []
        for (index, element) in try node.elements(at: place).enumerated() {
            predicates.append(try predicate(element, at: "\(place)/\(index)", meaning, depth: depth))
        }
        return predicates
    }

    private mutating func tests(
        _ members: [RuleNode.Member], _ path: RuleNode, at place: String, _ meaning: PathMeaning
    ) throws(ViewRuleError) -> ViewPredicate {
        let reference = try reference(path, at: place + "/path", meaning)
        var tests: [ViewPredicate] = []
        for member in members where member.name != Array("path".utf8) {
            let inner = place + RulePlace.token(member.name)
            guard let operation = ViewTest.Operator(rawValue: String(decoding: member.name, as: UTF8.self)) else {
                throw ViewRuleError(inner, "stands beside a path; write it alone")
            }
            try count(at: place)
            let operand = try operand(operation, member.value, at: inner, meaning)
            let pathMember = RuleNode.Member(name: Array("path".utf8), value: path)
            tests.append(
                .test(
                    ViewTest(
                        reference: reference, operation: operation, operand: operand, place: place,
                        text: RuleNode.object([pathMember, member]).canonical)))
        }
        guard let predicate = ViewPredicate.joined(tests) else {
            throw ViewRuleError(place, "has a path but no operator; write one of eq ne lt lte gt gte in exists prefix")
        }
        return predicate
    }

    private mutating func operand(
        _ operation: ViewTest.Operator, _ node: RuleNode, at place: String, _ meaning: PathMeaning
    ) throws(ViewRuleError) -> ViewTest.Operand {
        if operation == .exists { return .literal(.exists(try node.flag(at: place))) }
        if let name = node.only("param") {
            let index = try parameter(name, at: place + "/param")
            if operation == .oneOf { parameterUses[index].arrayPlace = place }
            if operation == .prefix { parameterUses[index].stringPlace = place }
            return .parameter(index)
        }
        if let path = node.only("path") { return .reference(try reference(path, at: place + "/path", meaning)) }
        if let literal = node.only("value") {
            return .literal(try self.literal(operation, literal, at: place + "/value"))
        }
        return .literal(try literal(operation, node, at: place))
    }

    private mutating func literal(
        _ operation: ViewTest.Operator, _ node: RuleNode, at place: String
    ) throws(ViewRuleError) -> ValueTest {
        switch operation {
        case .oneOf:
            let elements = try node.elements(at: place)
            alternativeCount += elements.count
            guard alternativeCount <= MembershipParser.alternativeCountMax else {
                throw ViewRuleError(
                    place, "brings the values of all in above \(MembershipParser.alternativeCountMax); write fewer")
            }
        case .prefix: _ = try node.text(at: place)
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .exists: break
        }
        // A literal of the right kind always has a test.
        return node.canonical.withUnsafeBytes { ViewTest.test(operation, 0..<$0.count, of: $0) } ?? .oneOf([])
    }

    private mutating func count(at place: String) throws(ViewRuleError) {
        predicateCount += 1
        guard predicateCount <= limits.predicateCountMax else {
            throw ViewRuleError(place, "is one predicate more than \(limits.predicateCountMax); write fewer")
        }
    }
}
