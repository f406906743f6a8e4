import TidemarkReferenceModel

extension SQLView {
    /// Joins sources, one after the other.
    mutating func join(_ joins: [ReferenceJSON], to sources: inout Sources) throws {
        for join in joins {
            let alias = SQLView.alias(join)
            let matches = try conditions(join)
            let table = "\(SQLText.name(SQLView.type(join))) AS \(SQLText.name(alias))"
            switch join.presentMember("kind").map(SQLView.string) ?? "inner" {
            case "left": sources.from += " LEFT JOIN \(table) ON \(SQLText.all(matches))"
            case "exists": sources.conditions.append(try check(join, table, matches))
            case "absent": sources.conditions.append("NOT \(try check(join, table, matches))")
            default: sources.from += " JOIN \(table) ON \(SQLText.all(matches))"
            }
        }
    }

    private mutating func check(_ join: ReferenceJSON, _ table: String, _ matches: [String]) throws -> String {
        var inner = Sources(from: table, conditions: matches)
        try self.join(join.presentMember("joins")?.elements ?? [], to: &inner)
        return "EXISTS (SELECT 1 FROM \(inner.from) WHERE \(SQLText.all(inner.conditions)))"
    }

    /// What makes a joined entity match: `on` and `where`.
    ///
    /// - Parameter hasFilter: False to leave `where` out.
    mutating func conditions(_ join: ReferenceJSON, hasFilter: Bool = true) throws -> [String] {
        let alias = SQLView.alias(join)
        types[alias] = SQLView.type(join)
        var conditions: [String] = []
        for member in join.member("on")?.members ?? [] {
            let left = String(decoding: member.key.unescaped, as: UTF8.self)
            for right in member.value.elements ?? [member.value] {
                conditions.append(try condition(left, right, alias))
            }
        }
        if hasFilter, let filter = join.presentMember("where") {
            conditions.append(try predicate(filter, own: alias))
        }
        return conditions
    }

    private func condition(_ left: String, _ right: ReferenceJSON, _ alias: String) throws -> String {
        let (type, id) = (types[alias] ?? "", "\(SQLText.name(alias)).id")
        let path = right.members == nil ? SQLView.string(right) : ""
        if path.hasSuffix("@key") {
            let other = String(path.dropLast(4))
            let (otherType, otherID) = (types[other] ?? "", "\(SQLText.name(other)).id")
            if left == "@key" { return type == otherType ? "ifnull(\(id) = \(otherID), 0)" : "0" }
            return SQLText.refers(
                try operand(left, own: alias, isCanonical: false), type: otherType, id: otherID)
        }
        var others: (Bool) throws -> String
        if let members = right.members {
            let parameter = try parameter(members[0].value)
            others = { parameter.table(isEach: false, isCanonical: $0) }
        } else {
            others = { try operand(path, own: nil, isCanonical: $0) }
        }
        if left == "@key" { return SQLText.refers(try others(false), type: type, id: id) }
        return "EXISTS (SELECT 1 FROM \(try operand(left, own: alias, isCanonical: true)) AS \"$a\","
            + " \(try others(true)) AS \"$b\" WHERE \"$a\".v = \"$b\".v AND \"$a\".v <> 'null')"
    }

    /// A table with the column `v`, of the values of one side of a condition.
    private func operand(_ path: String, own: String?, isCanonical: Bool) throws -> String {
        guard path.hasSuffix("/*") else {
            return try value(path, own: own).table(isEach: false, isCanonical: isCanonical)
        }
        return try value(String(path.dropLast(2)), own: own).table(isEach: true, isCanonical: isCanonical)
    }
}
