import Tidemark

/// Rewrites a rule as the builder spells it. Both mean the same by the grammar.
enum RuleSpelling {
    static func rule(_ rule: JSONValue) -> JSONValue {
        object(rule) { name, value in
            switch name {
            case "from": body(value)
            case "where", "having": predicate(value, nil)
            default: results(name, value, nil)
            }
        }
    }

    /// A source or an include.
    private static func body(_ node: JSONValue) -> JSONValue {
        let own = node["as"]?.string ?? node["type"]?.string
        return object(node) { name, value in
            switch name {
            case "where": predicate(value, own)
            case "kind": value == "inner" ? JSONValue?.none : value
            default: results(name, value, own)
            }
        }
    }

    private static func results(_ name: String, _ value: JSONValue, _ own: String?) -> JSONValue? {
        switch name {
        case "joins": .array((value.elements ?? []).map(body))
        case "include": object(value) { body($1) }
        case "group", "select": object(value) { path($1, own) }
        case "having": predicate(value, nil)
        case "aggregates": object(value) { aggregate($1, own) }
        case "order":
            .array(
                (value.elements ?? []).map { component in
                    object(component) { $0 == "direction" && $1 == "asc" ? JSONValue?.none : $1 }
                })
        default: value
        }
    }

    private static func aggregate(_ node: JSONValue, _ own: String?) -> JSONValue {
        object(node) { $0 == "where" ? predicate($1, own) : path($1, own) }
    }

    private static func predicate(_ node: JSONValue, _ own: String?) -> JSONValue {
        object(node) { name, value in
            switch name {
            case "not": predicate(value, own)
            case "all", "any": .array((value.elements ?? []).map { predicate($0, own) })
            case "path": path(value, own)
            default: operand(value, own)
            }
        }
    }

    private static func operand(_ value: JSONValue, _ own: String?) -> JSONValue {
        if let literal = value["value"], literal.members == nil { return literal }
        if let other = value["path"] { return .object([JSONMember("path", path(other, own))]) }
        return value
    }

    private static func path(_ value: JSONValue, _ own: String?) -> JSONValue {
        guard let own, let text = value.string, text.isEmpty || text.hasPrefix("/") else { return value }
        return .string(own + text)
    }

    private static func object(_ node: JSONValue, _ change: (String, JSONValue) -> JSONValue?) -> JSONValue {
        .object(
            (node.members ?? []).compactMap { member in
                change(member.name, member.value).map { JSONMember(member.name, $0) }
            })
    }
}
