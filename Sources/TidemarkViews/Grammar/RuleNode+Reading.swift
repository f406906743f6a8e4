extension RuleNode {
    /// Reads a text in which no object repeats a member: of two conditions the last would count, and silently widen the
    /// answer.
    ///
    /// - Parameters:
    ///   - text: One JSON value, with or without white space.
    ///   - name: What the text is, for messages, such as `the rule`.
    /// - Throws: ``ViewRuleError`` if the text is not JSON, or at the first repeated member.
    /// - Complexity: O(text.count).
    package init(text: [UInt8], name: String) throws(ViewRuleError) {
        self = try RuleReader.node(text, name: name)
    }
}
