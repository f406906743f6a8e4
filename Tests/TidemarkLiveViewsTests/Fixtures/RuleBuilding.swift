import Testing
import Tidemark
import TidemarkLiveViews

/// Says a rule that is given as text with the builder, and rewrites the text as the builder spells it: paths with an
/// alias, and nothing that is the default.
struct RuleBuilding {
    private var sources: [String: View.Source<JSONValue>] = [:]

    /// Builds the view of a rule that the grammar accepts.
    static func view(_ rule: JSONValue) throws -> View {
        var building = RuleBuilding()
        let from = try #require(rule["from"])
        let source = try building.source(from)
        var view = View(source, where: try from["where"].map { try building.filter($0, own: source) })
        view = try building.joins(rule, view)
        if let filter = rule["where"] { view = view.filter(try building.filter(filter)) }
        view = try building.results(rule, view)
        return rule["total"] == true ? view.total() : view
    }

    private mutating func source(_ node: JSONValue) throws -> View.Source<JSONValue> {
        let source = View.Source(type: try #require(node["type"]?.string), as: node["as"]?.string)
        sources[node["as"]?.string ?? node["type"]?.string ?? ""] = source
        return source
    }

    // MARK: Joins

    private mutating func joins<Joined: ViewJoining>(_ node: JSONValue, _ joined: Joined) throws -> Joined {
        var joined = joined
        for join in node["joins"]?.elements ?? [] {
            let source = try source(join)
            let on = try conditions(join, source)
            let filter = try join["where"].map { try self.filter($0, own: source) }
            switch (join["kind"]?.string ?? "inner", on.count) {
            case ("inner", 1): joined = joined.join(source, on: on[0], where: filter)
            case ("inner", 2): joined = joined.join(source, on: on[0], on[1], where: filter)
            case ("inner", 3): joined = joined.join(source, on: on[0], on[1], on[2], where: filter)
            case ("left", 1): joined = joined.leftJoin(source, on: on[0], where: filter)
            case ("left", 2): joined = joined.leftJoin(source, on: on[0], on[1], where: filter)
            case ("left", 3): joined = joined.leftJoin(source, on: on[0], on[1], on[2], where: filter)
            case ("exists", 1) where join["joins"] == nil: joined = joined.exists(source, on: on[0], where: filter)
            case ("absent", 1) where join["joins"] == nil: joined = joined.absent(source, on: on[0], where: filter)
            case (let kind, _):
                let match = try joins(join, match(source, on, filter))
                joined = kind == "exists" ? joined.exists(match) : joined.absent(match)
            }
        }
        return joined
    }

    private func match(
        _ source: View.Source<JSONValue>, _ on: [View.Condition], _ filter: View.Filter?
    ) -> View.Match {
        switch on.count {
        case 1: View.Match(source, on: on[0], where: filter)
        case 2: View.Match(source, on: on[0], on[1], where: filter)
        default: View.Match(source, on: on[0], on[1], on[2], where: filter)
        }
    }

    private func conditions(_ node: JSONValue, _ source: View.Source<JSONValue>) throws -> [View.Condition] {
        try (node["on"]?.members ?? []).map { member in
            if let name = member.value["param"]?.string {
                return member.name == "@key"
                    ? View.param(name).refers(to: source) : element(source, member.name) == View.param(name)
            }
            let right = try #require(member.value.string)
            if right.hasSuffix("@key") {
                let other = try #require(sources[String(right.dropLast(4))])
                return member.name == "@key"
                    ? other.isSame(as: source) : element(source, member.name).refers(to: other)
            }
            let (alias, pointer) = RuleBuilding.split(right)
            let value = element(try #require(sources[alias]), pointer)
            return member.name == "@key" ? value.refers(to: source) : value == element(source, member.name)
        }
    }

    private func element(_ source: View.Source<JSONValue>, _ pointer: String) -> View.Field<JSONValue> {
        pointer.hasSuffix("/*") ? source[String(pointer.dropLast(2))].each : source[pointer]
    }

    // MARK: Paths and predicates

    private static func split(_ path: String) -> (alias: String, pointer: String) {
        let end = path.firstIndex(of: "/") ?? path.endIndex
        return (String(path[..<end]), String(path[end...]))
    }

    private func field(_ path: JSONValue, own: View.Source<JSONValue>?) throws -> View.Field<JSONValue> {
        let path = try #require(path.string)
        let (alias, pointer) = RuleBuilding.split(path)
        if !alias.isEmpty { return try #require(sources[alias])[pointer] }
        if let own { return own[pointer] }
        let names = pointer.split(separator: "/").map(String.init)
        return names.count == 1 ? View.output(names[0]) : View.output(names[0], names[1])
    }

    private func filter(_ node: JSONValue, own: View.Source<JSONValue>? = nil) throws -> View.Filter {
        if let inner = node["not"] { return !(try filter(inner, own: own)) }
        for name in ["all", "any"] {
            guard let elements = node[name]?.elements else { continue }
            let filters = try elements.map { try filter($0, own: own) }
            // Two of them as with the operators.
            if filters.count == 2 { return name == "all" ? filters[0] && filters[1] : filters[0] || filters[1] }
            return name == "all" ? .all(filters) : .any(filters)
        }
        let left = try field(try #require(node["path"]), own: own)
        let test = try #require(node.members?.first { $0.name != "path" })
        switch test.name {
        case "exists": return test.value == true ? left.exists : left.isAbsent
        case "eq" where test.value.isNull: return left.isNull
        default: break
        }
        if let name = test.value["param"]?.string { return self.test(left, test.name, View.param(name)) }
        if let path = test.value["path"] { return self.test(left, test.name, try field(path, own: own)) }
        let literal = test.value["value"] ?? test.value
        switch test.name {
        case "in": return left.isIn(literal.elements ?? [])
        case "prefix": return left.hasPrefix(literal.string ?? "")
        case "eq": return left == literal
        case "ne": return left != literal
        case "lt": return left < literal
        case "lte": return left <= literal
        case "gt": return left > literal
        default: return left >= literal
        }
    }

    private func test(_ left: View.Field<JSONValue>, _ name: String, _ right: View.Parameter) -> View.Filter {
        switch name {
        case "in": left.isIn(right)
        case "prefix": left.hasPrefix(right)
        case "eq": left == right
        case "ne": left != right
        case "lt": left < right
        case "lte": left <= right
        case "gt": left > right
        default: left >= right
        }
    }

    private func test(_ left: View.Field<JSONValue>, _ name: String, _ right: View.Field<JSONValue>) -> View.Filter {
        switch name {
        case "in": left.isIn(right)
        case "prefix": left.hasPrefix(right)
        case "eq": left == right
        case "ne": left != right
        case "lt": left < right
        case "lte": left <= right
        case "gt": left > right
        default: left >= right
        }
    }

    // MARK: Results

    private mutating func results<Rows: ViewClauses>(
        _ node: JSONValue, _ rows: Rows, own: View.Source<JSONValue>? = nil
    ) throws -> Rows {
        var rows = rows
        for member in node["group"]?.members ?? [] {
            rows = rows.group(member.name, by: try field(member.value, own: own))
        }
        for member in node["aggregates"]?.members ?? [] {
            rows = rows.aggregate(member.name, try aggregate(member.value, own))
        }
        if let having = node["having"] { rows = rows.having(try filter(having)) }
        for member in node["include"]?.members ?? [] {
            let outer = sources
            rows = rows.include(member.name, try include(member.value))
            sources = outer
        }
        for member in node["select"]?.members ?? [] {
            rows = rows.select(member.name, try field(member.value, own: own))
        }
        for component in node["order"]?.elements ?? [] {
            let path = try field(try #require(component["path"]), own: nil)
            rows =
                component["direction"]?.string == "desc" ? rows.order(by: path, .descending) : rows.order(by: path)
        }
        if let limit = node["limit"]?.int { rows = rows.limit(limit) }
        if let offset = node["offset"]?.int { rows = rows.offset(offset) }
        return rows
    }

    private func aggregate(_ node: JSONValue, _ own: View.Source<JSONValue>?) throws -> View.Aggregate {
        let filter = try node["where"].map { try self.filter($0, own: own) }
        let function = try #require(node.members?.first { $0.name != "where" })
        guard function.value.string != nil else { return .count(where: filter) }
        let path = try field(function.value, own: own)
        switch function.name {
        case "count": return .count(path, where: filter)
        case "count_distinct": return .countDistinct(path, where: filter)
        case "sum": return .sum(path, where: filter)
        case "avg": return .avg(path, where: filter)
        case "min": return .min(path, where: filter)
        default: return .max(path, where: filter)
        }
    }

    private mutating func include(_ node: JSONValue) throws -> View.Include {
        let own = try source(node)
        let on = try conditions(node, own)
        var include =
            switch on.count {
            case 1: View.Include(own, on: on[0])
            case 2: View.Include(own, on: on[0], on[1])
            default: View.Include(own, on: on[0], on[1], on[2])
            }
        include = try joins(node, include)
        if let filter = node["where"] { include = include.filter(try self.filter(filter, own: own)) }
        include = try results(node, include, own: own)
        return node["one"] == true ? include.one() : include
    }
}
