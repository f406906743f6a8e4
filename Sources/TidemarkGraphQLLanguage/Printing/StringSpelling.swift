import TidemarkModel

/// Writes strings in the syntax of documents, including quotes.
///
/// - Source: GraphQL, October 2021, section 2.9.4.
enum StringSpelling {
    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    /// Returns a string in its original form. A block string stays one if its text can be written so; text that was
    /// read from a block string always can.
    static func text(of string: StringValue) -> [UInt8] {
        if string.isBlock, let text = block(string.text.bytes) { return text }
        return quoted(string.text.bytes)
    }

    private static func quoted(_ content: [UInt8]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "\"")]
        text.reserveCapacity(content.count + 2)
        for byte in content {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x08: text += "\\b".utf8
            case 0x09: text += "\\t".utf8
            case 0x0A: text += "\\n".utf8
            case 0x0C: text += "\\f".utf8
            case 0x0D: text += "\\r".utf8
            case 0..<0x20, 0x7F:
                text += "\\u00".utf8
                text += [hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]]
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
        return text
    }

    /// Returns a text as a block string.
    ///
    /// - Returns: nil if parsing the block string would give another text.
    private static func block(_ content: [UInt8]) -> [UInt8]? {
        let isPlain = content.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t") }
        guard isPlain else { return nil }
        var raw: [UInt8] = []
        // On a line of its own, the indentation of the first line would count as common and be removed.
        let startsBlank = content.first == UInt8(ascii: " ") || content.first == UInt8(ascii: "\t")
        if !startsBlank, !content.isEmpty { raw.append(UInt8(ascii: "\n")) }
        raw += content
        if !content.isEmpty { raw.append(UInt8(ascii: "\n")) }
        guard BlockStringLines(raw).text == content else { return nil }
        let quotes = [UInt8](repeating: UInt8(ascii: "\""), count: 3)
        var text = quotes
        var offset = 0
        while offset < raw.count {
            if raw[offset] == UInt8(ascii: "\""), raw[offset...].starts(with: quotes) {
                text.append(UInt8(ascii: "\\"))
                text += quotes
                offset += 3
            } else {
                text.append(raw[offset])
                offset += 1
            }
        }
        return text + quotes
    }
}
