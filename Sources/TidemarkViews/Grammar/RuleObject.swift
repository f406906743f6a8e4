import TidemarkModel

/// An object of a rule whose member names are all known.
package struct RuleObject {
    /// The JSON Pointer to the object.
    package let place: String
    private let members: [RuleNode.Member]

    /// Checks the names of an object's members.
    ///
    /// - Throws: ``ViewRuleError`` if the value is no object, or at the first unknown member: a misspelt one that is
    ///   ignored would widen the answer.
    package init(_ node: RuleNode, at place: String, knows names: [String]) throws(ViewRuleError) {
        guard case .object(let members) = node else { throw ViewRuleError(place, "is not an object; write {…}") }
        for member in members {
            let name = String(decoding: member.name, as: UTF8.self)
            guard !names.contains(name) else { continue }
            throw ViewRuleError(
                place + RulePlace.token(member.name),
                "is unknown; the members here are \(names.joined(separator: ", "))",
                nearest: NearestName.of(ByteString(name), among: names))
        }
        self.members = members
        self.place = place
    }

    /// Returns the value of a member; nil if it is absent or null.
    package func present(_ name: String) -> RuleNode? {
        guard let value = members.first(where: { $0.name == Array(name.utf8) })?.value, !value.isNull else {
            return nil
        }
        return value
    }

    /// Returns the place of a member.
    package func place(_ name: String) -> String { "\(place)/\(name)" }
}

extension RuleNode {
    /// Returns the members of an object in order.
    ///
    /// - Parameter mayHaveEmptyName: True where names are JSON Pointers, of which the empty one is the whole resource.
    package func members(at place: String, mayHaveEmptyName: Bool = false) throws(ViewRuleError) -> [Member] {
        guard case .object(let members) = self else { throw ViewRuleError(place, "is not an object; write {…}") }
        for member in members where member.name.isEmpty && !mayHaveEmptyName {
            throw ViewRuleError(place + "/", "is empty; write a name")
        }
        return members
    }

    /// Returns the elements of an array.
    package func elements(at place: String) throws(ViewRuleError) -> [RuleNode] {
        guard case .array(let elements) = self else { throw ViewRuleError(place, "is not an array; write […]") }
        return elements
    }

    /// Returns the text of a string, without escapes.
    package func text(at place: String) throws(ViewRuleError) -> [UInt8] {
        guard case .string(let text) = self else { throw ViewRuleError(place, "is not a string; write \"…\"") }
        return text
    }

    func flag(at place: String) throws(ViewRuleError) -> Bool {
        switch self {
        case .word(Array("true".utf8)): return true
        case .word(Array("false".utf8)): return false
        case .word, .string, .array, .object:
            throw ViewRuleError(place, "is neither true nor false; write one of them")
        }
    }

    func integer(from least: Int, at place: String) throws(ViewRuleError) -> Int {
        guard case .word(let word) = self, let value = Int(String(decoding: word, as: UTF8.self)), value >= least else {
            throw ViewRuleError(place, "is not an integer of \(least) or more")
        }
        return value
    }

    /// The value of the only member of an object, if it has the given name.
    package func only(_ name: String) -> RuleNode? {
        guard case .object(let members) = self, members.count == 1, members[0].name == Array(name.utf8) else {
            return nil
        }
        return members[0].value
    }
}
