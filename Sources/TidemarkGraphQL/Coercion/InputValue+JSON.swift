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
        case .string(let string): JSONSpelling.append(string.bytes, to: &text)
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
                JSONSpelling.append(member.key.bytes, to: &text)
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

/// Writes JSON strings in the canonical spelling, which the identity of queries uses, too.
enum JSONSpelling {
    private static let hexDigits = Array("0123456789abcdef".utf8)

    static func append(_ string: [UInt8], to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        var index = 0
        while index < string.count {
            let byte = string[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x08: text += "\\b".utf8
            case 0x09: text += "\\t".utf8
            case 0x0A: text += "\\n".utf8
            case 0x0C: text += "\\f".utf8
            case 0x0D: text += "\\r".utf8
            case 0..<0x20: escape(UInt32(byte), to: &text)
            case 0xED where index + 2 < string.count && string[index + 1] >= 0xA0:
                escape(0xD000 | UInt32(string[index + 1] & 0x3F) << 6 | UInt32(string[index + 2] & 0x3F), to: &text)
                index += 2
            default: text.append(byte)
            }
            index += 1
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func escape(_ code: UInt32, to text: inout [UInt8]) {
        text += "\\u".utf8
        for shift: UInt32 in [12, 8, 4, 0] { text.append(hexDigits[Int(code >> shift & 0xF)]) }
    }
}
