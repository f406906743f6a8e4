extension Lexer {
    /// Reads a string on one line.
    ///
    /// - Throws: An error if the string does not end on its line, or contains an invalid escape.
    mutating func string() throws(GraphQLError) -> Token {
        var token = Token(kind: .string, range: offset..<offset, place: place)
        let start = offset
        offset += 1
        while let byte = byte(), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                token.range = start..<offset
                return token
            case UInt8(ascii: "\\"):
                token.hasEscapes = true
                var escape = StringEscape(bytes, at: offset)
                guard escape.scalar() != nil else { throw badEscape() }
                offset = escape.offset
            default: try stepOverCharacter()
            }
        }
        throw GraphQLError(
            .unterminatedString,
            "found a string without its closing quote; end it on its line, or write \"\"\" around it",
            at: token.place)
    }

    /// Reads a string between three quotes. It may contain line ends, and ends at the next three quotes that have no
    /// `\` before them.
    mutating func blockString() throws(GraphQLError) -> Token {
        var token = Token(kind: .blockString, range: offset..<offset, place: place)
        let start = offset
        let quote = UInt8(ascii: "\"")
        offset += 3
        while let byte = byte() {
            switch byte {
            case quote where self.byte(1) == quote && self.byte(2) == quote:
                offset += 3
                token.range = start..<offset
                return token
            case UInt8(ascii: "\\") where self.byte(1) == quote && self.byte(2) == quote && self.byte(3) == quote:
                token.hasEscapes = true
                offset += 4
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): stepOverLineEnd()
            default: try stepOverCharacter()
            }
        }
        throw GraphQLError(
            .unterminatedString, "found a block string that never ends; close it with \"\"\"", at: token.place)
    }

    private func badEscape() -> GraphQLError {
        GraphQLError(
            .badEscape,
            "found a \"\\\" that does not begin an escape; write \\\" \\\\ \\/ \\b \\f \\n \\r \\t, \\u with four hexadecimal "
                + "digits (a character above U+FFFF as two of them), or \\u{…}", at: place)
    }
}
