import TidemarkModel

/// Why bytes are not an ``InputValue``.
package struct InputValueError: Error, Hashable, Sendable {
    /// The offset of the first unusable byte.
    package var offset: Int
    /// True if the value nests too deeply.
    package var isTooDeep = false
}

/// Parses JSON into an ``InputValue``, such as the variables of a request.
///
/// Of several members with one name the last one counts.
///
/// - Complexity: O(bytes). Recursion is bounded by ``InputValueReader/nestingDepthMax``.
/// - Source: RFC 8259; Protocol/graphql.md, variables.
package struct InputValueReader {
    /// How deeply arrays and objects may be nested: 64, as on a line.
    package static let nestingDepthMax = 64

    private let bytes: [UInt8]
    private var offset = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses one JSON value.
    ///
    /// - Parameter json: The value in UTF-8.
    /// - Throws: ``InputValueError`` for invalid JSON.
    package static func read(_ json: [UInt8]) throws(InputValueError) -> InputValue {
        guard String(validating: json, as: UTF8.self) != nil else { throw InputValueError(offset: 0) }
        var reader = InputValueReader(json)
        let value = try reader.value()
        reader.skipSpace()
        guard reader.byte == nil else { throw reader.fault }
        return value
    }

    private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private var fault: InputValueError { InputValueError(offset: offset) }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    private mutating func skip(_ sign: UInt8) -> Bool {
        skipSpace()
        guard byte == sign else { return false }
        offset += 1
        return true
    }

    private mutating func value() throws(InputValueError) -> InputValue {
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): return try nested { reader throws(InputValueError) in try reader.object() }
        case UInt8(ascii: "["): return try nested { reader throws(InputValueError) in try reader.list() }
        case UInt8(ascii: "\""): return .string(ByteString(try string()))
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func nested(
        _ read: (inout InputValueReader) throws(InputValueError) -> InputValue
    ) throws(InputValueError) -> InputValue {
        depth += 1
        guard depth <= InputValueReader.nestingDepthMax else {
            throw InputValueError(offset: offset, isTooDeep: true)
        }
        offset += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(InputValueError) -> InputValue {
        var members: [ByteString: InputValue] = [:]
        if skip(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard byte == UInt8(ascii: "\"") else { throw fault }
            let name = ByteString(try string())
            guard skip(UInt8(ascii: ":")) else { throw fault }
            members[name] = try value()
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw fault }
        return .object(members)
    }

    private mutating func list() throws(InputValueError) -> InputValue {
        var elements: [InputValue] = []
        if skip(UInt8(ascii: "]")) { return .list(elements) }
        repeat { elements.append(try value()) } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw fault }
        return .list(elements)
    }

    private mutating func word(_ word: StaticString, _ value: InputValue) throws(InputValueError) -> InputValue {
        let count = word.utf8CodeUnitCount
        let isThere =
            offset + count <= bytes.count
            && word.withUTF8Buffer { bytes[offset..<offset + count].elementsEqual($0) }
        guard isThere else { throw fault }
        offset += count
        return value
    }

    private mutating func number() throws(InputValueError) -> ByteString {
        let start = offset
        if byte == UInt8(ascii: "-") { offset += 1 }
        if byte == UInt8(ascii: "0") { offset += 1 } else { try digits() }
        if byte == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            offset += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        return ByteString(bytes[start..<offset])
    }

    private mutating func digits() throws(InputValueError) {
        guard let first = byte, Lexer.isDigit(first) else { throw fault }
        while let byte, Lexer.isDigit(byte) { offset += 1 }
    }

    /// Parses the string whose opening quote is at the offset, and resolves its escapes.
    private mutating func string() throws(InputValueError) -> [UInt8] {
        offset += 1
        var text: [UInt8] = []
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return text
            case UInt8(ascii: "\\"): try escape(to: &text)
            case 0..<0x20: throw fault
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw fault
    }

    private mutating func escape(to text: inout [UInt8]) throws(InputValueError) {
        guard offset + 1 < bytes.count else { throw fault }
        let sign = bytes[offset + 1]
        switch sign {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(sign)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard var code = hexCode(at: offset + 2) else { throw fault }
            offset += 4
            // Two halves form one character; a single half is kept.
            if 0xD800...0xDBFF ~= code, offset + 3 < bytes.count, bytes[offset + 2] == UInt8(ascii: "\\"),
                bytes[offset + 3] == UInt8(ascii: "u"), let low = hexCode(at: offset + 4), 0xDC00...0xDFFF ~= low
            {
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
                offset += 6
            }
            InputValueReader.append(code, to: &text)
        default: throw fault
        }
        offset += 2
    }

    private func hexCode(at start: Int) -> UInt32? {
        guard start + 4 <= bytes.count else { return nil }
        var code: UInt32 = 0
        for byte in bytes[start..<start + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            code = code << 4 | UInt32(digit)
        }
        return code
    }

    /// Appends a code point in UTF-8; half a surrogate pair as UTF-8 would encode it.
    private static func append(_ code: UInt32, to text: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | code >> shift & 0x3F) }
        switch code {
        case ..<0x80: text.append(UInt8(code))
        case ..<0x800: text += [UInt8(0xC0 | code >> 6), tail(0)]
        case ..<0x1_0000: text += [UInt8(0xE0 | code >> 12), tail(6), tail(0)]
        default: text += [UInt8(0xF0 | code >> 18), tail(12), tail(6), tail(0)]
        }
    }
}
