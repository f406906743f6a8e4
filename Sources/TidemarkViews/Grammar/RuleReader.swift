import TidemarkJSON
import TidemarkModel

/// Turns the text of a rule into a ``RuleNode``.
struct RuleReader: JSONReceiver {
    struct Container {
        let isObject: Bool
        var names: [[UInt8]] = []
        var values: [RuleNode] = []
    }

    static let requiresUTF8 = true
    private let bytes: UnsafeRawBufferPointer

    private init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Reads a text.
    ///
    /// - Throws: ``ViewRuleError`` if the text is not one JSON value, or if an object in it repeats a member: of two
    ///   conditions the last would count, and silently widen a join.
    static func node(_ text: [UInt8], name: String) throws(ViewRuleError) -> RuleNode {
        let (node, fault) = text.withUnsafeBytes { bytes in
            // Predicates may nest 32 deep, each with two containers, inside joins and includes.
            var scan = JSONScan(bytes, nestingDepthMax: Limits.nestingDepthCeiling, into: RuleReader(bytes))
            return (scan.whole(), scan.fault)
        }
        guard let node else {
            throw ViewRuleError("", "is not JSON at byte \(fault.offset) of \(name): \(fault.message)")
        }
        if let place = node.repeatedMember() {
            throw ViewRuleError(place, "repeats a member; write every member once, and several conditions as a list")
        }
        return node
    }

    mutating func open(isObject: Bool, at start: Int) -> Container { Container(isObject: isObject) }

    mutating func name(_ name: JSONStringToken, in object: inout Container) { object.names.append(unescaped(name)) }

    mutating func add(_ value: RuleNode, to container: inout Container) { container.values.append(value) }

    mutating func close(_ container: consuming Container, at end: Int) -> RuleNode {
        guard container.isObject else { return .array(container.values) }
        return .object(zip(container.names, container.values).map { RuleNode.Member(name: $0, value: $1) })
    }

    mutating func string(_ string: JSONStringToken) -> RuleNode { .string(unescaped(string)) }

    mutating func number(_ range: Range<Int>, isInteger: Bool) -> RuleNode { .word(Array(bytes[range])) }

    mutating func word(_ word: JSONWord, _ range: Range<Int>) -> RuleNode { .word(Array(bytes[range])) }

    private func unescaped(_ token: JSONStringToken) -> [UInt8] {
        JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[token.range]))
    }
}
