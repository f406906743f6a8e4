import TidemarkReferenceModel

extension NaiveView {
    /// Joins rows with further sources, one after the other.
    mutating func joined(_ rows: [Row], _ joins: [ReferenceJSON]) -> [Row] {
        var rows = rows
        for join in joins {
            var next: [Row] = []
            for row in rows {
                let found = matches(join, row)
                switch join.presentMember("kind").map(NaiveView.string) ?? "inner" {
                case "left": next += found.isEmpty ? [row.merging([NaiveView.alias(join): nil]) { $1 }] : found
                case "exists", "absent":
                    let isFound = !joined(found, join.presentMember("joins")?.elements ?? []).isEmpty
                    if isFound == (join.presentMember("kind").map(NaiveView.string) == "exists") { next.append(row) }
                default: next += found
                }
            }
            rows = next
        }
        return rows
    }

    /// The row with each entity that fulfils a join.
    mutating func matches(_ join: ReferenceJSON, _ row: Row, checksFilter: Bool = true) -> [Row] {
        let alias = NaiveView.alias(join)
        let conditions = NaiveView.conditions(join)
        for (left, right) in conditions where left == "@key" {
            if let members = right.members {
                note(
                    NaiveView.references(parameters[NaiveView.string(members[0].value)] ?? .null, NaiveView.type(join)),
                    join)
                continue
            }
            guard let path = right.unescaped.map({ String(decoding: $0, as: UTF8.self) }), !path.hasSuffix("@key")
            else {
                continue
            }
            for value in elements(path, row, own: nil) {
                note(NaiveView.references(value, NaiveView.type(join)), join)
            }
        }
        return keys(of: NaiveView.type(join)).compactMap { key in
            let joined = row.merging([alias: key]) { $1 }
            guard conditions.allSatisfy({ holds($0.left, $0.right, joined, alias, key) }) else { return nil }
            guard !checksFilter || holdsOwn(join.presentMember("where"), joined, own: alias) else { return nil }
            return joined
        }
    }

    private mutating func note(_ ids: [String], _ join: ReferenceJSON) {
        for id in ids {
            let key = NaiveKey(type: NaiveView.type(join), id: id)
            if entities[key] == nil, !deleted.contains(key) { note(missing: key) }
        }
    }

    static func conditions(_ join: ReferenceJSON) -> [(left: String, right: ReferenceJSON)] {
        (join.member("on")?.members ?? []).flatMap { member in
            let left = String(decoding: member.key.unescaped, as: UTF8.self)
            return (member.value.elements ?? [member.value]).map { (left, $0) }
        }
    }

    /// The value at a path, or with `*` at its end the elements of the array there.
    private func elements(_ path: String, _ row: Row, own: String?) -> [ReferenceJSON] {
        guard path.hasSuffix("/*") else { return value(path, row, own: own).map { [$0] } ?? [] }
        return value(String(path.dropLast(2)), row, own: own)?.elements ?? []
    }

    private func holds(_ left: String, _ right: ReferenceJSON, _ row: Row, _ alias: String, _ key: NaiveKey) -> Bool {
        if let members = right.members {
            let parameter = parameters[NaiveView.string(members[0].value)] ?? .null
            if left == "@key" { return NaiveView.references(parameter, key.type).contains(key.id) }
            return parameter != .null
                && elements(left, row, own: alias).contains { ReferenceComparison.areEqual($0, parameter) }
        }
        let path = NaiveView.string(right)
        if path.hasSuffix("@key") {
            guard let target = row[String(path.dropLast(4))] ?? nil else { return false }
            if left == "@key" { return target == key }
            return elements(left, row, own: alias).contains {
                NaiveView.references($0, target.type).contains(target.id)
            }
        }
        let others = elements(path, row, own: nil)
        if left == "@key" { return others.contains { NaiveView.references($0, key.type).contains(key.id) } }
        return elements(left, row, own: alias).contains { mine in
            mine != .null && others.contains { $0 != .null && ReferenceComparison.areEqual(mine, $0) }
        }
    }

    /// The ids of a type's entities to which a value refers.
    static func references(_ value: ReferenceJSON, _ type: String) -> [String] {
        if let elements = value.elements { return elements.compactMap { reference($0, type) } }
        return reference(value, type).map { [$0] } ?? []
    }

    private static func reference(_ value: ReferenceJSON, _ type: String) -> String? {
        if value.members != nil {
            if let reference = value.member("__ref") {
                guard reference.unescaped != nil else { return nil }
                let text = string(reference)
                guard text.hasPrefix(type + ":"), text.count > type.count + 1 else { return nil }
                return canonical(String(text.dropFirst(type.count + 1)))
            }
            return (value.presentMember("id") ?? value.member("uuid")).flatMap { id($0) }
        }
        return id(value)
    }

    private static func id(_ value: ReferenceJSON) -> String? {
        if let digits = value.integerText { return String(decoding: digits, as: UTF8.self) }
        guard value.unescaped != nil, string(value) != "" else { return nil }
        return canonical(string(value))
    }

    private static func canonical(_ id: String) -> String {
        let isUUID =
            id.utf8.count == 36
            && id.enumerated().allSatisfy { [8, 13, 18, 23].contains($0) ? $1 == "-" : $1.isHexDigit }
        return isUUID ? id.lowercased() : id
    }
}
