import TidemarkJSON
import TidemarkModel

/// Makes the rule of a statement.
struct SQLRule {
    private let query: SQLQuery
    /// The types of the sources by alias, in the order of the statement.
    private var sources: [(alias: String, type: String)] = []

    init(_ query: SQLQuery) { self.query = query }

    /// The rule as JSON.
    mutating func rule() throws(ViewSQLError) -> JSONValue {
        var members: [JSONMember] = []
        try add(query.from)
        members.append(JSONMember("from", source(query.from)))
        var joins: [JSONValue] = []
        for join in query.joins { joins.append(try self.join(join)) }
        if !joins.isEmpty { members.append(JSONMember("joins", .array(joins))) }
        if let condition = query.condition {
            members.append(JSONMember("where", try predicate(condition, sourcePath)))
        }
        members += try results()
        if let limit = query.limit { members.append(JSONMember("limit", try number(limit))) }
        if let offset = query.offset { members.append(JSONMember("offset", try number(offset))) }
        return .object(members)
    }

    private func number(_ text: String) throws(ViewSQLError) -> JSONValue {
        guard let number = Int(text) else { throw query.from.place.error("\(text) rows are too many") }
        return .number(JSONNumber(number))
    }

    // MARK: Sources

    private mutating func add(_ source: SQLSource) throws(ViewSQLError) {
        guard !sources.contains(where: { $0.alias == source.name }) else {
            throw source.place.error("two sources are named \(source.name): give one of them another name with AS")
        }
        sources.append((source.name, source.type))
    }

    private func source(_ source: SQLSource) -> JSONValue {
        guard let alias = source.alias else { return .string(source.type) }
        return .object([JSONMember("type", .string(source.type)), JSONMember("as", .string(alias))])
    }

    /// A join: equalities between its source and an earlier one are `on`, everything else is `where`.
    private mutating func join(_ join: SQLJoin) throws(ViewSQLError) -> JSONValue {
        try add(join.source)
        var conditions: [(left: String, right: JSONValue)] = []
        var others: [SQLExpression] = []
        let parts: [SQLExpression] = if case .all(let parts) = join.condition { parts } else { [join.condition] }
        for part in parts {
            if case .test(let test) = part, let found = try condition(test, of: join.source.name) {
                conditions.append(found)
            } else {
                others.append(part)
            }
        }
        guard !conditions.isEmpty else {
            throw join.source.place.error(
                "ON needs an equality between \(join.source.name) and an earlier source, or a parameter")
        }
        var on: [JSONMember] = []
        for left in conditions.map(\.left) where !on.contains(where: { $0.name == left }) {
            let rights = conditions.filter { $0.left == left }.map(\.right)
            on.append(JSONMember(left, rights.count == 1 ? rights[0] : .array(rights)))
        }
        var members = [JSONMember("type", .string(join.source.type))]
        if let alias = join.source.alias { members.append(JSONMember("as", .string(alias))) }
        if join.isLeft { members.append(JSONMember("kind", "left")) }
        members.append(JSONMember("on", .object(on)))
        if !others.isEmpty {
            members.append(JSONMember("where", try predicate(others.count == 1 ? others[0] : .all(others), sourcePath)))
        }
        return .object(members)
    }

    /// One condition of `on`; nil if a comparison is none.
    private func condition(
        _ test: SQLTest, of joined: String
    ) throws(ViewSQLError) -> (left: String, right: JSONValue)? {
        guard case .column(let left) = test.left, test.test == .equal || test.test == .isIn else { return nil }
        let (leftSource, leftPointer) = try place(of: left)
        if case .parameter(let name) = test.right, test.test == .equal {
            guard leftSource == joined else { return nil }
            return (isKey(left) ? "@key" : leftPointer, .object([JSONMember("param", .string(name))]))
        }
        guard case .column(let right) = test.right else { return nil }
        let (rightSource, rightPointer) = try place(of: right)
        guard leftSource == joined || rightSource == joined, leftSource != rightSource else { return nil }
        let star = test.test == .isIn ? "/*" : ""
        let isLeftJoined = leftSource == joined
        // The side of the joined source, and the other one; `= ANY(…)` is about the right one's elements.
        let (own, other) = isLeftJoined ? (left, right) : (right, left)
        let ownPointer = isLeftJoined ? leftPointer : rightPointer + star
        let otherPath = isLeftJoined ? rightSource + rightPointer + star : leftSource + leftPointer
        let otherSource = isLeftJoined ? rightSource : leftSource
        if isKey(own), isKey(other) {
            let isOneType = type(of: joined) == type(of: otherSource)
            return isOneType ? ("@key", .string(otherSource + "@key")) : (ownPointer, .string(otherPath))
        }
        if isKey(own) { return ("@key", .string(otherPath)) }
        if isKey(other) { return (ownPointer, .string(otherSource + "@key")) }
        return (ownPointer, .string(otherPath))
    }

