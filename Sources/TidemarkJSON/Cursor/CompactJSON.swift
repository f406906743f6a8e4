import TidemarkModel

/// Checks that bytes are JSON in the form that the store relies on. Needed for bytes from a file, which can be forged.
package enum CompactJSON {
    /// Returns true if the bytes are one JSON integer: digits without a leading zero, with `-` before a negative one.
    package static func isInteger(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
        guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0") else { return false }
        return digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    /// Returns true if the bytes are one object without white space between its tokens, which ``JSONObject`` can scan,
    /// with at most ``/TidemarkModel/Limits/nestingDepthCeiling`` containers open at once.
    ///
    /// Literals and numbers are checked only by their characters, and text is not checked to be UTF-8: folding and
    /// merging read neither.
    ///
    /// - Complexity: O(bytes), and one byte of memory for each open container.
    package static func isObject(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var scan = CompactScan(bytes: bytes)
        return bytes.first == UInt8(ascii: "{") && scan.value() && scan.isAtEnd
    }

    /// Returns true if the bytes are one JSON value of any kind without white space between its tokens.
    package static func isValue(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var scan = CompactScan(bytes: bytes)
            return scan.value() && scan.isAtEnd
        }
    }

    /// Returns true if the bytes are one object without white space between its tokens.
    ///
    /// See the overload for a raw buffer for what is checked.
    package static func isObject(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { isObject($0) }
    }
}

/// One scan of bytes from their start; no step reads past the end.
private struct CompactScan {
    package let bytes: UnsafeRawBufferPointer
    private var position = 0

    package init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    package var isAtEnd: Bool { position == bytes.count }

    /// Scans one value, containers without recursion.
    package mutating func value() -> Bool {
        // The closing bytes of the open containers.
        var closers: [UInt8] = []
        while true {
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["), closers.count == Limits.nestingDepthCeiling {
                return false
            }
            if consume("{") {
                closers.append(UInt8(ascii: "}"))
                if byte != UInt8(ascii: "}") {
                    guard name() else { return false }
                    continue
                }
            } else if consume("[") {
                closers.append(UInt8(ascii: "]"))
                if byte != UInt8(ascii: "]") { continue }
            } else {
                guard byte == UInt8(ascii: "\"") ? string() : word() else { return false }
            }
            while let closer = closers.last, byte == closer {
                position += 1
                closers.removeLast()
            }
            guard let closer = closers.last else { return true }
            guard consume(",") else { return false }
            if closer == UInt8(ascii: "}"), !name() { return false }
        }
    }

    /// The current byte; 0 past the end.
    private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func consume(_ wanted: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: wanted) else { return false }
        position += 1
        return true
    }

    private mutating func name() -> Bool {
        string() && consume(":")
    }

    private mutating func string() -> Bool {
        guard consume("\"") else { return false }
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            if byte == UInt8(ascii: "\\"), !escape() { return false }
        }
        return false
    }

    private mutating func escape() -> Bool {
        let escape = byte
        position += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                guard CompactScan.isHexDigit(byte) else { return false }
                position += 1
            }
            return true
        default:
            return false
        }
    }

    private mutating func word() -> Bool {
        let start = position
        while CompactScan.isOfWord(byte) { position += 1 }
        return position > start
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    /// Returns true if a byte can occur in a number, `true`, `false` or `null`.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"): true
        default: false
        }
    }
}
