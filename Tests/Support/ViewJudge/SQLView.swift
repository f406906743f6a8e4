import TidemarkReferenceModel

/// One rule as one statement of SQL.
///
/// An alias of the rule is an alias of a table with the columns `id`, `j`, the resource, and `k`, its one spelling.
struct SQLView {
    let rule: ReferenceJSON
    let parameters: [String: ReferenceJSON]
    /// The types of the aliases that have been met.
    var types: [String: String] = [:]
    /// The numbers among the entities.
    let numbers: NumberRange
    /// True while the rows are made in the form whose numbers can be compared, false for the one with exact fractions.
    var isPlain = false

    init(_ rule: ReferenceJSON, _ parameters: [String: ReferenceJSON], numbers: NumberRange) {
        self.rule = rule
        self.parameters = parameters
        self.numbers = numbers
    }

    /// The statement, whose one row has the number of all rows and the array of the shown ones.
    mutating func statement(offset: Int?, limit: Int?) throws -> String {
        let from = rule.member("from") ?? .null
        let alias = SQLView.alias(from)
        types[alias] = SQLView.type(from)
        var sources = Sources(from: "\(SQLText.name(SQLView.type(from))) AS \(SQLText.name(alias))")
        if let filter = from.presentMember("where") { sources.conditions.append(try predicate(filter, own: alias)) }
        try join(rule.presentMember("joins")?.elements ?? [], to: &sources)
        let rows = try self.rows(rule, &sources, own: nil, main: alias, filter: rule.presentMember("where"))
        let window = SQLView.window(
            offset ?? SQLView.integer(rule.presentMember("offset")),
            limit ?? SQLView.integer(rule.presentMember("limit")))
        return "SELECT (SELECT count(*) FROM (\(rows.all))), \(SQLView.array(rows.all + rows.order + window))"
    }

    /// Tables and what has to hold of them.
    struct Sources {
        var from: String
        var conditions: [String] = []
    }

    /// A query for rows, whose column `$out` is the row, and how to order it.
    struct Rows {
        var all: String
        var order: String
    }

    // MARK: Rules

    static func string(_ value: ReferenceJSON) -> String { String(decoding: value.unescaped ?? [], as: UTF8.self) }

    static func type(_ source: ReferenceJSON) -> String {
        source.unescaped == nil ? string(source.member("type") ?? .null) : string(source)
    }

    static func alias(_ source: ReferenceJSON) -> String { source.presentMember("as").map(string) ?? type(source) }

    static func integer(_ value: ReferenceJSON?) -> Int? {
        value?.integerText.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    static func window(_ offset: Int?, _ limit: Int?) -> String { " LIMIT \(limit ?? -1) OFFSET \(offset ?? 0)" }

    /// The array of a query's rows in their order.
    static func array(_ rows: String) -> String {
        "(SELECT '[' || ifnull(group_concat(\"$out\", ','), '') || ']' FROM (\(rows)))"
    }

    // MARK: Values

    static func literal(_ value: ReferenceJSON) throws -> SQLValue {
        SQLValue(
            spelled: SQLText.literal(try JudgeJSON.spelled(value)),
            canonical: SQLText.literal(try JudgeJSON.canonical(value)))
    }

    func parameter(_ value: ReferenceJSON) throws -> SQLValue {
        try SQLView.literal(parameters[SQLView.string(value)] ?? .null)
    }

    /// The value at a path: an alias and a pointer, or a pointer into the own source.
    func value(_ path: String, own: String?) throws -> SQLValue {
        let isOwn = path.isEmpty || path.hasPrefix("/")
        let alias = isOwn ? own ?? "" : String(path.prefix { $0 != "/" })
        let table = SQLText.name(alias)
        return try SQLValue(spelled: "\(table).j", canonical: "\(table).k")
            .at(isOwn ? path : String(path.dropFirst(alias.count)))
    }

    // MARK: Predicates

    /// 1 or 0.
    func predicate(_ predicate: ReferenceJSON, own: String?) throws -> String {
        try self.predicate(predicate) { try value($0, own: own) }
    }

    func predicate(_ predicate: ReferenceJSON, _ value: (String) throws -> SQLValue) throws -> String {
        if let all = predicate.member("all") {
            return SQLText.all(try (all.elements ?? []).map { try self.predicate($0, value) })
        }
        if let any = predicate.member("any") {
            return SQLText.any(try (any.elements ?? []).map { try self.predicate($0, value) })
        }
        if let inner = predicate.member("not") { return "NOT (\(try self.predicate(inner, value)))" }
        let left = try value(SQLView.string(predicate.member("path") ?? .null))
        let tests = try (predicate.members ?? []).filter { $0.key.unescaped != Array("path".utf8) }.map { member in
            try test(String(decoding: member.key.unescaped, as: UTF8.self), left, member.value, value)
        }
        return SQLText.all(tests)
    }

    private func test(
        _ name: String, _ left: SQLValue, _ operand: ReferenceJSON, _ value: (String) throws -> SQLValue
    ) throws -> String {
        if name == "exists" { return "\(left.spelled) IS \(operand == .bool(true) ? "NOT " : "")NULL" }
        let right = try self.operand(operand, value)
        switch name {
        case "eq": return left.equals(right)
        case "ne": return "NOT \(left.equals(right))"
        case "lt": return left.compared("<", right)
        case "lte": return left.compared("<=", right)
        case "gt": return left.compared(">", right)
        case "gte": return left.compared(">=", right)
        case "in": return left.isElement(of: right)
        case "prefix": return left.begins(with: right)
        default: throw Unsayable(reason: "the operator \(name)")
        }
    }

    private func operand(_ operand: ReferenceJSON, _ value: (String) throws -> SQLValue) throws -> SQLValue {
        guard let members = operand.members, members.count == 1 else { return try SQLView.literal(operand) }
        switch String(decoding: members[0].key.unescaped, as: UTF8.self) {
        case "param": return try parameter(members[0].value)
        case "path": return try value(SQLView.string(members[0].value))
        case "value": return try SQLView.literal(members[0].value)
        default: return try SQLView.literal(operand)
        }
    }
}
