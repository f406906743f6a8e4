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
}
