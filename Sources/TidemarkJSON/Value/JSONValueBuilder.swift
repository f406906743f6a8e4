/// Builds a ``JSONValue`` from the tokens of a scan.
package struct JSONValueBuilder: JSONReceiver {
    /// An open container. An object fills `members` and an array `elements`; the other stays empty.
    package struct Container {
        package let isObject: Bool
        package var elements: [JSONValue] = []
        package var members: [JSONMember] = []
        /// The name of the member whose value follows.
        package var name = ""
    }

    package static let requiresUTF8 = true

    private let bytes: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    package func open(isObject: Bool, at start: Int) -> Container { Container(isObject: isObject) }

    package func name(_ name: JSONStringToken, in object: inout Container) { object.name = text(name) }

    package func add(_ value: JSONValue, to container: inout Container) {
        if container.isObject {
            container.members.append(JSONMember(container.name, value))
        } else {
            container.elements.append(value)
        }
    }

    package func close(_ container: consuming Container, at end: Int) -> JSONValue {
        container.isObject ? .object(container.members) : .array(container.elements)
    }

    package func string(_ string: JSONStringToken) -> JSONValue { .string(text(string)) }

    package func number(_ range: Range<Int>, isInteger: Bool) -> JSONValue {
        .number(JSONNumber(checked: String(decoding: bytes[range], as: UTF8.self)))
    }

    package func word(_ word: JSONWord, _ range: Range<Int>) -> JSONValue {
        switch word {
        case .true: .bool(true)
        case .false: .bool(false)
        case .null: .null
        }
    }

    /// Returns the text of a string that the scan has checked to be UTF-8.
    private func text(_ token: JSONStringToken) -> String {
        let written = UnsafeRawBufferPointer(rebasing: bytes[token.range])
        guard token.isEscaped else { return String(decoding: written, as: UTF8.self) }
        return String(decoding: JSONEscapes.unescaped(written).bytes, as: UTF8.self)
    }
}
