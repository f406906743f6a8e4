import TidemarkModel
import TidemarkStore

/// The values that one use of a view gives to the parameters of its rule.
package struct ViewBinding: Sendable {
    /// The values in the order of ``ViewRule/parameters``: JSON without white space.
    let values: [[UInt8]]

    /// Checks parameters.
    ///
    /// - Parameter json: An object with a value for each parameter of the rule; nil counts as an empty one.
    /// - Throws: ``ViewRuleError`` for a parameter that is missing, that the rule does not use, or whose value is no
    ///   array for `in`, or no string for `prefix`.
    package init(_ json: [UInt8]?, for rule: ViewRule) throws(ViewRuleError) {
        let node = try json.map { json throws(ViewRuleError) in try RuleReader.node(json, name: "the parameters") }
        var given: [ByteString: RuleNode] = [:]
        for member in try (node ?? .object([])).members(at: "") { given[ByteString(member.name)] = member.value }
        let names = rule.parameters.map(\.description)
        for name in given.keys.sorted() where !rule.parameters.contains(name) {
            throw ViewRuleError(
                RulePlace.token(name.bytes), "is no parameter",
                nearest: NearestName.of(name, among: names))
        }
        var values: [[UInt8]] = []
        for (name, use) in zip(rule.parameters, rule.parameterUses) {
            let place = RulePlace.token(name.bytes)
            guard let value = given[name] else { throw ViewRuleError(place, "is a parameter without a value") }
            if use.arrayPlace != nil { _ = try value.elements(at: place) }
            if use.stringPlace != nil { _ = try value.text(at: place) }
            values.append(value.canonical)
        }
        self.values = values
    }

    /// Returns the test of an operator with a parameter; nil if no value can fulfil it.
    func test(_ operation: ViewTest.Operator, _ parameter: Int) -> ValueTest? {
        values[parameter].withUnsafeBytes { ViewTest.test(operation, 0..<$0.count, of: $0) }
    }
}

extension ViewBinding: Hashable {}
