extension Lexer {
    /// Reads an integer, or a number with a fraction or an exponent.
    ///
    /// - Throws: An error if the digits do not follow the grammar, or a name follows without a space.
    mutating func number() throws(GraphQLError) -> Token {
        var count = byte() == UInt8(ascii: "-") ? 1 : 0
        var kind = Token.Kind.int
        let whole = digitCount(at: count)
        guard whole > 0 else { throw badNumber("a \"-\" without digits") }
        guard whole == 1 || byte(count) != UInt8(ascii: "0") else { throw badNumber("a zero before other digits") }
        count += whole
        if byte(count) == UInt8(ascii: ".") {
            kind = .float
            let digits = digitCount(at: count + 1)
            guard digits > 0 else { throw badNumber("a \".\" without digits after it") }
            count += 1 + digits
        }
        if byte(count) == UInt8(ascii: "e") || byte(count) == UInt8(ascii: "E") {
            kind = .float
            let hasSign = byte(count + 1) == UInt8(ascii: "-") || byte(count + 1) == UInt8(ascii: "+")
            let start = count + (hasSign ? 2 : 1)
            let digits = digitCount(at: start)
            guard digits > 0 else { throw badNumber("an exponent without digits") }
            count = start + digits
        }
        if let next = byte(count), next == UInt8(ascii: ".") || Lexer.isNameStart(next) {
            throw badNumber("a number that runs on into \"\(Unicode.Scalar(next))\"")
        }
        return token(kind, byteCount: count)
    }

    private func digitCount(at start: Int) -> Int {
        var end = start
        while let byte = byte(end), Lexer.isDigit(byte) { end += 1 }
        return end - start
    }

    private func badNumber(_ found: String) -> GraphQLError {
        GraphQLError(.badNumber, "found \(found); write a number such as 0, -12, 1.5 or 6e-3", at: place)
    }
}
