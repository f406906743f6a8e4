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
        var json: [UInt8] = []
        CanonicalString.append(text, to: &json)
        return json
    }
}
