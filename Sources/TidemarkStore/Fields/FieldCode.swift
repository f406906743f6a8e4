import TidemarkModel

/// Codes of values as an index keeps them: the beginning of a long one stands for it.
///
/// A beginning sorts where what it begins sorts, so an index by beginnings is in order; what it finds is compared with
/// the entity itself.
package enum FieldCode {
    /// Bytes of a code that are kept. Names of files and most titles are shorter; of paths the beginnings that many
    /// share are, and more of them would cost every row.
    package static let byteCountMax = 128

    /// The code of no value.
    package static let missing: [UInt8] = [ValueCode.missing]

    /// Of every field of an entity that is not all there: lists leave it out, and no range of values holds this. It sorts behind all others.
    package static let hidden: [UInt8] = CodeRange.end

    /// What is kept of an entity's field.
    ///
    /// - Parameter payload: One validated object without insignificant white space.
    /// - Complexity: O(payload.count).
    package static func kept(
        _ path: FieldPath, of payload: UnsafeRawBufferPointer, _ completeness: Completeness
    ) -> [UInt8] {
        completeness == .whole ? kept(path.code(in: payload)) : hidden
    }

    /// What is kept of a code.
    package static func kept(_ code: [UInt8]) -> [UInt8] {
        code.count > byteCountMax ? Array(code.prefix(byteCountMax)) : code
    }

    /// Whether a kept code says all of its value's place in the order: it was not cut.
    package static func isWhole(_ kept: [UInt8]) -> Bool { kept.count < byteCountMax }

    /// Whether a kept code tells its value from every other: it was not cut, and is of no array or object.
    package static func isExact(_ kept: [UInt8]) -> Bool { isWhole(kept) && kept.first != ValueCode.other }

    /// Whether a code is of an array or an object.
    package static func isContainer(_ code: [UInt8]) -> Bool { code.first == ValueCode.other }

    /// The one spelling in JSON of the values that a code stands for: `1.10` and `11e-1` are `1.1`.
    ///
    /// - Parameter code: Whole, or a file's, which may be anything.
    /// - Returns: Nil for no value, for arrays and objects, and for what is no code.
    package static func json(_ code: [UInt8]) -> [UInt8]? {
        switch code.first {
        case ValueCode.null: return code.count == 1 ? Array("null".utf8) : nil
        case ValueCode.no: return code.count == 1 ? Array("false".utf8) : nil
        case ValueCode.yes: return code.count == 1 ? Array("true".utf8) : nil
        case ValueCode.zero: return code.count == 1 ? Array("0".utf8) : nil
        case ValueCode.positive: return DecimalCode.json(code.dropFirst())
        case ValueCode.negative: return DecimalCode.json(code.dropFirst().map { ~$0 }[...]).map { [0x2D] + $0 }
        case ValueCode.string: return text(code).map(quoted)
        default: return nil
        }
    }

    /// The text of a string's code.
    private static func text(_ code: [UInt8]) -> [UInt8]? {
        guard code.count >= 3, code.suffix(2).elementsEqual([0, 0]) else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(code.count)
        var at = 1
        while at < code.count - 2 {
            text.append(code[at])
            // A 0 in a text is followed by 0xFF.
            at += code[at] == 0 ? 2 : 1
        }
        return text
    }

    private static func quoted(_ text: [UInt8]) -> [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "\"")]
        var at = 0
        while at < text.count {
            let byte = text[at]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
            case 0x08: json += "\\b".utf8
            case 0x09: json += "\\t".utf8
            case 0x0A: json += "\\n".utf8
            case 0x0C: json += "\\f".utf8
            case 0x0D: json += "\\r".utf8
            case 0..<0x20: appendEscape(UInt16(byte), to: &json)
            case 0xED where at + 2 < text.count && text[at + 1] >= 0xA0:
                // Half a surrogate pair, which no UTF-8 stands for.
                appendEscape(0xD000 | UInt16(text[at + 1] & 0x3F) << 6 | UInt16(text[at + 2] & 0x3F), to: &json)
                at += 2
            default: json.append(byte)
            }
            at += 1
        }
        json.append(UInt8(ascii: "\""))
        return json
    }

    private static func appendEscape(_ unit: UInt16, to json: inout [UInt8]) {
        json += "\\u".utf8
        let digits = Array("0123456789abcdef".utf8)
        for shift: UInt16 in [12, 8, 4, 0] { json.append(digits[Int(unit >> shift & 0xF)]) }
    }
}
