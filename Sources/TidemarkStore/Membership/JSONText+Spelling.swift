extension JSONText {
    /// Whether what stands between two quotes stands for a text.
    ///
    /// - Complexity: O(n); copies only when the spelling holds a backslash.
    static func isSpelling(_ written: UnsafeRawBufferPointer, of text: [UInt8]) -> Bool {
        // An escape is longer than what it stands for.
        guard written.count >= text.count else { return false }
        if isPlain(written) { return text.withUnsafeBytes { haveEqualBytes(written, $0) } }
        return unescaped(written) == text
    }

    /// Whether what stands between two quotes stands for a text that holds no backslash.
    static func isSpelling(_ written: UnsafeRawBufferPointer, of text: StaticString) -> Bool {
        areEqual(written, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
