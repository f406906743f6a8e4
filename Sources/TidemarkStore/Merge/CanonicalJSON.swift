/// JSON in the one form that equal values share: members sorted by the bytes of their names, strings escaped in one
/// way, no white space, numbers as they were written.
///
/// - Source: Protocol/queries.md, identity.
package enum CanonicalJSON {
    /// - Parameters:
    ///   - bytes: Validated JSON without insignificant white space.
    ///   - range: Of one value.
    /// - Complexity: O(n log n). Recursion is bounded by the nesting that was validated.
    package static func text(of bytes: UnsafeRawBufferPointer, range: Range<Int>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        append(bytes, range, to: &result)
        return result
    }

    /// The canonical form of one whole value.
    package static func text(of value: [UInt8]) -> [UInt8] {
        value.withUnsafeBytes { text(of: $0, range: 0..<$0.count) }
    }

    private static func append(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, to result: inout [UInt8]) {
        switch bytes[range.lowerBound] {
        case UInt8(ascii: "{"):
            let object = JSONObject(bytes, range: range)
            let members = object.members.map { (name: object.unescapedName($0), value: $0.value) }
                .sorted { $0.name.lexicographicallyPrecedes($1.name) }
            result.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { result.append(UInt8(ascii: ",")) }
                appendString(member.name, to: &result)
                result.append(UInt8(ascii: ":"))
                append(bytes, member.value, to: &result)
            }
            result.append(UInt8(ascii: "}"))
        case UInt8(ascii: "["):
            result.append(UInt8(ascii: "["))
            var cursor = JSONCursor(bytes, at: range.lowerBound + 1)
            while cursor.byte != UInt8(ascii: "]") {
                append(bytes, cursor.value(), to: &result)
                if cursor.byte == UInt8(ascii: ",") {
                    result.append(UInt8(ascii: ","))
                    cursor.step()
                }
            }
            result.append(UInt8(ascii: "]"))
        case UInt8(ascii: "\""):
            let inner = range.lowerBound + 1..<range.upperBound - 1
            appendString(JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[inner])), to: &result)
        default:
            result.append(contentsOf: bytes[range])
        }
    }

    /// Appends a string with its quotes; only what must be escaped is, in lower case.
    package static func appendString(_ text: [UInt8], to result: inout [UInt8]) {
        result.append(UInt8(ascii: "\""))
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "\""): result.append(contentsOf: #"\""#.utf8)
            case UInt8(ascii: "\\"): result.append(contentsOf: #"\\"#.utf8)
            case 0x08: result.append(contentsOf: #"\b"#.utf8)
            case 0x09: result.append(contentsOf: #"\t"#.utf8)
            case 0x0A: result.append(contentsOf: #"\n"#.utf8)
            case 0x0C: result.append(contentsOf: #"\f"#.utf8)
            case 0x0D: result.append(contentsOf: #"\r"#.utf8)
            case 0..<0x20: appendEscape(UInt16(byte), to: &result)
            case 0xED where index + 2 < text.count && text[index + 1] >= 0xA0:
                // Half a surrogate pair, which only its escape can stand for.
                let unit = 0xD000 | UInt16(text[index + 1] & 0x3F) << 6 | UInt16(text[index + 2] & 0x3F)
                appendEscape(unit, to: &result)
            case 0x80..<0xC0 where isBehindHalf(text, index): break
            default: result.append(byte)
            }
        }
        result.append(UInt8(ascii: "\""))
    }

    /// Whether a byte belongs to half a surrogate pair that was escaped already.
    private static func isBehindHalf(_ text: [UInt8], _ index: Int) -> Bool {
        for start in [index - 1, index - 2] where start >= 0 && text[start] == 0xED {
            return start + 2 < text.count && text[start + 1] >= 0xA0
        }
        return false
    }

    private static func appendEscape(_ unit: UInt16, to result: inout [UInt8]) {
        result.append(contentsOf: #"\u"#.utf8)
        for shift in [12, 8, 4, 0] as [UInt16] {
            let digit = UInt8(unit >> shift & 0xF)
            result.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }
}
