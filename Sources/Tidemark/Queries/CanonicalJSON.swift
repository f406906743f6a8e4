import TidemarkModel
import TidemarkStore

/// JSON in a canonical spelling, by which queries are told apart.
///
/// No white space; members sorted by the bytes of their unescaped names, and only the last of members with the same
/// name; strings with as few escapes as possible; numbers unchanged, so `1` and `1.0` are two inputs.
///
/// - Source: Protocol/queries.md, identity.
package enum CanonicalJSON {
    /// The limit of a text: 1 MiB, because each query holds its key in memory.
    package static let byteCountMax = 1 << 20
    /// The limit of the nesting: the same as for a line.
    static let nestingDepthMax = 64

    /// Returns the canonical form of a JSON text.
    ///
    /// - Parameters:
    ///   - json: Any bytes.
    ///   - name: The name of the text in messages.
    /// - Throws: ``CacheError`` `invalidParams` when the bytes are not JSON, nest too deeply or are too many.
    /// - Complexity: O(json.count · nesting).
    package static func text(of json: [UInt8], name: String) throws(CacheError) -> ByteString {
        guard json.count <= byteCountMax else {
            throw CacheError(.invalidParams, "\(name) has \(json.count) bytes: pass at most \(byteCountMax)")
        }
        guard String(validating: json, as: UTF8.self) != nil else {
            throw CacheError(.invalidParams, "\(name) is not UTF-8: pass JSON in UTF-8")
        }
        var reader = CanonicalReader(json)
        var text: [UInt8] = []
        do throws(CanonicalReader.Fault) {
            try reader.value(to: &text)
            try reader.end()
        } catch {
            let what = error.isTooDeep ? "nests more than \(nestingDepthMax) deep" : "is not JSON"
            throw CacheError(.invalidParams, "\(name) \(what) at byte \(error.offset): pass one JSON value")
        }
        return ByteString(text)
    }
}

/// The parser of one value, by recursive descent; the recursion is bounded by `nestingDepthMax`.
private struct CanonicalReader {
    struct Fault: Error {
        var offset: Int
        var isTooDeep = false
    }

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var fault: Fault { Fault(offset: position) }

    mutating func end() throws(Fault) {
        skipSpace()
        guard byte == nil else { throw fault }
    }

    mutating func value(to text: inout [UInt8]) throws(Fault) {
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): try object(to: &text)
        case UInt8(ascii: "["): try array(to: &text)
        case UInt8(ascii: "\""): CanonicalString.append(try string(), to: &text)
        case UInt8(ascii: "t"): try word("true", to: &text)
        case UInt8(ascii: "f"): try word("false", to: &text)
        case UInt8(ascii: "n"): try word("null", to: &text)
        default: try number(to: &text)
        }
    }

    private mutating func object(to text: inout [UInt8]) throws(Fault) {
        try enter()
        var members: [[UInt8]: [UInt8]] = [:]
        skipSpace()
        if byte == UInt8(ascii: "}") {
            position += 1
        } else {
            repeat {
                skipSpace()
                let name = try string()
                skipSpace()
                try take(UInt8(ascii: ":"))
                var value: [UInt8] = []
                try self.value(to: &value)
                members[name] = value
            } while try takesComma(orEnd: UInt8(ascii: "}"))
        }
        depth -= 1
        text.append(UInt8(ascii: "{"))
        let sorted = members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (index, member) in sorted.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            CanonicalString.append(member.key, to: &text)
            text.append(UInt8(ascii: ":"))
            text += member.value
        }
        text.append(UInt8(ascii: "}"))
    }

    private mutating func array(to text: inout [UInt8]) throws(Fault) {
        try enter()
        text.append(UInt8(ascii: "["))
        skipSpace()
        if byte == UInt8(ascii: "]") {
            position += 1
        } else {
            var isFirst = true
            repeat {
                if !isFirst { text.append(UInt8(ascii: ",")) }
                isFirst = false
                try value(to: &text)
            } while try takesComma(orEnd: UInt8(ascii: "]"))
        }
        depth -= 1
        text.append(UInt8(ascii: "]"))
    }

    /// Reads a string's bytes without escapes; half a surrogate pair gives the three bytes of its code in UTF-8.
    private mutating func string() throws(Fault) -> [UInt8] {
        try take(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while let byte, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw fault }
            position += 1
            if byte == UInt8(ascii: "\\") { try escape(to: &text) } else { text.append(byte) }
        }
        try take(UInt8(ascii: "\""))
        return text
    }

    private mutating func escape(to text: inout [UInt8]) throws(Fault) {
        guard let letter = byte else { throw fault }
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            var code = try codeUnit()
            if (0xD800..<0xDC00).contains(code), bytes[position...].starts(with: [0x5C, 0x75]) {
                let back = position
                position += 2
                let low = try codeUnit()
                if (0xDC00..<0xE000).contains(low) {
                    code = 0x1_0000 + (code - 0xD800) << 10 + (low - 0xDC00)
                } else {
                    position = back
                }
            }
            CanonicalString.append(code: code, to: &text)
            return
        default: throw fault
        }
        position += 1
    }

    private mutating func codeUnit() throws(Fault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            switch byte {
            case .some(let digit) where (0x30...0x39).contains(digit): code = code << 4 | UInt32(digit - 0x30)
            case .some(let digit) where (0x61...0x66).contains(digit | 0x20):
                code = code << 4 | UInt32((digit | 0x20) - 0x61 + 10)
            default: throw fault
            }
            position += 1
        }
        return code
    }

    private mutating func number(to text: inout [UInt8]) throws(Fault) {
        let start = position
        if byte == UInt8(ascii: "-") { position += 1 }
        if byte == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if byte == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            position += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        text += bytes[start..<position]
    }

    private mutating func digits() throws(Fault) {
        let start = position
        while let byte, (0x30...0x39).contains(byte) { position += 1 }
        if position == start { throw fault }
    }

    private mutating func word(_ word: String, to text: inout [UInt8]) throws(Fault) {
        for letter in word.utf8 { try take(letter) }
        text += word.utf8
    }

    private mutating func enter() throws(Fault) {
        depth += 1
        guard depth <= CanonicalJSON.nestingDepthMax else { throw Fault(offset: position, isTooDeep: true) }
        position += 1
    }

    private mutating func takesComma(orEnd end: UInt8) throws(Fault) -> Bool {
        skipSpace()
        guard byte == UInt8(ascii: ",") else {
            try take(end)
            return false
        }
        position += 1
        return true
    }

    private mutating func take(_ wanted: UInt8) throws(Fault) {
        guard byte == wanted else { throw fault }
        position += 1
    }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }
}
