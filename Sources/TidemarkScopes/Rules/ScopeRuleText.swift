import TidemarkViews

/// Builds the rules of views from the parts of a file of scopes.
enum ScopeRuleText {
    /// Returns an object of the members that are there.
    static func object(_ members: [(name: String, value: RuleNode?)]) -> RuleNode {
        .object(
            members.compactMap { member in
                member.value.map { RuleNode.Member(name: Array(member.name.utf8), value: $0) }
            })
    }

    /// Returns a member of an object; nil without one, or if it is null.
    static func member(_ name: String, of node: RuleNode) -> RuleNode? {
        guard case .object(let members) = node,
            let value = members.first(where: { $0.name == Array(name.utf8) })?.value, !value.isNull
        else { return nil }
        return value
    }

    /// Returns a place without a prefix that the file does not have.
    static func withoutPrefix(_ prefix: String, of place: String) -> String {
        place == prefix ? "" : place.hasPrefix(prefix + "/") ? String(place.dropFirst(prefix.count)) : place
    }
}