    private func type(of alias: String) -> String? { sources.first { $0.alias == alias }?.type }

    /// True for `alias.id` without quotes: in `ON` it is the entity, to which a value refers in any form.
    private func isKey(_ column: SQLColumn) -> Bool {
        guard let last = column.parts.last, last.isBare, last.text == "id" else { return false }
        return column.parts.count == 2 || column.parts.count == 1 && sources.count == 1
    }

    // MARK: Paths

    /// The path of a column: an alias and a pointer.
    private func sourcePath(_ operand: SQLOperand, _ place: SQLToken) throws(ViewSQLError) -> String {
        switch operand {
        case .column(let column):
            let (source, pointer) = try self.place(of: column)
            return source + pointer
        case .call(let call): throw call.place.error("aggregates stand in SELECT, HAVING and ORDER BY alone")
        case .literal, .parameter: throw place.error("a column is expected on one side")
        }
    }

    /// The source of a column, and the pointer into it.
    private func place(of column: SQLColumn) throws(ViewSQLError) -> (source: String, pointer: String) {
        let first = column.parts[0].text
        if sources.contains(where: { $0.alias == first }) {
            return (first, SQLRule.pointer(column.parts.dropFirst()))
        }
        guard column.parts.count == 1 else {
            throw column.place.error(
                "no source is named \(first)", nearest: NearestName.of(ByteString(first), among: sources.map(\.alias)))
        }
        guard sources.count == 1 else {
            let examples = sources.prefix(2).map { "\($0.alias).\(first)" }.joined(separator: " or ")
            throw column.place.error("name the source of \(first): \(examples)")
        }
        return (sources[0].alias, SQLRule.pointer(column.parts[...]))
    }

