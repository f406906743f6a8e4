import TidemarkJSON
import TidemarkModel

/// Why bytes are not an ``InputValue``.
package struct InputValueError: Error, Hashable, Sendable {
    /// The offset of the first unusable byte.
    package var offset: Int
    /// True if the value nests too deeply.
    package var isTooDeep = false
}

/// Parses JSON into an ``InputValue``, such as the variables of a request.
///
/// Of several members with one name the last one counts.
///
/// - Complexity: O(bytes). Recursion is bounded by ``InputValueReader/nestingDepthMax``.
/// - Source: RFC 8259; Protocol/graphql.md, variables.
package enum InputValueReader {
    /// How deeply arrays and objects may be nested: 64, as on a line.
    package static let nestingDepthMax = 64

    /// Parses one JSON value.
    ///
    /// - Parameter json: The value in UTF-8. Half a surrogate pair in an escape is kept, as UTF-8 would encode it.
    /// - Throws: ``InputValueError`` for invalid JSON.
    package static func read(_ json: [UInt8]) throws(InputValueError) -> InputValue {
        guard String(validating: json, as: UTF8.self) != nil else { throw InputValueError(offset: 0) }
        let (value, fault) = json.withUnsafeBytes { bytes in
            var scan = JSONScan(bytes, nestingDepthMax: nestingDepthMax, into: InputValueBuilder(bytes: bytes))
            return (scan.whole(), scan.fault)
        }
        guard let value else { throw InputValueError(offset: fault.offset, isTooDeep: fault.isTooDeep) }
        return value
    }
}

/// Builds an ``InputValue`` from the tokens of a scan.
private struct InputValueBuilder: JSONReceiver {
    /// An open container. An object fills `members` and an array `elements`; the other stays empty.
    struct Container {
        let isObject: Bool
        var elements: [InputValue] = []
        var members: [ByteString: InputValue] = [:]
        /// The name of the member whose value follows.
        var name: ByteString = ""
    }

    /// The caller has checked the whole text.
    static let requiresUTF8 = false

    let bytes: UnsafeRawBufferPointer

    func open(isObject: Bool, at start: Int) -> Container { Container(isObject: isObject) }

    func name(_ name: JSONStringToken, in object: inout Container) { object.name = text(name) }

    func add(_ value: InputValue, to container: inout Container) {
        if container.isObject {
            container.members[container.name] = value
        } else {
            container.elements.append(value)
        }
    }

    func close(_ container: consuming Container, at end: Int) -> InputValue {
        container.isObject ? .object(container.members) : .list(container.elements)
    }

    func string(_ string: JSONStringToken) -> InputValue { .string(text(string)) }

    func number(_ range: Range<Int>, isInteger: Bool) -> InputValue { .number(ByteString(Array(bytes[range]))) }

    func word(_ word: JSONWord, _ range: Range<Int>) -> InputValue {
        switch word {
        case .true: .boolean(true)
        case .false: .boolean(false)
        case .null: .null
        }
    }

    private func text(_ token: JSONStringToken) -> ByteString {
        ByteString(JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[token.range])))
    }
}
