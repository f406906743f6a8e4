import TidemarkJSON

extension MembershipParser {
    /// Parses a predicate.
    ///
    /// - Parameters:
    ///   - value: The range of the predicate.
    ///   - place: The JSON Pointer to the predicate inside the rule.
    ///   - depth: The nesting depth, from 1 for the outermost predicate.
    mutating func predicate(_ value: Range<Int>, at place: String, depth: Int) throws(MembershipError) -> Predicate {
        guard depth <= MembershipParser.depthMax else {
            throw wrong(place, "nests deeper than \(MembershipParser.depthMax); write fewer all, any and not around it")
        }
        let object = try object(value, at: place)
        let names = object.members.map { String(decoding: object.unescapedName($0), as: UTF8.self) }
        if names.contains("path") { return try tests(object, names, at: place) }
        guard let name = names.first, names.count == 1, let inner = object.members.first?.value else {
            throw wrong(place, "is not a predicate; write a path with an operator, or one of all, any, not alone")
        }
        try count(at: place)
        switch name {
        case "all": return .all(try predicates(inner, at: place + "/all", depth: depth + 1))
        case "any": return .any(try predicates(inner, at: place + "/any", depth: depth + 1))
        case "not": return .not(try predicate(inner, at: place + "/not", depth: depth + 1))
        default: throw wrong(place, "is not a predicate; write a path with an operator, or one of all, any, not alone")
        }
    }

    private mutating func predicates(
        _ value: Range<Int>, at place: String, depth: Int
    ) throws(MembershipError) -> [Predicate] {
        var predicates: [Predicate] = []
        for (index, element) in try elements(value, at: place).enumerated() {
            predicates.append(try predicate(element, at: "\(place)/\(index)", depth: depth))
        }
        return predicates
    }

    private mutating func tests(
        _ object: JSONObject, _ names: [String], at place: String
    ) throws(MembershipError) -> Predicate {
        var pointer: RulePointer?
        for (name, member) in zip(names, object.members) where name == "path" {
            pointer = try self.pointer(member.value, at: place + "/path")
        }
        guard let pointer else { throw wrong(place + "/path", "is missing; write a JSON Pointer such as \"/kind\"") }
        var tests: [Predicate] = []
        for (name, member) in zip(names, object.members) where name != "path" {
            try count(at: place)
            tests.append(.test(pointer, try test(name, member.value, at: place)))
        }
        guard let first = tests.first else {
            throw wrong(place, "has a path but no operator; write one of eq ne lt lte gt gte in exists prefix")
        }
        return tests.count == 1 ? first : .all(tests)
    }

    private mutating func test(
        _ name: String, _ operand: Range<Int>, at place: String
    ) throws(MembershipError) -> ValueTest {
        switch name {
        case "eq": return .equal(exactCode(operand))
        case "ne": return .notEqual(exactCode(operand))
        case "lt": return .ordered(.less, orderedCode(operand))
        case "lte": return .ordered(.lessOrEqual, orderedCode(operand))
        case "gt": return .ordered(.greater, orderedCode(operand))
        case "gte": return .ordered(.greaterOrEqual, orderedCode(operand))
        case "in": return .oneOf(try alternatives(operand, at: place + "/in"))
        case "exists": return .exists(try boolean(operand, at: place + "/exists"))
        case "prefix": return .prefix(try string(operand, at: place + "/prefix"))
        default:
            // If a misspelt operator were ignored, the rule would accept resources that it should exclude.
            throw wrong(
                place,
                "has a member that is not an operator; write eq ne lt lte gt gte in exists or prefix beside the path")
        }
    }

    private mutating func alternatives(_ value: Range<Int>, at place: String) throws(MembershipError) -> Set<[UInt8]> {
        let elements = try elements(value, at: place)
        alternativeCount += elements.count
        guard alternativeCount <= MembershipParser.alternativeCountMax else {
            throw wrong(
                place,
                "brings the values of all in to \(alternativeCount); "
                    + "write at most \(MembershipParser.alternativeCountMax)")
        }
        return Set(elements.map(exactCode))
    }

    private mutating func count(at place: String) throws(MembershipError) {
        predicateCount += 1
        guard predicateCount <= MembershipParser.predicateCountMax else {
            throw wrong(place, "is one predicate more than \(MembershipParser.predicateCountMax); write fewer")
        }
    }

    private func exactCode(_ value: Range<Int>) -> [UInt8] {
        var code: [UInt8] = []
        ValueCode.appendExact(value, of: bytes, to: &code)
        return code
    }

    private func orderedCode(_ value: Range<Int>) -> [UInt8] {
        var code: [UInt8] = []
        ValueCode.appendOrdered(value, of: bytes, to: &code)
        return code
    }
}
