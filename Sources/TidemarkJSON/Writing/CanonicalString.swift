/// Writes JSON strings in their canonical spelling: only characters that must be escaped are, each in one way.
package enum CanonicalString {
    private static let hexDigits = Array("0123456789abcdef".utf8)

    /// Appends a string with its quotes.
    ///
    /// - Parameters:
    ///   - string: The text without escapes. An unpaired surrogate is three bytes, from ED A0 80 on.
    ///   - text: The JSON to append to.
    package static func append(_ string: [UInt8], to text: inout [UInt8]) {
        string.withUnsafeBytes { append($0, to: &text) }
    }

    /// Appends a string with its quotes. Runs that need no escape are copied as a whole.
    ///
    /// - Parameters:
    ///   - string: The text without escapes. An unpaired surrogate is three bytes, from ED A0 80 on.
    ///   - text: The JSON to append to.
    /// - Complexity: O(string.count).
    package static func append(_ string: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            var (end, bits) = (start, UInt64(0))
            JSONRuns.skipPlain(string, &end, &bits)
            let run = UnsafeRawBufferPointer(rebasing: string[start..<end])
            if bits & 0x8080_8080_8080_8080 == 0 {
                text.append(contentsOf: run)
            } else {
                append(run: run, to: &text)
            }
            guard end < string.count else { break }
            append(escaped: string[end], to: &text)
            start = end + 1
        }
        text.append(UInt8(ascii: "\""))
    }

    /// Appends a run without quotes, backslashes and control characters; unpaired surrogates are escaped.
    private static func append(run: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        var start = 0
        var at = 0
        while at + 2 < run.count {
            guard run[at] == 0xED, run[at + 1] >= 0xA0 else {
                at += 1
                continue
            }
            text.append(contentsOf: UnsafeRawBufferPointer(rebasing: run[start..<at]))
            appendCode(0xD000 | UInt32(run[at + 1] & 0x3F) << 6 | UInt32(run[at + 2] & 0x3F), to: &text)
            at += 3
            start = at
        }
        text.append(contentsOf: UnsafeRawBufferPointer(rebasing: run[start...]))
    }

    /// - Parameter byte: A quote, a backslash or a control character.
    private static func append(escaped byte: UInt8, to text: inout [UInt8]) {
        switch byte {
        case 0x08: text += "\\b".utf8
        case 0x09: text += "\\t".utf8
        case 0x0A: text += "\\n".utf8
        case 0x0C: text += "\\f".utf8
        case 0x0D: text += "\\r".utf8
        case 0..<0x20: appendCode(UInt32(byte), to: &text)
        default: text += [UInt8(ascii: "\\"), byte]
        }
    }

    private static func appendCode(_ code: UInt32, to text: inout [UInt8]) {
        text += "\\u".utf8
        for shift: UInt32 in [12, 8, 4, 0] { text.append(hexDigits[Int(code >> shift & 0xF)]) }
    }
}
