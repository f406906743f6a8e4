import TidemarkJSON
import TidemarkModel

extension InputValue {
    /// Appends the value as canonical JSON: no white space, names in the order of their bytes, strings with as few
    /// escapes as possible, and numbers in their original spelling.
    ///
    /// - Source: Protocol/graphql.md, storage names; Protocol/queries.md, identity.
    package func appendJSON(to text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .boolean(let isTrue): text += isTrue ? "true".utf8 : "false".utf8
        case .number(let digits): text += digits.bytes
        case .string(let string): CanonicalString.append(string.bytes, to: &text)
        case .list(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.appendJSON(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                CanonicalString.append(member.key.bytes, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.appendJSON(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// The value as canonical JSON.
    package var json: ByteString {
        var text: [UInt8] = []
        appendJSON(to: &text)
        return ByteString(text)
    }
}
