import TidemarkJSON
import TidemarkStore

/// Writes the value that an exact code encodes, for codes of scalars.
enum CodeText {
    static func text(_ code: [UInt8]) -> [UInt8] {
        if let number = ShownDecimal(code: code) { return number.text }
        var text: [UInt8] = []
        switch code.first {
        case ValueCode.string: CanonicalString.append(unescaped(code.dropFirst()), to: &text)
        case ValueCode.yes: text += "true".utf8
        case ValueCode.no: text += "false".utf8
        default: text += "null".utf8
        }
        return text
    }

    /// The text in the code of a string: 0 is followed by 0xFF, and two 0 are the end.
    private static func unescaped(_ code: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var rest = code
        while let byte = rest.popFirst() {
            if byte == 0, rest.popFirst() != 0xFF { break }
            text.append(byte)
        }
        return text
    }
}
