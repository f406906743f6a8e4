import TidemarkModel

extension Lexer {
    /// Returns the text of a token: a string without quotes and escapes, any other token as written.
    ///
    /// - Parameter token: A token that this lexer returned.
    func text(of token: Token) -> ByteString {
        switch token.kind {
        case .string:
            let content = token.range.dropFirst().dropLast()
            return ByteString(token.hasEscapes ? unescaped(content) : Array(bytes[content]))
        case .blockString:
            let content = token.range.dropFirst(3).dropLast(3)
            return ByteString(
                BlockStringLines(token.hasEscapes ? unescapedBlock(content) : Array(bytes[content])).text)
        default:
            return ByteString(bytes[token.range])
        }
    }

    private func unescaped(_ content: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var offset = content.lowerBound
        while offset < content.upperBound {
            guard bytes[offset] == UInt8(ascii: "\\") else {
                text.append(bytes[offset])
                offset += 1
                continue
            }
            var escape = StringEscape(bytes, at: offset)
            guard let scalar = escape.scalar() else {
                preconditionFailure("the escape at byte \(offset) was one when its string was cut")
            }
            text += UTF8.encode(scalar).map(Array.init) ?? []
            offset = escape.offset
        }
        return text
    }

    /// Resolves the escapes of a block string; the only one is `\"""`.
    private func unescapedBlock(_ content: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        let quotes = [UInt8](repeating: UInt8(ascii: "\""), count: 3)
        var offset = content.lowerBound
        while offset < content.upperBound {
            let isEscape =
                bytes[offset] == UInt8(ascii: "\\") && bytes[offset + 1..<content.upperBound].starts(with: quotes)
            if isEscape { offset += 1 }
            text.append(bytes[offset])
            offset += 1
            if isEscape {
                text += quotes.dropFirst()
                offset += 2
            }
        }
        return text
    }
}
