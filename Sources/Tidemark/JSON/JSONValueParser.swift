/// A parser of JSON text into a ``JSONValue``. It is total: every sequence of bytes gives a value or an error.
///
/// - Source: RFC 8259.
struct JSONValueParser {
    private let bytes: [UInt8]
    private let nestingDepthMax: Int
    private var position = 0
    /// The number of open containers; at most `nestingDepthMax`, which bounds the recursion.
    private var depth = 0

    init(_ bytes: [UInt8], nestingDepthMax: Int) {
        self.bytes = bytes
        self.nestingDepthMax = nestingDepthMax
    }

    /// Parses the one value that the text holds.
    mutating func whole() throws(JSONSyntaxError) -> JSONValue {
        let value = try value()
        skipWhiteSpace()
        if position < bytes.count { throw error("nothing may follow the value") }
        return value
    }

    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        skipWhiteSpace()
        guard let next else { throw error("the text ends where a value should be") }
        switch next {
        case UInt8(ascii: "{"):
            return .object(try container(end: "}") { (parser) throws(JSONSyntaxError) in try parser.member() })
        case UInt8(ascii: "["):
            return .array(try container(end: "]") { (parser) throws(JSONSyntaxError) in try parser.value() })
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error("no value begins with this character")
        }
    }

    private mutating func container<Part>(
        end: Unicode.Scalar, _ part: (inout JSONValueParser) throws(JSONSyntaxError) -> Part
    ) throws(JSONSyntaxError) -> [Part] {
        guard depth < nestingDepthMax else { throw error("more than \(nestingDepthMax) containers are open") }
        position += 1
        depth += 1
        defer { depth -= 1 }
        var parts: [Part] = []
        skipWhiteSpace()
        if take(UInt8(ascii: end)) { return parts }
        while true {
            parts.append(try part(&self))
            skipWhiteSpace()
            if take(UInt8(ascii: end)) { return parts }
            guard take(UInt8(ascii: ",")) else { throw error("a comma or \(end) is missing") }
        }
    }

    private mutating func member() throws(JSONSyntaxError) -> JSONMember {
        skipWhiteSpace()
        guard next == UInt8(ascii: "\"") else { throw error("a member's name is missing") }
        let name = try string()
        skipWhiteSpace()
        guard take(UInt8(ascii: ":")) else { throw error("a colon is missing") }
        return JSONMember(name, try value())
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        for offset in 0..<word.utf8CodeUnitCount {
            guard take(word.utf8Start[offset]) else { throw error("this should be \(word)") }
        }
        return value
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        return .number(JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self)))
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = position
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
        if position == start { throw error("a digit is missing") }
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        position += 1
        var text = ""
        while true {
            let start = position
            while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
                position += 1
            }
            // The bytes of quotes and backslashes never occur inside a longer UTF-8 sequence, so a run between them is
            // valid or wrong as a whole.
            guard let run = String(validating: bytes[start..<position], as: UTF8.self) else {
                throw JSONSyntaxError(byteOffset: start, "the string is not UTF-8 from here on")
            }
            text += run
            guard let byte = next else { throw error("the text ends inside a string") }
            if byte < 0x20 { throw error("a control character must be escaped") }
            position += 1
            if byte == UInt8(ascii: "\"") { return text }
            text.unicodeScalars.append(try escape())
        }
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard let byte = next else { throw error("the text ends inside an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try character()
        default:
            position -= 1
            throw error("this escape does not exist")
        }
    }

    /// Parses the character of one `\u` escape, or of two escapes that form a surrogate pair.
    private mutating func character() throws(JSONSyntaxError) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let rest = position
        if UTF16.isLeadSurrogate(unit), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let low = try codeUnit()
            if UTF16.isTrailSurrogate(low) {
                let code = 0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
                return Unicode.Scalar(code) ?? "\u{FFFD}"
            }
        }
        position = rest
        return "\u{FFFD}"
    }

    private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = JSONValueParser.hexDigit(byte) else {
                throw error("a hexadecimal digit is missing")
            }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    private static func hexDigit(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipWhiteSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func error(_ message: String) -> JSONSyntaxError {
        JSONSyntaxError(byteOffset: position, message)
    }
}
