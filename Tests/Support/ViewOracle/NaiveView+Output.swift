import TidemarkReferenceModel

extension NaiveView {
    /// The output of one row, with its includes.
    mutating func output(_ row: Row, _ body: ReferenceJSON, own: String) -> ReferenceJSON {
        var members: [ReferenceMember] = []
        let aliases = rowAliases(body)
        if let select = body.presentMember("select") {
            for member in select.members ?? [] {
                guard let value = value(NaiveView.string(member.value), row, own: own) else { continue }
                members.append(ReferenceMember(key: member.key, value: value))
            }
        } else if aliases.count == 1 {
            members = value("", row, own: own)?.members ?? []
        } else {
            for alias in aliases {
                guard let value = value("", row, own: alias) else { continue }
                members.append(ReferenceMember(key: ReferenceString(Array(alias.utf8)), value: value))
            }
        }
        let includes = body.presentMember("include")?.members ?? []
        members.removeAll { member in includes.contains { $0.key.unescaped == member.key.unescaped } }
        for include in includes {
            members.append(ReferenceMember(key: include.key, value: nested(include.value, row)))
        }
        return .object(members)
    }

    /// The nested result of a row.
    mutating func nested(_ include: ReferenceJSON, _ row: Row) -> ReferenceJSON {
        let alias = NaiveView.alias(include)
        let filter = include.presentMember("where")
        // The condition belongs to the include's own source, unless it uses the joins behind it.
        let joins = include.presentMember("joins")?.elements ?? []
        let isLate = filter.map { mentions($0, joins.map(NaiveView.alias)) } ?? false
        var rows = matches(include, row, checksFilter: !isLate)
        rows = joined(rows, joins)
        if isLate { rows = rows.filter { holdsOwn(filter, $0, own: alias) } }
        let offset = NaiveView.integer(include.presentMember("offset")) ?? 0
        let limit = NaiveView.integer(include.presentMember("limit"))
        if include.presentMember("group") != nil {
            let groups = groupRows(rows, include, own: alias)
            return .array(Array(groups.dropFirst(offset).prefix(limit ?? groups.count)))
        }
        if include.presentMember("aggregates") != nil { return groupRows(rows, include, own: alias)[0] }
        let asked = missing
        let ordered = sorted(rows, include, sources: rowAliases(include), own: alias)
        missing = asked
        if include.presentMember("one") == .bool(true) {
            guard let first = ordered.dropFirst(offset).first else { return .null }
            return output(first, include, own: alias)
        }
        let shown = Array(ordered.dropFirst(offset).prefix(limit ?? ordered.count))
        var result: [ReferenceJSON] = []
        for row in shown { result.append(output(row, include, own: alias)) }
        return .array(result)
    }

    private func mentions(_ predicate: ReferenceJSON, _ aliases: [String]) -> Bool {
        if let elements = predicate.elements { return elements.contains { mentions($0, aliases) } }
        for member in predicate.members ?? [] {
            if member.key.unescaped == Array("path".utf8), member.value.unescaped != nil,
                aliases.contains(String(NaiveView.string(member.value).prefix { $0 != "/" }))
            {
                return true
            }
            if mentions(member.value, aliases) { return true }
        }
        return false
    }

    /// Rows in their order.
    mutating func sorted(_ rows: [Row], _ body: ReferenceJSON, sources: [String], own: String) -> [Row] {
        let components = body.presentMember("order")?.elements ?? []
        var keyed: [(row: Row, values: [ReferenceJSON?], ids: [[UInt8]?])] = []
        for row in rows {
            let output = components.isEmpty ? .null : self.output(row, body, own: own)
            let values = components.map { component -> ReferenceJSON? in
                let path = NaiveView.string(component.member("path") ?? .null)
                if path.hasPrefix("/") { return ReferencePointer(Array(path.utf8)).value(in: output) }
                return value(path, row, own: nil)
            }
            keyed.append((row, values, sources.map { (row[$0] ?? nil).map { Array($0.id.utf8) } }))
        }
        return keyed.sorted { left, right in
            NaiveView.precedes(left.values, right.values, components)
                ?? left.ids.lexicographicallyPrecedes(right.ids) { NaiveView.precedes($0, $1) }
        }.map(\.row)
    }

    static func precedes(
        _ left: [ReferenceJSON?], _ right: [ReferenceJSON?], _ components: [ReferenceJSON]
    ) -> Bool? {
        for (index, component) in components.enumerated() {
            let sign = ReferenceComparison.order(left[index], right[index])
            if sign == 0 { continue }
            let direction = component.presentMember("direction").map(string) ?? "asc"
            return direction.hasPrefix("desc") ? sign > 0 : sign < 0
        }
        return nil
    }

    private static func precedes(_ left: [UInt8]?, _ right: [UInt8]?) -> Bool {
        guard let right else { return false }
        return left?.lexicographicallyPrecedes(right) ?? true
    }
}
