/// A recursive-descent parser for RFC 8259 over bytes, with one method for each rule of the grammar.
///
/// It does not check UTF-8, which ``ReferenceUTF8`` does first. It can therefore also read the part before the damage
/// on a broken line.
package struct ReferenceJSONParser {
    private let bytes: [UInt8]
    private let nestingMax: Int
    private var position = 0
    private var openCount = 0

    /// Creates a parser at the start of bytes.
    ///
    /// - Parameter nestingMax: The maximum number of containers that are open at once.
    package init(_ bytes: [UInt8], nestingMax: Int) {
        self.bytes = bytes
        self.nestingMax = nestingMax
    }

    /// Parses bytes that are exactly one value.
    ///
    /// - Throws: ``ReferenceJSONError``, the first from the left.
    package static func parse(_ bytes: [UInt8], nestingMax: Int = 64) throws(ReferenceJSONError) -> ReferenceJSON {
        var parser = ReferenceJSONParser(bytes, nestingMax: nestingMax)
        let value = try parser.value()
        parser.skipWhiteSpace()
        guard parser.next == nil else { throw .notJSON }
        return value
    }

    /// The byte at the reading position; nil at the end.
    package var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips space, tab, LF and CR.
    package mutating func skipWhiteSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// Skips `byte` if it is next.
    ///
    /// - Returns: True if it was next.
    package mutating func consume(_ byte: Character) -> Bool {
        guard let wanted = byte.asciiValue, next == wanted else { return false }
        position += 1
        return true
    }

    /// Counts a container as open.
    ///
    /// - Throws: ``ReferenceJSONError/tooDeep`` past the limit.
    package mutating func open() throws(ReferenceJSONError) {
        openCount += 1
        if openCount > nestingMax { throw .tooDeep }
    }

    /// Counts a container as closed.
    package mutating func close() { openCount -= 1 }

    /// Reads any value, with or without white space before it.
    package mutating func value() throws(ReferenceJSONError) -> ReferenceJSON {
        skipWhiteSpace()
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    /// Reads a string including its quotation marks; the position must be at the first one.
    package mutating func string() throws(ReferenceJSONError) -> ReferenceString {
        let start = position
        guard consume("\"") else { throw .notJSON }
        var units: [UInt8] = []
        var hasLoneSurrogate = false
        while let byte = next {
            position += 1
            if byte == UInt8(ascii: "\"") {
                let spelling = Array(bytes[start..<position])
                return ReferenceString(spelling: spelling, unescaped: units, hasLoneSurrogate: hasLoneSurrogate)
            }
            if byte < 0x20 { throw .notJSON }
            if byte == UInt8(ascii: "\\") {
                try escape(into: &units, &hasLoneSurrogate)
            } else {
                units.append(byte)
            }
        }
        throw .notJSON
    }

    private mutating func object() throws(ReferenceJSONError) -> ReferenceJSON {
        position += 1
        try open()
        var members: [ReferenceMember] = []
        skipWhiteSpace()
        if consume("}") {
            close()
            return .object(members)
        }
        while true {
            skipWhiteSpace()
            let key = try string()
            skipWhiteSpace()
            guard consume(":") else { throw .notJSON }
            members.append(ReferenceMember(key: key, value: try value()))
            skipWhiteSpace()
            if consume(",") { continue }
            guard consume("}") else { throw .notJSON }
            close()
            return .object(members)
        }
    }

    private mutating func array() throws(ReferenceJSONError) -> ReferenceJSON {
        position += 1
        try open()
        var elements: [ReferenceJSON] = []
        skipWhiteSpace()
        if consume("]") {
            close()
            return .array(elements)
        }
        while true {
            elements.append(try value())
            skipWhiteSpace()
            if consume(",") { continue }
            guard consume("]") else { throw .notJSON }
            close()
            return .array(elements)
        }
    }

    private mutating func word(_ text: String, _ value: ReferenceJSON) throws(ReferenceJSONError) -> ReferenceJSON {
        for character in text {
            guard consume(character) else { throw .notJSON }
        }
        return value
    }

    private mutating func number() throws(ReferenceJSONError) -> ReferenceJSON {
        let start = position
        _ = consume("-")
        if !consume("0") { try digits() }
        if consume(".") { try digits() }
        if consume("e") || consume("E") {
            if !consume("+") { _ = consume("-") }
            try digits()
        }
        return .number(Array(bytes[start..<position]))
    }

    private mutating func digits() throws(ReferenceJSONError) {
        let start = position
        while let byte = next, byte >= 0x30, byte <= 0x39 { position += 1 }
        if position == start { throw .notJSON }
    }

    private mutating func escape(into units: inout [UInt8], _ hasLoneSurrogate: inout Bool) throws(ReferenceJSONError) {
        guard let byte = next else { throw .notJSON }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(byte)
        case UInt8(ascii: "b"): units.append(0x08)
        case UInt8(ascii: "f"): units.append(0x0C)
        case UInt8(ascii: "n"): units.append(0x0A)
        case UInt8(ascii: "r"): units.append(0x0D)
        case UInt8(ascii: "t"): units.append(0x09)
        case UInt8(ascii: "u"):
            let first = try hexUnit()
            guard (0xD800...0xDBFF).contains(first) else {
                if (0xDC00...0xDFFF).contains(first) { hasLoneSurrogate = true }
                units += Self.encoded(first)
                return
            }
            let rewind = position
            if consume("\\"), consume("u") {
                let second = try hexUnit()
                if (0xDC00...0xDFFF).contains(second) {
                    units += Self.encoded(0x10000 + (first - 0xD800) * 0x400 + (second - 0xDC00))
                    return
                }
            }
            position = rewind
            hasLoneSurrogate = true
            units += Self.encoded(first)
        default: throw .notJSON
        }
    }

    private mutating func hexUnit() throws(ReferenceJSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Self.hexDigit(byte) else { throw .notJSON }
            position += 1
            unit = unit * 16 + digit
        }
        return unit
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: return UInt32(byte) - 0x30
        case 0x41...0x46: return UInt32(byte) - 0x41 + 10
        case 0x61...0x66: return UInt32(byte) - 0x61 + 10
        default: return nil
        }
    }

    private static func encoded(_ point: UInt32) -> [UInt8] {
        func low(_ shift: UInt32) -> UInt8 { UInt8(0x80 | ((point >> shift) & 0x3F)) }
        if point < 0x80 { return [UInt8(point)] }
        if point < 0x800 { return [UInt8(0xC0 | (point >> 6)), low(0)] }
        if point < 0x10000 { return [UInt8(0xE0 | (point >> 12)), low(6), low(0)] }
        return [UInt8(0xF0 | (point >> 18)), low(12), low(6), low(0)]
    }
}
