import TidemarkJSON
import TidemarkStore

/// Writes values so that equal ones are written equally: members sorted, strings canonical, numbers in their shortest
/// spelling.
///
/// - Source: Protocol/views.md, groups.
enum CanonicalValue {
    /// Returns a value in its canonical spelling.
    ///
    /// - Complexity: O(value.count), plus sorting the members of objects.
    static func text(_ value: ValueSlice) -> [UInt8] {
        var text: [UInt8] = []
        value.bytes.withUnsafeBytes { append(value.range, of: $0, to: &text) }
        return text
    }

    private static func append(_ value: Range<Int>, of bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        switch bytes[value.lowerBound] {
        case UInt8(ascii: "\""):
            CanonicalString.append(
                JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[value].dropFirst().dropLast())), to: &text)
        case UInt8(ascii: "["):
            text.append(UInt8(ascii: "["))
            var isFirst = true
            JSONElements.forEach(value, of: bytes) { element in
                if !isFirst { text.append(UInt8(ascii: ",")) }
                isFirst = false
                append(element, of: bytes, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case UInt8(ascii: "{"):
            let object = JSONObject(bytes, range: value)
            let members = object.members.map { (name: object.unescapedName($0), value: $0.value) }
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                CanonicalString.append(member.name, to: &text)
                text.append(UInt8(ascii: ":"))
                append(member.value, of: bytes, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): text.append(contentsOf: bytes[value])
        default:
            let number = ShownDecimal(code: ValueCode.exact(value, of: bytes))
            text += number?.text ?? Array(bytes[value])
        }
    }
}
