import TidemarkJSON

/// A value in the text of a rule, or of another file that may not repeat members. Unlike a resource, a rule may not
/// repeat the members of an object, so every member is kept until that was checked.
package indirect enum RuleNode: Sendable {
    /// A member of an object.
    package struct Member: Sendable {
        /// The name without escapes.
        package let name: [UInt8]
        /// The member's value.
        package let value: RuleNode

        /// Creates a member.
        ///
        /// - Parameter name: The name without escapes.
        package init(name: [UInt8], value: RuleNode) {
            self.name = name
            self.value = value
        }
    }

    /// An object with its members in their order.
    case object([Member])
    /// An array.
    case array([RuleNode])
    /// The text of a string, without escapes.
    case string([UInt8])
    /// A number, `true`, `false` or `null`, as written.
    case word([UInt8])

    /// True for `null`.
    package var isNull: Bool {
        if case .word(let text) = self { text == Array("null".utf8) } else { false }
    }

    /// The names of the members whose own members have an order that shows in results.
    private static let orderedMembers: Set<[UInt8]> = Set(
        ["select", "group", "aggregates", "include"].map { Array($0.utf8) })

    /// The value as JSON without white space and with canonical strings. Members are sorted by name, except where their
    /// order shows in results.
    package var canonical: [UInt8] {
        var text: [UInt8] = []
        write(to: &text, keepsOrder: false)
        return text
    }

    private func write(to text: inout [UInt8], keepsOrder: Bool) {
        switch self {
        case .word(let word): text += word
        case .string(let string): CanonicalString.append(string, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.write(to: &text, keepsOrder: false)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            let members =
                keepsOrder ? members : members.sorted { $0.name.lexicographicallyPrecedes($1.name) }
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                CanonicalString.append(member.name, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.write(to: &text, keepsOrder: RuleNode.orderedMembers.contains(member.name))
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Calls `body` for the first member that repeats the name of another one, with its JSON Pointer.
    ///
    /// - Returns: The pointer; nil if no object repeats a member.
    func repeatedMember(at place: String = "") -> String? {
        switch self {
        case .word, .string: return nil
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if let found = element.repeatedMember(at: "\(place)/\(index)") { return found }
            }
            return nil
        case .object(let members):
            var names: Set<[UInt8]> = []
            for member in members {
                let inner = place + RulePlace.token(member.name)
                if !names.insert(member.name).inserted { return inner }
                if let found = member.value.repeatedMember(at: inner) { return found }
            }
            return nil
        }
    }
}

/// Writes JSON Pointers into a rule.
package enum RulePlace {
    /// Returns a token of a pointer, with its slash and its escapes.
    package static func token(_ name: [UInt8]) -> String {
        var text: [UInt8] = [UInt8(ascii: "/")]
        for byte in name {
            switch byte {
            case UInt8(ascii: "~"): text += "~0".utf8
            case UInt8(ascii: "/"): text += "~1".utf8
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
