import TidemarkModel

extension DocumentPrinter {
    mutating func write(_ value: Value) {
        switch value.kind {
        case .variable(let name): word(ByteString([UInt8(ascii: "$")] + name.bytes))
        case .int(let digits), .float(let digits): word(digits)
        case .string(let string): word(ByteString(StringSpelling.text(of: string)))
        case .boolean(let isTrue): word(isTrue ? "true" : "false")
        case .null: word("null")
        case .enumeration(let name): word(name)
        case .list(let elements): list(elements, "[", "]", isKept: true) { $0.write($1) }
        case .object(let fields): list(fields, "{", "}", isKept: true) { $0.write($1) }
        }
    }
}
