import TidemarkJSON

extension JSONText {
    /// Returns true if the written form between two quotes represents a text.
    ///
    /// - Complexity: O(n); copies only if the written form has a backslash.
    static func isSpelling(_ written: UnsafeRawBufferPointer, of text: [UInt8]) -> Bool {
        // An escape is longer than the text it represents.
        guard written.count >= text.count else { return false }
        if isPlain(written) { return text.withUnsafeBytes { haveEqualBytes(written, $0) } }
        return unescaped(written) == text
    }

    /// Returns true if the written form between two quotes represents a text without backslashes.
    static func isSpelling(_ written: UnsafeRawBufferPointer, of text: StaticString) -> Bool {
        areEqual(written, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
