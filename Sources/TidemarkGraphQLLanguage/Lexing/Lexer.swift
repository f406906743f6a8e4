/// Splits a document into tokens, one after another, and counts lines and columns.
///
/// - Complexity: Each byte is read a bounded number of times.
/// - Source: GraphQL, October 2021, section 2.1.
struct Lexer {
    let bytes: [UInt8]
    let limits: DocumentLimits
    /// The offset of the next byte.
    var offset = 0
    /// The number of the current line, from 1.
    var line = 1
    /// The offset at which the current line begins.
    var lineOffset = 0
    /// The number of bytes of this line, up to `offset`, that are not the first byte of a character.
    var continuationCount = 0

    /// - Parameter bytes: The whole document. UTF-8 is checked during reading.
    init(_ bytes: [UInt8], limits: DocumentLimits) {
        self.bytes = bytes
        self.limits = limits
        if bytes.starts(with: Lexer.byteOrderMark) {
            offset = Lexer.byteOrderMark.count
            lineOffset = offset
        }
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The place at `offset`.
    var place: SourcePlace {
        SourcePlace(line: line, column: offset - lineOffset - continuationCount + 1)
    }

    /// Returns the byte at `distance` after `offset`; nil past the end.
    func byte(_ distance: Int = 0) -> UInt8? {
        let index = offset + distance
        return index < bytes.count ? bytes[index] : nil
    }

    /// Returns the next token.
    ///
    /// - Returns: The token; `.end` at the end of the document, and at every later call.
    mutating func next() throws(GraphQLError) -> Token {
        try skipIgnored()
        guard let byte = byte() else { return Token(kind: .end, range: offset..<offset, place: place) }
        switch byte {
        case UInt8(ascii: "_"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
            return try name()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "\""):
            return self.byte(1) == byte && self.byte(2) == byte ? try blockString() : try string()
        case UInt8(ascii: "."):
            guard self.byte(1) == byte, self.byte(2) == byte else { throw unexpectedCharacter() }
            return token(.spread, byteCount: 3)
        default:
            guard let kind = Lexer.sign(byte) else { throw unexpectedCharacter() }
            return token(kind, byteCount: 1)
        }
    }

    /// Skips white space, line ends, commas, comments and byte order marks, which have no meaning.
    private mutating func skipIgnored() throws(GraphQLError) {
        while let byte = byte() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","): offset += 1
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): stepOverLineEnd()
            case UInt8(ascii: "#"):
                while let byte = self.byte(), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
                    try stepOverCharacter()
                }
            case 0xEF where self.byte(1) == 0xBB && self.byte(2) == 0xBF: try stepOverCharacter()
            default: return
            }
        }
    }

    private mutating func name() throws(GraphQLError) -> Token {
        var count = 1
        while let byte = byte(count), Lexer.isNamePart(byte) { count += 1 }
        guard count <= limits.nameByteCountMax else {
            throw GraphQLError(
                .nameTooLong, "a name of \(count) bytes; names have at most \(limits.nameByteCountMax)", at: place)
        }
        return token(.name, byteCount: count)
    }

    /// Returns a token that contains only ASCII and no line end.
    mutating func token(_ kind: Token.Kind, byteCount: Int) -> Token {
        let token = Token(kind: kind, range: offset..<offset + byteCount, place: place)
        offset += byteCount
        return token
    }

    static func isNameStart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "_"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: false
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    static func isNamePart(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) }

    private static func sign(_ byte: UInt8) -> Token.Kind? {
        switch byte {
        case UInt8(ascii: "!"): .bang
        case UInt8(ascii: "$"): .dollar
        case UInt8(ascii: "&"): .ampersand
        case UInt8(ascii: "("): .parenthesisLeft
        case UInt8(ascii: ")"): .parenthesisRight
        case UInt8(ascii: ":"): .colon
        case UInt8(ascii: "="): .equals
        case UInt8(ascii: "@"): .at
        case UInt8(ascii: "["): .bracketLeft
        case UInt8(ascii: "]"): .bracketRight
        case UInt8(ascii: "{"): .braceLeft
        case UInt8(ascii: "|"): .pipe
        case UInt8(ascii: "}"): .braceRight
        default: nil
        }
    }
}
