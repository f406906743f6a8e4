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

    private static func write(_ string: String, to output: inout [UInt8]) {
        var string = string
        string.withUTF8 { CanonicalString.append(UnsafeRawBufferPointer($0), to: &output) }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String { text }
}
