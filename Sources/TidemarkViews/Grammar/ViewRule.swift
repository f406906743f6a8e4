import TidemarkModel

/// The checked rule of a view: every name in it is known, and every path leads to a source that precedes it.
///
/// Rules are equal if they are written equally, apart from white space, escapes, and the order of members where that
/// does not show.
///
/// - Source: Protocol/views.md, the rule.
package struct ViewRule: Sendable {
    /// The rule in its canonical spelling, for comparing and storing it.
    package let canonical: [UInt8]
    /// The names of the parameters, in the order of their first use.
    package let parameters: [ByteString]
    /// True if a result tells the number of rows before the window is cut.
    package let hasTotal: Bool
    /// What the view asks for.
    let body: ViewBody
    /// For each parameter, what its values have to be.
    let parameterUses: [ParameterUse]
    /// The number of places for entities that evaluating the rule needs, includes inside each other added up.
    let slotCount: Int

    /// Parses and checks a rule.
    ///
    /// - Parameter json: The text of the rule, with or without white space.
    /// - Throws: ``ViewRuleError`` for the first thing that is wrong.
    /// - Complexity: O(json.count), plus O(names²) for an unknown name.
    package init(json: [UInt8], limits: ViewLimits = ViewLimits()) throws(ViewRuleError) {
        guard json.count <= limits.ruleByteCountMax else {
            throw ViewRuleError("", "has \(json.count) bytes; write at most \(limits.ruleByteCountMax)")
        }
        let node = try RuleReader.node(json, name: "the rule")
        var parser = RuleParser(limits: limits)
        body = try parser.view(node)
        canonical = node.canonical
        parameters = parser.parameters.map { ByteString($0) }
        parameterUses = parser.parameterUses
        hasTotal = parser.hasTotal
        slotCount = parser.slotCountMax
    }

    /// The rows before the window.
    package var offset: Int { body.offset }

    /// The most rows of the window; nil without a limit.
    package var limit: Int? { body.limit }

    /// The types of all sources as the rule writes them, in order, each once.
    package var types: [ByteString] {
        var types: [ByteString] = []
        body.forEachSource { source in
            if !types.contains(source.type) { types.append(source.type) }
        }
        return types
    }
}

extension ViewRule: Hashable {
    /// Compares the canonical spellings.
    package static func == (left: ViewRule, right: ViewRule) -> Bool { left.canonical == right.canonical }

    /// Hashes the canonical spelling.
    package func hash(into hasher: inout Hasher) { hasher.combine(canonical) }
}

/// What the values of a parameter have to be.
struct ParameterUse: Sendable {
    /// The place of an `in` that compares with the parameter, which then is an array.
    var arrayPlace: String?
    /// The place of a `prefix` that compares with the parameter, which then is a string.
    var stringPlace: String?
}
