extension Lexer {
    /// Skips a line end: LF, CR LF or CR.
    mutating func stepOverLineEnd() {
        offset += byte() == UInt8(ascii: "\r") && byte(1) == UInt8(ascii: "\n") ? 2 : 1
        line += 1
        lineOffset = offset
        continuationCount = 0
    }

    /// Skips one character of a comment or string that is not a line end.
    ///
    /// - Throws: An error if the bytes are not UTF-8, or are a control character that documents may not contain.
    mutating func stepOverCharacter() throws(GraphQLError) {
        guard let byte = byte() else { return }
        if byte < 0x80 {
            guard byte >= 0x20 || byte == UInt8(ascii: "\t") else { throw unexpectedCharacter() }
            offset += 1
            return
        }
        guard let scalar = scalar() else { throw invalidUTF8() }
        let count = UTF8.width(scalar)
        offset += count
        continuationCount += count - 1
    }

    /// Returns the error for a character that begins no token outside of strings.
    func unexpectedCharacter() -> GraphQLError {
        guard let scalar = scalar() else { return invalidUTF8() }
        let hex = String(scalar.value, radix: 16, uppercase: true)
        let number = "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        let found = scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value ? number : "\"\(scalar)\" (\(number))"
        let advice =
            scalar.value < 0x20
            ? "remove it; in a string write it as an escape"
            : "expected a name, a number, a string or a sign; only strings and comments hold other characters"
        return GraphQLError(.unexpectedCharacter, "found \(found); \(advice)", at: place)
    }

    private func invalidUTF8() -> GraphQLError {
        GraphQLError(.invalidUTF8, "found bytes that are not UTF-8; save the document as UTF-8", at: place)
    }

    /// Returns the character at `offset`.
    ///
    /// - Returns: nil at the end, or if the bytes there are not UTF-8.
    private func scalar() -> Unicode.Scalar? {
        guard offset < bytes.count else { return nil }
        var decoder = UTF8()
        var iterator = bytes[offset..<min(offset + 4, bytes.count)].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }
}
