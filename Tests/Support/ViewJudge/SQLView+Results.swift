import TidemarkReferenceModel

extension SQLView {
    /// The rows or groups of a view or of an include, over joined sources.
    ///
    /// - Parameters:
    ///   - own: The alias into which pointers lead; nil in a view.
    ///   - main: The alias of the first source.
    mutating func rows(
        _ body: ReferenceJSON, _ sources: inout Sources, own: String?, main: String, filter: ReferenceJSON?
    ) throws -> Rows {
        let isGrouped = body.presentMember("group") != nil || body.presentMember("aggregates") != nil
        // In the condition of a view, a pointer leads to an aggregate of an include.
        let includes = own == nil && !isGrouped ? try plainly { try $0.includes(body) } : []
        let results = try SQLText.object(includes)
        if let filter {
            let condition = try predicate(filter) { path in
                guard own == nil, path.hasPrefix("/") else { return try value(path, own: own) }
                return try SQLValue(spelled: results, canonical: results).at(path)
            }
            sources.conditions.append(condition)
        }
        if isGrouped { return try groups(body, sources, own: own) }
        let tables = "FROM \(sources.from) WHERE \(SQLText.all(sources.conditions))"
        let out = try output(body, own: own, main: main)
        let order = body.presentMember("order")?.elements ?? []
        var terms: [String] = []
        for component in order {
            let path = SQLView.string(component.member("path") ?? .null)
            // A source around an include is the same for all of its rows, and SQLite does not find it here.
            let isInner = path.hasPrefix("/") || rowAliases(body).contains(String(path.prefix { $0 != "/" }))
            guard isInner else { continue }
            let value =
                path.hasPrefix("/")
                ? try SQLText.step(try plainly { try $0.output(body, own: own, main: main) }, SQLText.tokens(path))
                : try self.value(path, own: nil).spelled
            terms += SQLText.order(value, SQLView.direction(component))
        }
        terms += rowAliases(body).map { "\(SQLText.name($0)).id" }
        return Rows(all: "SELECT \(out) AS \"$out\" \(tables)", order: " ORDER BY \(terms.joined(separator: ", "))")
    }

    /// Makes a part in the form whose numbers can be compared.
    private mutating func plainly<Part>(_ make: (inout SQLView) throws -> Part) rethrows -> Part {
        let former = isPlain
        isPlain = true
        defer { isPlain = former }
        return try make(&self)
    }

    static func direction(_ component: ReferenceJSON) -> String {
        component.presentMember("direction").map(string)?.hasPrefix("desc") == true ? "DESC" : "ASC"
    }

    /// The aliases that make a row, in order.
    private func rowAliases(_ body: ReferenceJSON) -> [String] {
        let joins = (body.presentMember("joins")?.elements ?? []).filter {
            ["inner", "left"].contains($0.presentMember("kind").map(SQLView.string) ?? "inner")
        }
        return [SQLView.alias(body.presentMember("from") ?? body)] + joins.map(SQLView.alias)
    }

    // MARK: Rows

    /// One row as the text of an object.
    private mutating func output(_ body: ReferenceJSON, own: String?, main: String) throws -> String {
        let includes = try self.includes(body)
        let names = Set(includes.map(\.name))
        let aliases = rowAliases(body)
        if let select = body.presentMember("select") {
            let members = try (select.members ?? []).map { member in
                (
                    String(decoding: member.key.unescaped, as: UTF8.self),
                    try value(SQLView.string(member.value), own: own ?? main).spelled
                )
            }
            return try SQLText.object(members.filter { !names.contains($0.0) } + includes)
        }
        guard aliases.count == 1 else {
            let members = aliases.map { (name: $0, value: "\(SQLText.name($0)).j") }
            return try SQLText.object(members.filter { !names.contains($0.name) } + includes)
        }
        let resource = "\(SQLText.name(main)).j"
        guard !includes.isEmpty else { return resource }
        // Every resource has its id, so it is no empty object.
        return "(substr(\(resource), 1, length(\(resource)) - 1) || ',' || substr(\(try SQLText.object(includes)), 2))"
    }

