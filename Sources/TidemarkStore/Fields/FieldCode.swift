import TidemarkJSON
import TidemarkModel

/// How an index stores values: as codes whose byte order is the order of the values.
///
/// Only the beginning of a long code is kept. A beginning sorts where its full code would, so the index stays in order;
/// the entity itself then confirms each match.
package enum FieldCode {
    /// How many bytes of a code are kept: 128. File names and most titles are shorter. Many paths share longer
    /// beginnings, but keeping more bytes would make every row larger.
    package static let byteCountMax = 128

    /// The code of a missing value.
    package static let missing: [UInt8] = [ValueCode.missing]

    /// The code of every field of an incomplete entity. Lists leave such an entity out: no range of values contains
    /// this code, and it sorts after all others.
    package static let hidden: [UInt8] = CodeRange.end

    /// Returns the code that an index keeps for an entity's field.
    ///
    /// - Parameters:
    ///   - path: The field.
    ///   - payload: One validated object without insignificant white space.
    ///   - completeness: Anything but `.whole` gives ``hidden``.
    /// - Complexity: O(payload.count).
    package static func kept(
        _ path: FieldPath, of payload: UnsafeRawBufferPointer, _ completeness: Completeness
    ) -> [UInt8] {
        completeness == .whole ? kept(path.code(in: payload)) : hidden
    }

    /// Cuts a code to its first ``byteCountMax`` bytes.
    package static func kept(_ code: [UInt8]) -> [UInt8] {
        code.count > byteCountMax ? Array(code.prefix(byteCountMax)) : code
    }

    /// Returns true if a kept code was not cut, so that it fully determines the value's place in the order.
    package static func isWhole(_ kept: [UInt8]) -> Bool { kept.count < byteCountMax }

    /// Returns true if a kept code identifies its value: it was not cut, and the value is no array or object.
    package static func isExact(_ kept: [UInt8]) -> Bool { isWhole(kept) && kept.first != ValueCode.other }

    /// Returns true if a code belongs to an array or an object.
    package static func isContainer(_ code: [UInt8]) -> Bool { code.first == ValueCode.other }

    /// Returns the canonical JSON spelling of a code's value: `1.10` and `11e-1` both give `1.1`.
    ///
    /// - Parameter code: A code that was not cut, or bytes from a file, which may be anything.
    /// - Returns: nil for a missing value, for arrays and objects, and for bytes that are not a code.
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

    /// Returns the text in a string's code, or nil for bytes that are not one.
    private static func text(_ code: [UInt8]) -> [UInt8]? {
        guard code.count >= 3, code.suffix(2).elementsEqual([0, 0]) else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(code.count)
        var at = 1
        while at < code.count - 2 {
            text.append(code[at])
            // In a text, 0 is followed by 0xFF.
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
