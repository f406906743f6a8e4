import Tidemark
import TidemarkModel
import TidemarkViews

/// A piece of a rule as JSON, with the first mistake that was made while it was built.
///
/// Builders do not throw, so that they can be chained; the mistake is thrown when the view is used.
struct RulePart: Sendable {
    var node: RuleNode
    var mistake: CacheError?

    init(_ node: RuleNode, mistake: CacheError? = nil) {
        self.node = node
        self.mistake = mistake
    }

    /// The word `null`.
    static let null = RulePart(.word(Array("null".utf8)))

    /// A string.
    static func text(_ text: String) -> RulePart { RulePart(.string(Array(text.utf8))) }

    /// An integer.
    static func number(_ number: Int) -> RulePart { RulePart(.word(Array(String(number).utf8))) }

    /// The word `true` or `false`.
    static func flag(_ flag: Bool) -> RulePart { RulePart(.word(Array((flag ? "true" : "false").utf8))) }

    /// A value of Swift as JSON.
    ///
    /// - Parameter conventions: How the resource that the value is compared with writes dates and names.
    static func literal(_ value: some Encodable, _ conventions: ResourceConventions) -> RulePart {
        do throws(CacheError) {
            let bytes = try ResourceCoder().encode(value, conventions)
            do throws(ViewRuleError) {
                return RulePart(try RuleNode(text: bytes, name: "the value"))
            } catch {
                throw CacheError(.invalidParams, "\(type(of: value)) cannot be compared with: \(error.what)")
            }
        } catch {
            return RulePart(null.node, mistake: error)
        }
    }

    /// An array.
    static func array(_ parts: [RulePart]) -> RulePart {
        RulePart(.array(parts.map(\.node)), mistake: parts.lazy.compactMap(\.mistake).first)
    }

    /// An object.
    static func object(_ members: [(name: String, value: RulePart)]) -> RulePart {
        RulePart(
            .object(members.map { RuleNode.Member(name: Array($0.name.utf8), value: $0.value.node) }),
            mistake: members.lazy.compactMap(\.value.mistake).first)
    }

    /// True for an object.
    var isObject: Bool {
        if case .object = node { true } else { false }
    }

    /// Adds an element to an array.
    mutating func append(_ element: RulePart) {
        guard case .array(let elements) = node else { preconditionFailure("an element is added to \(node)") }
        node = .array(elements + [element.node])
        mistake = mistake ?? element.mistake
    }

    /// Adds a member to an object, also one whose name it has already: the grammar refuses that with its place.
    mutating func append(_ name: String, _ value: RulePart) {
        guard case .object(let members) = node else { preconditionFailure("a member is added to \(node)") }
        node = .object(members + [RuleNode.Member(name: Array(name.utf8), value: value.node)])
        mistake = mistake ?? value.mistake
    }

    /// The only one of several predicates, or all of them; nil for none.
    static func all(_ predicates: [RulePart]) -> RulePart? {
        predicates.count > 1 ? .object([("all", .array(predicates))]) : predicates.first
    }
}
