/// Base64 with padding.
///
/// - Source: RFC 4648, section 4.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes bytes.
    package static func text(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let first = bytes[start]
            let second = start + 1 < bytes.count ? bytes[start + 1] : 0
            let third = start + 2 < bytes.count ? bytes[start + 2] : 0
            text.append(alphabet[Int(first >> 2)])
            text.append(alphabet[Int((first & 3) << 4 | second >> 4)])
            text.append(start + 1 < bytes.count ? alphabet[Int((second & 15) << 2 | third >> 6)] : UInt8(ascii: "="))
            text.append(start + 2 < bytes.count ? alphabet[Int(third & 63)] : UInt8(ascii: "="))
        }
        return text
    }

    /// Decodes text.
    ///
    /// - Returns: nil for text that is not Base64.
    package static func bytes(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        var paddingCount = 0
        for character in text {
            guard character != UInt8(ascii: "=") else {
                paddingCount += 1
                continue
            }
            guard paddingCount == 0, let value = value(character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count.isMultiple(of: 4) {
                bytes += [
                    UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
                    UInt8(truncatingIfNeeded: bits),
                ]
            }
        }
        switch (count % 4, paddingCount) {
        case (0, 0): return bytes
        case (3, 1):
            bytes += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
            return bytes
        case (2, 2):
            bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
            return bytes
        default: return nil
        }
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5A: character - 0x41
        case 0x61...0x7A: character - 0x61 + 26
        case 0x30...0x39: character - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
