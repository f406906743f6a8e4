import TidemarkModel

/// Whether bytes have the form that the store takes for granted: for bytes that come from a file, which can be forged.
package enum CompactJSON {
    /// Whether it is one object without white space between its tokens, which ``JSONObject`` can walk, and no more than
    /// ``TidemarkModel/Limits/nestingDepthCeiling`` containers are open in it at once.
    ///
    /// Words and numbers are looked at by their letters alone, and text is not checked to be UTF-8: nothing that folds
    /// or merges reads them.
    ///
    /// - Complexity: O(bytes), and a byte for each container that is open.
    package static func isObject(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var walk = CompactWalk(bytes: bytes)
        return bytes.first == UInt8(ascii: "{") && walk.value() && walk.isAtEnd
    }

    package static func isObject(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { isObject($0) }
    }
}

/// One look at bytes from their start; no step reads behind the end.
private struct CompactWalk {
    let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Steps over one value, containers without recursion.
    mutating func value() -> Bool {
        // What closes each container that is open.
        var closers: [UInt8] = []
        while true {
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["), closers.count == Limits.nestingDepthCeiling {
                return false
            }
            if take("{") {
                closers.append(UInt8(ascii: "}"))
                if byte != UInt8(ascii: "}") {
                    guard name() else { return false }
                    continue
                }
            } else if take("[") {
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
            guard take(",") else { return false }
            if closer == UInt8(ascii: "}"), !name() { return false }
        }
    }

    /// 0 behind the end.
    private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func take(_ wanted: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: wanted) else { return false }
        position += 1
        return true
    }

    private mutating func name() -> Bool {
        string() && take(":")
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
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
                guard CompactWalk.isHexDigit(byte) else { return false }
                position += 1
            }
            return true
        default:
            return false
        }
    }

    private mutating func word() -> Bool {
        let start = position
        while CompactWalk.isOfWord(byte) { position += 1 }
        return position > start
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    /// Of a number, or of `true`, `false` and `null`.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"): true
        default: false
        }
    }
}
