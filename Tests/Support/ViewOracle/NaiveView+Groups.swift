import TidemarkReferenceModel

extension NaiveView {
    /// The rows of groups and aggregates, in their order.
    func groupRows(_ rows: [Row], _ body: ReferenceJSON, own: String?) -> [ReferenceJSON] {
        let keys = body.presentMember("group")?.members
        var groups: [(values: [ReferenceJSON?], rows: [Row])] = []
        if keys == nil { groups.append(([], rows)) }
        for row in keys == nil ? [] : rows {
            let values = (keys ?? []).map { value(NaiveView.string($0.value), row, own: own) }
            if let index = groups.firstIndex(where: { NaiveView.areEqual($0.values, values) }) {
                groups[index].rows.append(row)
            } else {
                groups.append((values, [row]))
            }
        }
        var result: [(row: ReferenceJSON, values: [ReferenceJSON?])] = []
        for group in groups {
            let shown = group.values.map { $0.map(NaiveView.canonical) }
            var members: [ReferenceMember] = []
            for (key, value) in zip(keys ?? [], shown) {
                if let value { members.append(ReferenceMember(key: key.key, value: value)) }
            }
            for aggregate in body.presentMember("aggregates")?.members ?? [] {
                guard let value = self.aggregate(aggregate.value, group.rows, own: own) else { continue }
                members.append(ReferenceMember(key: aggregate.key, value: value))
            }
            let row = ReferenceJSON.object(members)
            let isKept = body.presentMember("having").map { having in
                holds(having) { ReferencePointer(Array($0.utf8)).value(in: row) }
            }
            if isKept ?? true { result.append((row, shown)) }
        }
        let components = body.presentMember("order")?.elements ?? []
        func ordered(_ row: ReferenceJSON) -> [ReferenceJSON?] {
            components.map { ReferencePointer($0.member("path")?.unescaped ?? []).value(in: row) }
        }
        return result.sorted { left, right in
            if let decided = NaiveView.precedes(ordered(left.row), ordered(right.row), components) { return decided }
            for (mine, other) in zip(left.values, right.values) {
                let sign = ReferenceComparison.order(mine, other)
                if sign != 0 { return sign < 0 }
            }
            for (mine, other) in zip(left.values, right.values) {
                let texts = (mine?.written ?? [], other?.written ?? [])
                if texts.0 != texts.1 { return texts.0.lexicographicallyPrecedes(texts.1) }
            }
            return false
        }.map(\.row)
    }

    private static func areEqual(_ left: [ReferenceJSON?], _ right: [ReferenceJSON?]) -> Bool {
        zip(left, right).allSatisfy { mine, other in
            guard let mine, let other else { return mine == nil && other == nil }
            return ReferenceComparison.areEqual(mine, other)
        }
    }

    private func aggregate(_ rule: ReferenceJSON, _ rows: [Row], own: String?) -> ReferenceJSON? {
        let rows = rows.filter { holdsOwn(rule.presentMember("where"), $0, own: own) }
        func values(_ path: ReferenceJSON) -> [ReferenceJSON] {
            rows.compactMap { value(NaiveView.string(path), $0, own: own) }.filter { $0 != .null }
        }
        func number(_ count: Int) -> ReferenceJSON { .number(Array(String(count).utf8)) }
        func numbers(_ path: ReferenceJSON) -> [NaiveDecimal] {
            values(path).compactMap { value in
                if case .number(let text) = value { NaiveDecimal(text) } else { nil }
            }
        }
        func extreme(_ path: ReferenceJSON, _ sign: Int) -> ReferenceJSON? {
            let scalars = values(path).filter { $0.members == nil && $0.elements == nil }
            return scalars.max { sign * ReferenceComparison.order($0, $1) < 0 }.map(NaiveView.canonical)
        }
        if let path = rule.member("count") { return number(path == .bool(true) ? rows.count : values(path).count) }
        if let path = rule.member("count_distinct") {
            var seen: [ReferenceJSON] = []
            for value in values(path) where !seen.contains(where: { ReferenceComparison.areEqual($0, value) }) {
                seen.append(value)
            }
            return number(seen.count)
        }
        if let path = rule.member("sum") {
            return .number(Array(NaiveDecimal.sum(numbers(path)).text.utf8))
        }
        if let path = rule.member("avg") {
            let numbers = numbers(path)
            return numbers.isEmpty
                ? nil : .number(Array(NaiveDecimal.sum(numbers).divided(by: numbers.count).text.utf8))
        }
        if let path = rule.member("min") { return extreme(path, -1) }
        return rule.member("max").flatMap { extreme($0, 1) }
    }

    /// A value with sorted members, plain strings and short numbers.
    static func canonical(_ value: ReferenceJSON) -> ReferenceJSON {
        switch value {
        case .number(let text): return .number(Array((NaiveDecimal(text)?.text ?? "0").utf8))
        case .string(let string): return .string(ReferenceString(string.unescaped))
        case .array(let elements): return .array(elements.map(canonical))
        case .object(let members):
            let last = Dictionary(members.map { ($0.key.unescaped, $0.value) }) { _, last in last }
            return .object(
                last.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
                    ReferenceMember(key: ReferenceString($0.key), value: canonical($0.value))
                })
        case .null, .bool: return value
        }
    }
}
