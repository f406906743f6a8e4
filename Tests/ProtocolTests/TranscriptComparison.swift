import TidemarkReferenceModel

/// Compares the lines of a cache with those of a transcript, and remembers the values of placeholders.
struct TranscriptComparison {
    /// The values of placeholders by name.
    private var bound: [String: ReferenceJSON] = [:]

    /// Whether a line is a notification whose place the protocol does not fix; it is skipped unless it is expected.
    static func isPassedOver(_ line: [UInt8]) -> Bool {
        guard let value = try? ReferenceJSONParser.parse(line), value.member("id") == nil,
            let method = value.member("method")?.text
        else { return false }
        return ["durable", "library.state"].contains { Array($0.utf8) == method }
    }

    /// Whether a line is the expected one. Its placeholders get values only then.
    mutating func takes(_ wanted: ReferenceJSON, _ line: [UInt8]) -> Bool {
        guard let found = try? ReferenceJSONParser.parse(line) else { return false }
        var attempt = self
        guard attempt.matches(wanted, found) else { return false }
        self = attempt
        return true
    }

    /// Returns a host's line: a string is sent unchanged, so that it need not be JSON; any other value is sent as JSON
    /// with the values of placeholders.
    func hostLine(_ value: ReferenceJSON) -> [UInt8] {
        value.text ?? substituted(value).written
    }

    private mutating func matches(_ wanted: ReferenceJSON, _ found: ReferenceJSON) -> Bool {
        if let text = wanted.text.map({ String(decoding: $0, as: UTF8.self) }) {
            if text == "<any>" { return true }
            if let name = TranscriptComparison.name(text) {
                guard let value = bound[name] else {
                    bound[name] = found
                    return true
                }
                return value == found
            }
            return found.text.map { String(decoding: $0, as: UTF8.self) } == text
        }
        if let members = wanted.members {
            guard let foundMembers = found.members else { return false }
            let isOpen = wanted.member("...") != nil
            let named = members.filter { $0.key.unescaped != Array("...".utf8) }
            if !isOpen, named.count != foundMembers.count { return false }
            for member in named {
                guard let value = foundMembers.last(where: { $0.key.unescaped == member.key.unescaped })?.value,
                    matches(member.value, value)
                else { return false }
            }
            return true
        }
        if let elements = wanted.elements {
            guard let foundElements = found.elements, elements.count == foundElements.count else { return false }
            for (element, foundElement) in zip(elements, foundElements) where !matches(element, foundElement) {
                return false
            }
            return true
        }
        return wanted.written == found.written
    }

    private func substituted(_ value: ReferenceJSON) -> ReferenceJSON {
        if let text = value.text, let name = TranscriptComparison.name(String(decoding: text, as: UTF8.self)) {
            return bound[name] ?? value
        }
        if let members = value.members {
            return .object(members.map { ReferenceMember(key: $0.key, value: substituted($0.value)) })
        }
        if let elements = value.elements { return .array(elements.map(substituted)) }
        return value
    }

    /// Returns the name of a placeholder: `a` for `<=a>`.
    private static func name(_ text: String) -> String? {
        text.hasPrefix("<=") && text.hasSuffix(">") ? String(text.dropFirst(2).dropLast()) : nil
    }
}
