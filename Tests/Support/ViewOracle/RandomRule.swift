import TidemarkTesting

/// Draws rules. Some are refused; those that are accepted reach every operator.
package struct RandomRule {
    private var random: SeededGenerator
    /// The visible aliases.
    private var aliases: [String] = []
    private var nextAlias = 0
    /// True if the rule may have parameters.
    private let hasParameters: Bool

    package init(seed: UInt64, hasParameters: Bool) {
        random = SeededGenerator(seed: seed)
        self.hasParameters = hasParameters
    }

    static let arrayParameter = "list"

    package mutating func view() -> String {
        var members: [String] = []
        let alias = newAlias()
        let own = random.percent(25) ? ",\"where\":\(predicate(own: true))" : ""
        aliases.append(alias)
        members.append("\"from\":{\"type\":\"\(random.one(RandomEntities.types))\",\"as\":\"\(alias)\"\(own)}")
        let joins = (0..<random.one([0, 0, 1, 1, 1, 2, 2, 3])).map { _ in join(depth: 0) }
        if !joins.isEmpty { members.append("\"joins\":[\(joins.joined(separator: ","))]") }
        var includes: [String] = []
        if random.percent(35) {
            members += groups(own: false)
        } else {
            let (texts, names) = self.includes(depth: 0)
            members += texts
            includes = names
            if random.percent(50) { members.append(select(own: false)) }
            members += order(includes: includes)
        }
        if random.percent(25) { members.append("\"where\":\(predicate(own: false, includes: includes))") }
        members += window()
        if random.percent(50) { members.append("\"total\":true") }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func newAlias() -> String {
        nextAlias += 1
        return "x\(nextAlias)"
    }

    private mutating func window() -> [String] {
        var members: [String] = []
        if random.percent(40) { members.append("\"limit\":\(random.count(1...4))") }
        if random.percent(20) { members.append("\"offset\":\(random.count(0...3))") }
        return members
    }

    // MARK: Paths

    private mutating func pointer() -> String {
        random.one(["/a", "/b", "/c", "/r", "/s", "/l", "/a/x", "/l/0", "/id", "/m", "/a", "/b", "/c"])
    }

    private mutating func path() -> String { random.one(aliases) + pointer() }

    private mutating func joinPath() -> String {
        random.one(aliases)
            + (random.percent(25) ? random.one(["/l/*", "/m/*"]) : random.one(["/a", "/b", "/r", "/s"]))
    }

    private func parameter(_ name: String) -> String {
        "{\"param\":\"\(name)\"}"
    }

    // MARK: Joins

    private mutating func conditions() -> String {
        var conditions: [String: String] = [:]
        for _ in 0..<(random.percent(88) ? 1 : 2) {
            switch random.count(0...9) {
            case 0...4:
                conditions["@key"] =
                    "\"\(random.one(aliases))\(random.one(["/r", "/r", "/s", "/s", "/l/*", "/l", "@key"]))\""
            case 5, 6: conditions[random.one(["/r", "/s", "/l", "/l/*"])] = "\"\(random.one(aliases))@key\""
            case 7 where hasParameters:
                let left = random.one(["/a", "/b", "/l/*", "@key", "/a"])
                conditions[left] = parameter(random.one(["p", "q"]))
            default: conditions[random.one(["/a", "/b", "/r", "/m/*", "/l/*"])] = "\"\(joinPath())\""
            }
        }
        if hasParameters, random.percent(25) { conditions["/b"] = parameter("p") }
        let members = conditions.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func join(depth: Int) -> String {
        let alias = newAlias()
        let kind = random.one(["inner", "inner", "left", "left", "exists", "absent"])
        var members = [
            "\"type\":\"\(random.one(RandomEntities.types))\"", "\"as\":\"\(alias)\"", "\"kind\":\"\(kind)\"",
            "\"on\":\(conditions())",
        ]
        let outer = aliases
        aliases.append(alias)
        if random.percent(25) { members.append("\"where\":\(predicate(own: true))") }
        if kind == "exists" || kind == "absent" {
            if depth < 2, random.percent(35) {
                let joins = (0..<random.count(1...2)).map { _ in join(depth: depth + 1) }
                members.append("\"joins\":[\(joins.joined(separator: ","))]")
            }
            aliases = outer
        }
        return "{\(members.joined(separator: ","))}"
    }

    // MARK: Predicates

    private mutating func predicate(own: Bool, includes: [String] = [], depth: Int = 0) -> String {
        switch random.count(0...11) {
        case 0 where depth < 2: return "{\"not\":\(predicate(own: own, includes: includes, depth: depth + 1))}"
        case 1 where depth < 2, 2 where depth < 2:
            let name = random.one(["all", "any"])
            let members = (0..<random.count(0...3)).map { _ in
                predicate(own: own, includes: includes, depth: depth + 1)
            }
            return "{\"\(name)\":[\(members.joined(separator: ","))]}"
        default:
            if let include = includes.isEmpty || random.percent(60) ? nil : random.one(includes) {
                return "{\"path\":\"/\(include)/n\",\"\(random.one(["gt", "eq", "lt"]))\":\(random.count(0...2))}"
            }
            let path = own && (aliases.isEmpty || random.percent(70)) ? pointer() : self.path()
            return "{\"path\":\"\(path)\",\(test(own: own))}"
        }
    }

    private mutating func test(own: Bool) -> String {
        switch random.count(0...9) {
        case 0: return "\"exists\":\(random.one(["true", "false"]))"
        case 1: return "\"prefix\":\"x\""
        case 2: return "\"in\":[\(RandomEntities.scalar(&random)),\(RandomEntities.scalar(&random))]"
        case 3 where hasParameters && random.percent(50): return "\"in\":\(parameter(RandomRule.arrayParameter))"
        case 3: return "\"in\":{\"path\":\"\(own && aliases.isEmpty ? "/l" : random.one(aliases) + "/l")\"}"
        default:
            let name = random.one(["eq", "eq", "ne", "ne", "lt", "lte", "gt", "gte"])
            switch random.count(0...5) {
            case 0 where hasParameters, 1 where hasParameters: return "\"\(name)\":\(parameter(random.one(["p", "q"])))"
            case 2 where !aliases.isEmpty: return "\"\(name)\":{\"path\":\"\(path())\"}"
            case 3: return "\"\(name)\":{\"value\":\(RandomEntities.value("a", &random))}"
            default: return "\"\(name)\":\(RandomEntities.scalar(&random))"
            }
        }
    }

    // MARK: Results

    private mutating func groups(own: Bool) -> [String] {
        var members: [String] = []
        var names: [String] = []
        if random.percent(75) {
            let keys = (0..<random.count(1...2)).map { "\"g\($0)\":\"\(path())\"" }
            members.append("\"group\":{\(keys.joined(separator: ","))}")
            names += keys.indices.map { "g\($0)" }
        }
        let functions = ["count", "count_distinct", "sum", "avg", "min", "max"]
        let aggregates = (0..<random.count(1...4)).map { index -> String in
            let function = random.one(functions)
            let operand = function == "count" && random.percent(50) ? "true" : "\"\(path())\""
            let filter = random.percent(25) ? ",\"where\":\(predicate(own: false))" : ""
            return "\"f\(index)\":{\"\(function)\":\(operand)\(filter)}"
        }
        members.append("\"aggregates\":{\(aggregates.joined(separator: ","))}")
        names += aggregates.indices.map { "f\($0)" }
        if random.percent(25) {
            members.append("\"having\":{\"path\":\"/\(random.one(names))\",\"\(random.one(["gt", "ne", "lte"]))\":1}")
        }
        if random.percent(50) {
            members.append("\"order\":[{\"path\":\"/\(random.one(names))\",\"direction\":\"\(direction())\"}]")
        }
        return members
    }

    private mutating func direction() -> String { random.one(["asc", "desc"]) }

    private mutating func select(own: Bool) -> String {
        let members = (0..<random.count(1...4)).map { index in
            "\"s\(index)\":\"\(random.percent(15) ? random.one(aliases) : path())\""
        }
        return "\"select\":{\(members.joined(separator: ","))}"
    }

    private mutating func order(includes: [String]) -> [String] {
        guard random.percent(60) else { return [] }
        let components = (0..<random.count(1...2)).map { _ -> String in
            let path = !includes.isEmpty && random.percent(30) ? "/\(random.one(includes))/n" : self.path()
            return "{\"path\":\"\(path)\",\"direction\":\"\(direction())\"}"
        }
        return ["\"order\":[\(components.joined(separator: ","))]"]
    }

    /// Draws includes.
    ///
    /// - Returns: The member, and the names of the includes with aggregates.
    private mutating func includes(depth: Int) -> (texts: [String], names: [String]) {
        guard random.percent(depth == 0 ? 45 : 30) else { return ([], []) }
        var texts: [String] = []
        var names: [String] = []
        for index in 0..<random.count(1...2) {
            let outer = aliases
            let alias = newAlias()
            var members = [
                "\"type\":\"\(random.one(RandomEntities.types))\"", "\"as\":\"\(alias)\"", "\"on\":\(conditions())",
            ]
            aliases.append(alias)
            if random.percent(30) { members.append("\"joins\":[\(join(depth: 1))]") }
            if random.percent(40) { members.append("\"where\":\(predicate(own: true))") }
            switch random.count(0...5) {
            case 0, 1:
                members.append("\"aggregates\":{\"n\":{\"count\":true},\"m\":{\"max\":\"/a\"}}")
                names.append("i\(index)")
            case 2:
                members.append("\"group\":{\"g\":\"/b\"},\"aggregates\":{\"n\":{\"count\":true}}")
                members += window()
            default:
                let (inner, innerNames) = includes(depth: depth + 1)
                if depth < 2 { members += inner }
                members += order(includes: depth < 2 ? innerNames : [])
                members += window()
                if random.percent(30) { members.append("\"one\":true") }
                if random.percent(30) { members.append(select(own: true)) }
            }
            aliases = outer
            texts.append("\"i\(index)\":{\(members.joined(separator: ","))}")
        }
        return (["\"include\":{\(texts.joined(separator: ","))}"], names)
    }

    /// Draws values for parameters.
    package mutating func values(_ names: [String]) -> String {
        let members = names.map { name -> String in
            let value =
                name == RandomRule.arrayParameter
                ? "[\(RandomEntities.scalar(&random)),\(RandomEntities.scalar(&random))]"
                : random.percent(70) ? RandomEntities.scalar(&random) : RandomEntities.reference(&random)
            return "\"\(name)\":\(value)"
        }
        return "{\(members.joined(separator: ","))}"
    }
}
