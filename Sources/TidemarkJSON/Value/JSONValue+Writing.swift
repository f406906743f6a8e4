extension JSONValue {
    /// The value as compact JSON in UTF-8: no white space, numbers unchanged, and as few escapes in strings as
    /// possible.
    ///
    /// - Complexity: O(size of the value).
    public var bytes: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    /// The value as compact JSON, as ``bytes``.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The value with the members of every object sorted by the bytes of their names. Of members with the same name
    /// only the last one is kept.
    public var canonical: JSONValue {
        switch self {
        case .null, .bool, .number, .string: return self
        case .array(let elements): return .array(elements.map(\.canonical))
        case .object(let members):
            var last: [[UInt8]: JSONValue] = [:]
            for member in members { last[Array(member.name.utf8)] = member.value }
            let sorted = last.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            return .object(sorted.map { JSONMember(String(decoding: $0.key, as: UTF8.self), $0.value.canonical) })
        }
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let flag): output += (flag ? "true" : "false").utf8
        case .number(let number): output += number.text.utf8
        case .string(let string): JSONValue.write(string, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                JSONValue.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a string in quotes. Runs that need no escape are copied.
    private static func write(_ string: String, to output: inout [UInt8]) {
        var string = string
        output.append(UInt8(ascii: "\""))
        string.withUTF8 { text in
            let bytes = UnsafeRawBufferPointer(text)
            var bits: UInt64 = 0
            var start = 0
            while true {
                var end = start
                JSONRuns.skipPlain(bytes, &end, &bits)
                output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                guard end < bytes.count else { break }
                writeEscaped(bytes[end], to: &output)
                start = end + 1
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// - Parameter byte: A quote, a backslash or a control character.
    private static func writeEscaped(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case 0x08: output += "\\b".utf8
        case 0x09: output += "\\t".utf8
        case 0x0A: output += "\\n".utf8
        case 0x0C: output += "\\f".utf8
        case 0x0D: output += "\\r".utf8
        case ..<0x20:
            output += "\\u00".utf8
            output += [hexDigit(byte >> 4), hexDigit(byte & 15)]
        default: output += [UInt8(ascii: "\\"), byte]
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String { text }
}
