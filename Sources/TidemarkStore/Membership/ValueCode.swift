import TidemarkJSON

/// Encodes JSON values as bytes. Equal values have equal codes, and the byte order of codes is the order of values.
///
/// No code is a prefix of another. So concatenated codes compare one after the other, and inverted codes in reverse.
///
/// - Source: Protocol/queries.md, comparison.
package enum ValueCode {
    // The first byte of a code is the position of the value's kind.
    /// The first byte of the code of an absent value.
    package static let missing: UInt8 = 1
    /// The first byte of the code of null.
    package static let null: UInt8 = 2
    /// The code of false.
    package static let no: UInt8 = 3
    /// The code of true.
    package static let yes: UInt8 = 4
    /// The first byte of the code of a number below 0.
    package static let negative: UInt8 = 5
    /// The code of 0.
    package static let zero: UInt8 = 6
    /// The first byte of the code of a number above 0.
    package static let positive: UInt8 = 7
    /// The first byte of the code of a string.
    package static let string: UInt8 = 8
    /// The first byte of the code of an array or an object.
    package static let other: UInt8 = 9

    /// Appends the code that orders a value. All arrays and objects have the same code.
    ///
    /// - Parameters:
    ///   - value: The value's range; nil if there is none.
    ///   - bytes: Validated JSON without insignificant white space.
    ///   - code: The bytes to append to.
    /// - Complexity: O(value.count).
    package static func appendOrdered(_ value: Range<Int>?, of bytes: UnsafeRawBufferPointer, to code: inout [UInt8]) {
        guard let value else {
            code.append(missing)
            return
        }
        switch bytes[value.lowerBound] {
        case UInt8(ascii: "n"): code.append(null)
        case UInt8(ascii: "f"): code.append(no)
        case UInt8(ascii: "t"): code.append(yes)
        case UInt8(ascii: "{"), UInt8(ascii: "["): code.append(other)
        case UInt8(ascii: "\""):
            appendString(UnsafeRawBufferPointer(rebasing: bytes[value].dropFirst().dropLast()), to: &code)
        default: DecimalCode.append(UnsafeRawBufferPointer(rebasing: bytes[value]), to: &code)
        }
    }

    /// Appends the code that decides equality. Unlike ``appendOrdered(_:of:to:)``, it encodes arrays and objects in
    /// full.
    ///
    /// - Complexity: O(value.count), plus sorting the members of objects.
    package static func appendExact(_ value: Range<Int>, of bytes: UnsafeRawBufferPointer, to code: inout [UInt8]) {
        switch bytes[value.lowerBound] {
        case UInt8(ascii: "["): appendArray(value, of: bytes, to: &code)
        case UInt8(ascii: "{"): appendObject(value, of: bytes, to: &code)
        default: appendOrdered(value, of: bytes, to: &code)
        }
    }

    /// Returns the code that decides whether a value equals others.
    package static func exact(_ value: Range<Int>, of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var code: [UInt8] = []
        appendExact(value, of: bytes, to: &code)
        return code
    }

    /// Returns true if two codes, by their first bytes, have kinds that `lt`, `lte`, `gt` and `gte` can compare.
    static func areComparable(_ left: UInt8, _ right: UInt8) -> Bool {
        let kind = comparableKind(left)
        return kind != nil && kind == comparableKind(right)
    }

    private static func comparableKind(_ first: UInt8) -> UInt8? {
        switch first {
        case null, string: first
        case no, yes: no
        case negative, zero, positive: zero
        default: nil
        }
    }

    /// Returns the beginning that the codes of all strings with a prefix have in common.
    ///
    /// - Parameter text: The prefix without escapes.
    static func prefix(_ text: [UInt8]) -> [UInt8] {
        var code = [string]
        appendEscaped(text, to: &code)
        return code
    }

    private static func appendString(_ written: UnsafeRawBufferPointer, to code: inout [UInt8]) {
        code.append(string)
        if JSONText.isPlain(written) {
            // The text contains no byte 0, because JSON writes that as an escape.
            code.append(contentsOf: written)
        } else {
            appendEscaped(JSONText.unescaped(written), to: &code)
        }
        code.append(0)
        code.append(0)
    }

    /// Appends a text so that a 0 in it cannot be mistaken for the end mark.
    private static func appendEscaped(_ text: [UInt8], to code: inout [UInt8]) {
        for byte in text {
            code.append(byte)
            if byte == 0 { code.append(0xFF) }
        }
    }

    private static func appendArray(_ value: Range<Int>, of bytes: UnsafeRawBufferPointer, to code: inout [UInt8]) {
        code.append(other)
        code.append(1)
        var cursor = JSONCursor(bytes, at: value.lowerBound + 1)
        while cursor.byte != UInt8(ascii: "]") {
            appendExact(cursor.value(), of: bytes, to: &code)
            if cursor.byte == UInt8(ascii: ",") { cursor.step() }
        }
        code.append(0)
    }

    private static func appendObject(_ value: Range<Int>, of bytes: UnsafeRawBufferPointer, to code: inout [UInt8]) {
        code.append(other)
        code.append(2)
        let object = JSONObject(bytes, range: value)
        let members = object.members.map { (name: object.unescapedName($0), value: $0.value) }
        for member in members.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
            appendEscaped(member.name, to: &code)
            code.append(0)
            code.append(1)
            appendExact(member.value, of: bytes, to: &code)
        }
        // No name can begin with these two bytes: it begins with another byte, or with 0 and then 0xFF or 1.
        code.append(0)
        code.append(0)
    }
}
