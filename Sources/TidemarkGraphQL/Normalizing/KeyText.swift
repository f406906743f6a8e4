import TidemarkGraphQLLanguage
import TidemarkModel

/// The text of keys that consist of several parts.
enum KeyText {
    /// Appends one part of a key. In a joined key `\` and `+` are escaped.
    static func append(_ part: [UInt8], isJoined: Bool, to id: inout [UInt8]) {
        guard isJoined else { return id.append(contentsOf: part) }
        for byte in part {
            if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "+") { id.append(UInt8(ascii: "\\")) }
            id.append(byte)
        }
    }

    /// Returns the text of an argument's value as a key; nil if the value cannot be one.
    static func text(of value: InputValue) -> [UInt8]? {
        switch value {
        case .string(let text): text.bytes.isEmpty ? nil : text.bytes
        case .number(let digits):
            digits.bytes.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") } ? digits.bytes : nil
        case .null, .boolean, .list, .object: nil
        }
    }
}
