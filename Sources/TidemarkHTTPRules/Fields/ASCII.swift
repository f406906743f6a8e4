/// The character classes and comparisons of HTTP, on bytes.
///
/// - Source: RFC 9110, section 5.6.
package enum ASCII {
    /// Compares a name, ignoring case, with one in lowercase.
    @inline(__always)
    package static func equals(_ bytes: [UInt8], lower: String.UTF8View) -> Bool {
        bytes.count == lower.count && zip(bytes, lower).allSatisfy { lowercased($0) == $1 }
    }

    /// Returns a letter in lowercase, and any other byte unchanged.
    @inline(__always)
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// True for the characters of tokens.
    package static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// True for the digits 0 to 9.
    package static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// True for space and tab.
    package static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns the bytes without spaces and tabs at both ends.
    package static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, isSpace(first) { bytes = bytes.dropFirst() }
        while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
        return bytes
    }

    /// Splits a list at commas outside quoted strings. Empty members are dropped.
    ///
    /// - Parameter separator: A comma, or a semicolon for parameters.
    /// - Source: RFC 9110, section 5.6.1.
    package static func members(_ bytes: [UInt8], separator: UInt8 = UInt8(ascii: ",")) -> [ArraySlice<UInt8>] {
        var members: [ArraySlice<UInt8>] = []
        var start = 0
        var isQuoted = false
        var isEscaped = false
        for (index, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isQuoted = false }
            } else if byte == UInt8(ascii: "\"") {
                isQuoted = true
            } else if byte == separator {
                members.append(trimmed(bytes[start..<index]))
                start = index + 1
            }
        }
        members.append(trimmed(bytes[start...]))
        return members.filter { !$0.isEmpty }
    }

    /// Returns the text of a quoted string without its quotes; nil for other bytes.
    package static func unquoted(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else { return nil }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if !isEscaped, byte == UInt8(ascii: "\\") {
                isEscaped = true
                continue
            }
            if !isEscaped, byte == UInt8(ascii: "\"") { return nil }
            isEscaped = false
            text.append(byte)
        }
        return isEscaped ? nil : text
    }

    /// Parses a number that consists of digits only. One beyond `max` counts as `max`.
    ///
    /// - Returns: nil if the bytes are empty or contain anything but digits.
    package static func number(_ bytes: some Collection<UInt8>, max: Int64) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        var number: Int64 = 0
        for byte in bytes {
            guard isDigit(byte) else { return nil }
            number = min(max, number * 10 + Int64(byte - 0x30))
        }
        return number
    }
}