    private mutating func includes(_ body: ReferenceJSON) throws -> [(name: String, value: String)] {
        var includes: [(name: String, value: String)] = []
        for member in body.presentMember("include")?.members ?? [] {
            includes.append((String(decoding: member.key.unescaped, as: UTF8.self), try include(member.value)))
        }
        return includes
    }

    /// The result of an include for the row around it.
    private mutating func include(_ include: ReferenceJSON) throws -> String {
        let alias = SQLView.alias(include)
        let table = "\(SQLText.name(SQLView.type(include))) AS \(SQLText.name(alias))"
        var sources = Sources(from: table, conditions: try conditions(include, hasFilter: false))
        try join(include.presentMember("joins")?.elements ?? [], to: &sources)
        let rows = try self.rows(include, &sources, own: alias, main: alias, filter: include.presentMember("where"))
        let offset = SQLView.integer(include.presentMember("offset"))
        let limit = SQLView.integer(include.presentMember("limit"))
        let isOne = include.presentMember("one") == .bool(true)
        let hasOneRow = include.presentMember("group") == nil && include.presentMember("aggregates") != nil
        if hasOneRow { return "(\(rows.all))" }
        if isOne { return "ifnull((\(rows.all)\(rows.order)\(SQLView.window(offset, 1))), 'null')" }
        return SQLView.array(rows.all + rows.order + SQLView.window(offset, limit))
    }

    // MARK: Groups

    private func groups(_ body: ReferenceJSON, _ sources: Sources, own: String?) throws -> Rows {
        var columns: [String] = []
        var shown: [(name: String, value: String)] = []
        var comparable: [(name: String, value: String)] = []
        var keys: [String] = []
        for (index, member) in (body.presentMember("group")?.members ?? []).enumerated() {
            let name = String(decoding: member.key.unescaped, as: UTF8.self)
            let value = try self.value(SQLView.string(member.value), own: own).canonical
            keys.append(value)
            columns.append("\(value) AS \"$g\(index)\"")
            shown.append((name, "\"$g\(index)\""))
            comparable.append((name, "\"$g\(index)\""))
        }
        let groupNames = shown.map(\.value)
        var values: [(name: String, value: String)] = []
        for (index, member) in (body.presentMember("aggregates")?.members ?? []).enumerated() {
            let name = String(decoding: member.key.unescaped, as: UTF8.self)
            let aggregate = try SQLAggregate(member.value, self, own: own)
            values.append((name, isPlain ? aggregate.comparable : aggregate.shown))
            columns += ["\(aggregate.shown) AS \"$s\(index)\"", "\(aggregate.comparable) AS \"$c\(index)\""]
            shown.append((name, isPlain ? "\"$c\(index)\"" : "\"$s\(index)\""))
            comparable.append((name, "\"$c\(index)\""))
        }
        // A subquery less, because SQLite's parser has a stack of 100 entries.
        if keys.isEmpty, body.presentMember("having") == nil {
            let tables = "FROM \(sources.from) WHERE \(SQLText.all(sources.conditions))"
            return Rows(all: "SELECT \(try SQLText.object(values)) AS \"$out\" \(tables)", order: "")
        }
        let grouping = keys.isEmpty ? "" : " GROUP BY \(keys.joined(separator: ", "))"
        let inner =
            "SELECT \(columns.joined(separator: ", ")) FROM \(sources.from)"
            + " WHERE \(SQLText.all(sources.conditions))\(grouping)"
        let row = try SQLText.object(comparable)
        let having = try body.presentMember("having").map { having in
            " WHERE " + (try predicate(having) { try SQLValue(spelled: row, canonical: row).at($0) })
        }
        var terms: [String] = []
        for component in body.presentMember("order")?.elements ?? [] {
            let path = SQLView.string(component.member("path") ?? .null)
            terms += SQLText.order(try SQLText.step(row, SQLText.tokens(path)), SQLView.direction(component))
        }
        for name in groupNames { terms += SQLText.order(name, "ASC") }
        terms += groupNames
        let order = terms.isEmpty ? "" : " ORDER BY \(terms.joined(separator: ", "))"
        return Rows(all: "SELECT \(try SQLText.object(shown)) AS \"$out\" FROM (\(inner))\(having ?? "")", order: order)
    }
}
