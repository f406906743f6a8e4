/// Derives the id in a key from a JSON value.
///
/// - Source: Protocol/events.md, "Identity".
package enum ReferenceIdentity {
    /// Returns the id of a value: a non-empty string, or an integer as its text.
    ///
    /// - Returns: nil for every other value, and for a string with a lone surrogate.
    package static func id(from value: ReferenceJSON) -> [UInt8]? {
        if let integer = value.integerText { return integer }
        guard let text = value.text, !text.isEmpty else { return nil }
        return isUUID(text) ? text.map(lowercased) : text
    }

    /// Returns true for the hyphenated form of a UUID: 8-4-4-4-12 hexadecimal digits of either case.
    package static func isUUID(_ text: [UInt8]) -> Bool {
        guard text.count == 36 else { return false }
        for (index, byte) in text.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                if byte != UInt8(ascii: "-") { return false }
            } else if !isHexDigit(byte) {
                return false
            }
        }
        return true
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
    }
}
