import TidemarkViews

/// Rewrites joins so that the uses of a rule share one walk.
///
/// Uses are told apart by a condition of `on` with a parameter. `{"path": "/project", "eq": {"param": "project"}}` in
/// the `where` of an `exists` says the same as `{"/project": {"param": "project"}}` in its `on`, except for null.
/// Parameters of scopes are null only if the file says so, and these are left where they are.
struct SharedJoins {
    /// The parameters that are never null.
    let parameters: Set<[UInt8]>

    /// Returns a list of joins as they are evaluated.
    func rewritten(_ joins: RuleNode) -> RuleNode {
        guard case .array(let elements) = joins else { return joins }
        return .array(elements.map { self.join($0) })
    }

    private func join(_ join: RuleNode) -> RuleNode {
        guard case .object(let members) = join, ScopeRuleText.member("kind", of: join).map(text) == "exists",
            let filter = ScopeRuleText.member("where", of: join),
            case .object(let on)? = ScopeRuleText.member("on", of: join),
            !on.contains(where: { hasParameter($0.value) })
        else { return join }
        var conjuncts = [filter]
        if case .array(let all)? = filter.only("all") { conjuncts = all }
        guard let index = conjuncts.firstIndex(where: { condition($0) != nil }),
            let moved = condition(conjuncts[index]),
            !on.contains(where: { $0.name == moved.name })
        else { return join }
        conjuncts.remove(at: index)
        return .object(
            members.compactMap { member in
                switch text(.string(member.name)) {
                case "on": RuleNode.Member(name: member.name, value: .object(on + [moved]))
                case "where":
                    conjuncts.isEmpty
                        ? nil
                        : RuleNode.Member(name: member.name, value: ScopeRuleText.object([("all", .array(conjuncts))]))
                default: member
                }
            })
    }

    /// The condition of `on` that says the same as a predicate; nil if there is none.
    private func condition(_ predicate: RuleNode) -> RuleNode.Member? {
        guard case .object(let members) = predicate, members.count == 2,
            case .string(let path)? = ScopeRuleText.member("path", of: predicate), path.first == UInt8(ascii: "/"),
            path.suffix(2) != Array("/*".utf8)[...], let operand = ScopeRuleText.member("eq", of: predicate),
            case .string(let name)? = operand.only("param"), parameters.contains(name)
        else { return nil }
        return RuleNode.Member(name: path, value: operand)
    }

    private func hasParameter(_ value: RuleNode) -> Bool {
        if case .array(let elements) = value { return elements.contains { $0.only("param") != nil } }
        return value.only("param") != nil
    }

    private func text(_ node: RuleNode) -> String {
        if case .string(let text) = node { String(decoding: text, as: UTF8.self) } else { "" }
    }
}
