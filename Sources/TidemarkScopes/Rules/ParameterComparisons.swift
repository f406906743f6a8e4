import TidemarkModel
import TidemarkViews

/// One place in the rules of a scope where a value is compared with a parameter.
struct ParameterComparison: Sendable {
    let parameter: [UInt8]
    /// The operator of a predicate, or `on`.
    let operation: String
    /// The cache's own name of the type whose entity is compared.
    let type: ByteString
    /// The pointer to the value; `@key` for the entity itself.
    let pointer: [UInt8]
    /// True inside `require`.
    let isRequired: Bool
    let place: String
}

/// Collects where rules that were checked already compare with parameters.
struct ParameterComparisons {
    let types: [ByteString: ByteString]
    private(set) var all: [ParameterComparison] = []

    init(types: [ByteString: ByteString]) {
        self.types = types
    }

    /// Notes the uses in a source with its joins.
    ///
    /// - Parameters:
    ///   - source: An object with `type`, and maybe `as`, `on` and `where`.
    ///   - joins: Its joins, which may have joins of their own.
    ///   - place: The place of both.
    mutating func note(
        _ source: RuleNode, _ joins: RuleNode?, at place: String, isRequired: Bool
    ) throws(ScopeFileError) {
        var aliases: [ByteString: ByteString] = [:]
        note(source, joins, at: place, isRequired, &aliases)
    }

    private mutating func note(
        _ source: RuleNode, _ joins: RuleNode?, at place: String, _ isRequired: Bool,
        _ aliases: inout [ByteString: ByteString]
    ) {
        let written = ByteString(text(ScopeRuleText.member("type", of: source)))
        let type = types[written] ?? written
        aliases[ScopeRuleText.member("as", of: source).map { ByteString(text($0)) } ?? written] = type
        if case .object(let conditions)? = ScopeRuleText.member("on", of: source) {
            for condition in conditions {
                let inner = place + "/on" + RulePlace.token(condition.name)
                var values = [condition.value]
                if case .array(let elements) = condition.value { values = elements }
                for value in values {
                    guard let name = value.only("param") else { continue }
                    let pointer = ParameterComparisons.withoutElements(condition.name)
                    add(name, "on", type, pointer, isRequired, inner)
                }
            }
        }
        if let filter = ScopeRuleText.member("where", of: source) {
            predicate(filter, type, aliases, at: place + "/where", isRequired)
        }
        guard case .array(let elements)? = joins else { return }
        for (index, join) in elements.enumerated() {
            note(join, ScopeRuleText.member("joins", of: join), at: "\(place)/joins/\(index)", isRequired, &aliases)
        }
    }

    private mutating func predicate(
        _ node: RuleNode, _ own: ByteString, _ aliases: [ByteString: ByteString], at place: String, _ isRequired: Bool
    ) {
        guard case .object(let members) = node else { return }
        let path = ScopeRuleText.member("path", of: node).map { text($0) }
        for member in members {
            let inner = place + RulePlace.token(member.name)
            if let path {
                guard let name = member.value.only("param") else { continue }
                let (type, pointer) = target(path, own, aliases)
                add(name, String(decoding: member.name, as: UTF8.self), type, pointer, isRequired, inner)
            } else if case .array(let elements) = member.value {
                for (index, element) in elements.enumerated() {
                    predicate(element, own, aliases, at: "\(inner)/\(index)", isRequired)
                }
            } else {
                predicate(member.value, own, aliases, at: inner, isRequired)
            }
        }
    }

    private func target(
        _ path: [UInt8], _ own: ByteString, _ aliases: [ByteString: ByteString]
    ) -> (type: ByteString, pointer: [UInt8]) {
        guard let first = path.first, first != UInt8(ascii: "/") else { return (own, path) }
        let end = path.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
        return (aliases[ByteString(path[..<end])] ?? own, Array(path[end...]))
    }

    private mutating func add(
        _ name: RuleNode, _ operation: String, _ type: ByteString, _ pointer: [UInt8], _ isRequired: Bool,
        _ place: String
    ) {
        all.append(
            ParameterComparison(
                parameter: text(name), operation: operation, type: type, pointer: pointer, isRequired: isRequired,
                place: place))
    }

    /// The pointer to the array of a pointer to its elements.
    private static func withoutElements(_ pointer: [UInt8]) -> [UInt8] {
        pointer.suffix(2) == Array("/*".utf8)[...] ? Array(pointer.dropLast(2)) : pointer
    }

    private func text(_ node: RuleNode?) -> [UInt8] {
        if case .string(let text)? = node { text } else { [] }
    }
}