    static func pointer(_ parts: ArraySlice<SQLColumn.Part>) -> String {
        parts.map { "/" + $0.text.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }

    // MARK: Results

    private var isGrouped: Bool {
        let hasCalls = (query.items ?? []).contains { if case .call = $0.value { true } else { false } }
        return hasCalls || !query.group.isEmpty || query.having != nil
    }

    private func results() throws(ViewSQLError) -> [JSONMember] {
        guard isGrouped else { return try rows() }
        guard let items = query.items else { throw query.from.place.error("name the columns of groups instead of *") }
        return try groups(items)
    }

    private func rows() throws(ViewSQLError) -> [JSONMember] {
        var members: [JSONMember] = []
        var names: [String] = []
        if let items = query.items {
            var select: [JSONMember] = []
            for item in items {
                let name = try name(of: item, among: &names)
                select.append(JSONMember(name, .string(try sourcePath(item.value, item.place))))
            }
            members.append(JSONMember("select", .object(select)))
        }
        let order = try self.order { (term) throws(ViewSQLError) in
            if case .column(let column) = term, let name = column.single, names.contains(name) {
                return SQLRule.pointer([SQLColumn.Part(text: name, isBare: true)])
            }
            return try sourcePath(term, query.from.place)
        }
        return members + order
    }

    private func groups(_ items: [SQLItem]) throws(ViewSQLError) -> [JSONMember] {
        var names: [String] = []
        var keys: [JSONMember] = []
        var aggregates: [JSONMember] = []
        for item in items {
            let name = try name(of: item, among: &names)
            if case .call(let call) = item.value {
                aggregates.append(JSONMember(name, try aggregate(call)))
            } else {
                keys.append(JSONMember(name, .string(try sourcePath(item.value, item.place))))
            }
        }
        var grouped: [String] = []
        for column in query.group {
            var path = column.single.flatMap { name in keys.first { $0.name == name } }?.value.string ?? ""
            if path.isEmpty { path = try sourcePath(.column(column), column.place) }
            guard keys.contains(where: { $0.value.string == path }) else {
                throw column.place.error("groups show their values: select the column, too")
            }
            grouped.append(path)
        }
        for (key, item) in zip(keys, items.filter { if case .column = $0.value { true } else { false } })
        where !grouped.contains(key.value.string ?? "") {
            throw item.place.error("\(key.name) is neither an aggregate nor in GROUP BY")
        }
        var members: [JSONMember] = []
        if !keys.isEmpty { members.append(JSONMember("group", .object(keys))) }
        if !aggregates.isEmpty { members.append(JSONMember("aggregates", .object(aggregates))) }
        let output = { (operand: SQLOperand, place: SQLToken) throws(ViewSQLError) -> String in
            try outputPath(operand, place, keys, aggregates)
        }
        if let having = query.having { members.append(JSONMember("having", try predicate(having, output))) }
        return members + (try order { (term) throws(ViewSQLError) in try output(term, query.from.place) })
    }

    /// The path of a group's value or aggregate in the output row.
    private func outputPath(
        _ operand: SQLOperand, _ place: SQLToken, _ keys: [JSONMember], _ aggregates: [JSONMember]
    ) throws(ViewSQLError) -> String {
        var found: String?
        switch operand {
        case .call(let call):
            let wanted = try aggregate(call)
            found = aggregates.first { $0.value == wanted }?.name
            guard found != nil else {
                throw call.place.error("select the aggregate, too: HAVING and ORDER BY use the row")
            }
        case .column(let column):
            found = column.single.flatMap { name in (keys + aggregates).first { $0.name == name }?.name }
            if found == nil {
                let path = try sourcePath(operand, place)
                found = keys.first { $0.value.string == path }?.name
            }
            guard found != nil else {
                throw column.place.error("the row of a group has no such column: select it, too")
            }
        case .literal, .parameter: throw place.error("a column or an aggregate is expected on one side")
        }
        return SQLRule.pointer([SQLColumn.Part(text: found ?? "", isBare: true)])
    }

    private func aggregate(_ call: SQLCall) throws(ViewSQLError) -> JSONValue {
        let name = call.isDistinct ? "count_distinct" : call.function
        var members: [JSONMember] = []
        if let argument = call.argument {
            members.append(JSONMember(name, .string(try sourcePath(.column(argument), argument.place))))
        } else {
            members.append(JSONMember(name, true))
        }
        if let filter = call.filter { members.append(JSONMember("where", try predicate(filter, sourcePath))) }
        return .object(members)
    }

    private func order(_ path: (SQLOperand) throws(ViewSQLError) -> String) throws(ViewSQLError) -> [JSONMember] {
        guard !query.order.isEmpty else { return [] }
        var components: [JSONValue] = []
        for (term, direction) in query.order {
            var members = [JSONMember("path", .string(try path(term)))]
            if let direction { members.append(JSONMember("direction", .string(direction))) }
            components.append(.object(members))
        }
        return [JSONMember("order", .array(components))]
    }

    /// The name of a column of the result: that behind `AS`, the last part of a path, or the function and its argument.
    private func name(of item: SQLItem, among names: inout [String]) throws(ViewSQLError) -> String {
        var name = item.alias ?? ""
        if item.alias == nil {
            switch item.value {
            case .column(let column): name = column.parts.last?.text ?? ""
            case .call(let call):
                name = ([call.function] + [call.argument?.parts.last?.text].compactMap { $0 }).joined(separator: "_")
            case .literal, .parameter: break
            }
        }
        guard !names.contains(name) else {
            throw item.place.error("two columns are named \(name): give one of them another name with AS")
        }
        names.append(name)
        return name
    }
}
