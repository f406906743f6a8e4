import TidemarkModel
import TidemarkStore

extension RuleParser {
    /// Parses the conditions of `on`.
    mutating func conditions(
        _ object: RuleObject, _ scope: RuleScope
    ) throws(ViewRuleError) -> [ViewCondition] {
        let place = object.place("on")
        guard let node = object.present("on") else {
            throw ViewRuleError(place, "is missing; write which entities belong together, such as {\"@key\": \"a/b\"}")
        }
        var conditions: [ViewCondition] = []
        for member in try node.members(at: place, mayHaveEmptyName: true) {
            let inner = place + RulePlace.token(member.name)
            let left = try left(member.name, at: inner)
            var alternatives = [member.value]
            var isList = false
            if case .array(let elements) = member.value { (alternatives, isList) = (elements, true) }
            guard !alternatives.isEmpty else { throw ViewRuleError(inner, "is an empty list; write a condition") }
            for (index, value) in alternatives.enumerated() {
                let own = isList ? "\(inner)/\(index)" : inner
                let text = RuleNode.object([RuleNode.Member(name: member.name, value: value)]).canonical
                conditions.append(
                    ViewCondition(left: left, right: try right(value, at: own, scope), place: own, text: text))
            }
        }
        guard !conditions.isEmpty else {
            throw ViewRuleError(place, "is empty; write which entities belong together, such as {\"@key\": \"a/b\"}")
        }
        return conditions
    }

    private func left(_ text: [UInt8], at place: String) throws(ViewRuleError) -> ViewCondition.Left {
        if text == Array("@key".utf8) { return .key }
        guard text.isEmpty || text.first == UInt8(ascii: "/") else {
            throw ViewRuleError(
                place, "is neither @key nor a JSON Pointer into the joined resource, such as \"/project\"",
                nearest: NearestName.of(ByteString(text), among: ["@key"]))
        }
        let (pointer, everyElement) = try elementPointer(text, at: place)
        return .value(pointer, everyElement: everyElement)
    }

    private mutating func right(
        _ node: RuleNode, at place: String, _ scope: RuleScope
    ) throws(ViewRuleError) -> ViewCondition.Right {
        if case .object = node {
            let object = try RuleObject(node, at: place, knows: ["param"])
            guard let name = object.present("param") else {
                throw ViewRuleError(place, "is no condition; write a path or {\"param\": \"name\"}")
            }
            return .parameter(try parameter(name, at: object.place("param")))
        }
        let (alias, rest) = split(try node.text(at: place))
        if alias.hasSuffix("@key") {
            let slot = try scope.slot(String(alias.dropLast(4)), at: place)
            guard rest.isEmpty else {
                throw ViewRuleError(place, "has a pointer behind @key; write the entity alone, such as \"issue@key\"")
            }
            return .entity(slot: slot)
        }
        guard !alias.isEmpty else {
            throw ViewRuleError(place, "does not begin with an alias; write the path of an earlier source")
        }
        let slot = try scope.slot(alias, at: place)
        let (pointer, everyElement) = try elementPointer(rest, at: place)
        return .path(ViewPath(slot: slot, pointer: pointer), everyElement: everyElement)
    }

    /// Parses a pointer whose last token may be `*`.
    private func elementPointer(
        _ text: [UInt8], at place: String
    ) throws(ViewRuleError) -> (pointer: RulePointer, everyElement: Bool) {
        let pointer = try pointer(text, at: place)
        guard pointer.tokens.last?.name == [UInt8(ascii: "*")] else { return (pointer, false) }
        return (RulePointer(tokens: Array(pointer.tokens.dropLast())), true)
    }
}
