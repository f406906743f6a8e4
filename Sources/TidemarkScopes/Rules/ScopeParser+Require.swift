import TidemarkModel
import TidemarkViews

extension ScopeParser {
    /// Parses one condition of `require`: an `exists` without a row before it.
    ///
    /// As a view it is the type joined with itself: every row that matches, under the parameters. The condition holds
    /// while there is a row.
    func requirement(
        _ node: RuleNode, at place: String, _ uses: inout ParameterComparisons
    ) throws(ScopeFileError) -> ViewRule {
        let object = try object(node, at: place, knows: ["type", "as", "kind", "on", "where", "joins"])
        if let kind = object.present("kind") {
            guard try text(kind, at: object.place("kind")) == Array("exists".utf8) else {
                throw ScopeFileError(object.place("kind"), "is not exists; a condition of require is nothing else")
            }
        }
        guard let type = object.present("type") else {
            throw ScopeFileError(object.place("type"), "is missing; name the type of the entities")
        }
        let row = freshAlias(node)
        let on = try conditions(object, row)
        let matched = ScopeRuleText.object([
            ("type", type), ("as", object.present("as") ?? type), ("on", on), ("where", object.present("where")),
        ])
        var joins = [matched]
        if let inner = object.present("joins") { joins += try elements(inner, at: object.place("joins")) }
        let from = ScopeRuleText.object([("type", type), ("as", .string(Array(row.utf8)))])
        let rule = ScopeRuleText.object([("from", from), ("joins", .array(joins))])
        try uses.note(
            ScopeRuleText.object([
                ("type", type), ("as", object.present("as")), ("on", object.present("on")),
                ("where", object.present("where")),
            ]), object.present("joins"), at: place, isRequired: true)
        do {
            return try ViewRule(json: rule.canonical)
        } catch {
            throw ScopeFileError(
                place + writtenPlace(error.place), error.what, nearest: error.nearest == row ? nil : error.nearest)
        }
    }

    /// An alias that the condition does not use.
    private func freshAlias(_ node: RuleNode) -> String {
        let text = String(decoding: node.canonical, as: UTF8.self)
        var number = 0
        while text.contains("_row\(number)") { number += 1 }
        return "_row\(number)"
    }

    /// Checks `on`, and adds that both sources are the same entity.
    private func conditions(_ object: RuleObject, _ row: String) throws(ScopeFileError) -> RuleNode {
        let place = object.place("on")
        guard let node = object.present("on"), case let members = try members(node, at: place), !members.isEmpty else {
            throw ScopeFileError(place, "is missing; write {\"/user\": {\"param\": \"me\"}}")
        }
        var on: [RuleNode.Member] = []
        var keys = [RuleNode.string(Array("\(row)@key".utf8))]
        for member in members {
            let inner = place + RulePlace.token(member.name)
            var values = [member.value]
            if case .array(let elements) = member.value { values = elements }
            for (index, value) in values.enumerated() where value.only("param") == nil {
                let place = values.count > 1 ? "\(inner)/\(index)" : inner
                throw ScopeFileError(place, "is no parameter; there is no row before a condition of require")
            }
            if member.name == Array("@key".utf8) { keys = values + keys } else { on.append(member) }
        }
        on.append(RuleNode.Member(name: Array("@key".utf8), value: .array(keys)))
        return .object(on)
    }

    /// The place in the file for one in the rule.
    private func writtenPlace(_ place: String) -> String {
        let tokens = place.split(separator: "/", omittingEmptySubsequences: true)
        guard tokens.count > 1, tokens[0] == "joins", let index = Int(tokens[1]) else { return "" }
        let rest = tokens.dropFirst(2).map { "/\($0)" }.joined()
        return index == 0 ? rest : "/joins/\(index - 1)\(rest)"
    }
}
