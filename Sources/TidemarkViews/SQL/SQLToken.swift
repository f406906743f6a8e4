/// A word of a statement, with its place.
struct SQLToken: Hashable {
    enum Kind: Hashable {
        /// A keyword or a name.
        case word(String)
        /// A name in double quotes, which is never a keyword.
        case name(String)
        case string(String)
        /// A number as JSON writes it.
        case number(String)
        /// A parameter, without its colon.
        case parameter(String)
        case symbol(String)
        case end
    }

    let kind: Kind
    let line: Int
    let column: Int

    func error(_ what: String, nearest: String? = nil) -> ViewSQLError {
        ViewSQLError(line: line, column: column, what: what, nearest: nearest)
    }

    /// The token as a message shows it.
    var text: String {
        switch kind {
        case .word(let text), .number(let text), .symbol(let text): text
        case .name(let text): "\"\(text)\""
        case .string(let text): "'\(text)'"
        case .parameter(let name): ":\(name)"
        case .end: "the end"
        }
    }
}

/// Splits a statement into tokens.
struct SQLLexer {
    private let characters: [Character]
    private var index = 0
    private var line = 1
    private var column = 1

    /// Returns the tokens; the last one is the end.
    static func tokens(_ text: String) throws(ViewSQLError) -> [SQLToken] {
        var lexer = SQLLexer(text)
        var tokens: [SQLToken] = []
        while true {
            let token = try lexer.next()
            tokens.append(token)
            if token.kind == .end { return tokens }
        }
    }

    private init(_ text: String) { characters = Array(text) }

    private var current: Character? { index < characters.count ? characters[index] : nil }

    private mutating func advance() {
        if characters[index].isNewline {
            line += 1
            column = 1
        } else {
            column += 1
        }
        index += 1
    }

    private mutating func next() throws(ViewSQLError) -> SQLToken {
        skipSpace()
        let (line, column) = (line, column)
        func token(_ kind: SQLToken.Kind) -> SQLToken { SQLToken(kind: kind, line: line, column: column) }
        guard let first = current else { return token(.end) }
        switch first {
        case "'": return token(.string(try quoted("'", "the string")))
        case "\"": return token(.name(try quoted("\"", "the name")))
        case ":":
            advance()
            let name = take { SQLLexer.isLetter($0) || SQLLexer.isDigit($0) }
            guard !name.isEmpty else { throw token(.end).error("a parameter has a name, such as :name") }
            return token(.parameter(name))
        case _ where SQLLexer.isLetter(first):
            return token(.word(take { SQLLexer.isLetter($0) || SQLLexer.isDigit($0) }))
        case _ where SQLLexer.isDigit(first): return token(.number(number()))
        default: return token(.symbol(try symbol(token(.end))))
        }
    }

    private mutating func skipSpace() {
        while let character = current {
            if character == "-", index + 1 < characters.count, characters[index + 1] == "-" {
                while let rest = current, !rest.isNewline { _ = rest; advance() }
            } else if character.isWhitespace {
                advance()
            } else {
                return
            }
        }
    }

    private mutating func take(while isPart: (Character) -> Bool) -> String {
        var text = ""
        while let character = current, isPart(character) {
            text.append(character)
            advance()
        }
        return text
    }

    /// A text between quotes, in which a doubled quote is one.
    private mutating func quoted(_ quote: Character, _ what: String) throws(ViewSQLError) -> String {
        let start = SQLToken(kind: .end, line: line, column: column)
        advance()
        var text = ""
        while let character = current {
            advance()
            if character != quote {
                text.append(character)
            } else if current == quote {
                text.append(quote)
                advance()
            } else {
                return text
            }
        }
        throw start.error("\(what) does not end: close it with \(quote)")
    }

    private mutating func number() -> String {
        var text = take(while: SQLLexer.isDigit)
        if current == ".", index + 1 < characters.count, SQLLexer.isDigit(characters[index + 1]) {
            advance()
            text += "." + take(while: SQLLexer.isDigit)
        }
        if current == "e" || current == "E" {
            let signed = index + 1 < characters.count && "+-".contains(characters[index + 1]) ? 2 : 1
            if index + signed < characters.count, SQLLexer.isDigit(characters[index + signed]) {
                for _ in 0..<signed {
                    text.append(characters[index])
                    advance()
                }
                text += take(while: SQLLexer.isDigit)
            }
        }
        return text
    }

    private mutating func symbol(_ place: SQLToken) throws(ViewSQLError) -> String {
        for symbol in ["<>", "!=", "<=", ">=", "<", ">", "=", ",", ".", "(", ")", "[", "]", "*", ";", "-"] {
            guard characters[index...].starts(with: symbol) else { continue }
            for _ in symbol { advance() }
            return symbol
        }
        throw place.error("a rule has no \(characters[index])")
    }

    private static func isLetter(_ character: Character) -> Bool {
        character == "_" || character.isASCII && character.isLetter
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}
