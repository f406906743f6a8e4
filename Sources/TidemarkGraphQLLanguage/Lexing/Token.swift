/// A word, number, string or sign in a document.
struct Token: Hashable, Sendable {
    var kind: Kind
    /// The range of the token's bytes, including quotes.
    var range: Range<Int>
    var place: SourcePlace
    /// True if a string contains escapes.
    var hasEscapes = false
}

extension Token {
    /// The kinds of tokens; messages use the raw value.
    enum Kind: String, Hashable, Sendable {
        case end = "the end of the document"
        case name = "a name"
        case int = "an integer"
        case float = "a number"
        case string = "a string"
        case blockString = "a block string"
        case bang = "!"
        case dollar = "$"
        case ampersand = "&"
        case parenthesisLeft = "("
        case parenthesisRight = ")"
        case spread = "..."
        case colon = ":"
        case equals = "="
        case at = "@"
        case bracketLeft = "["
        case bracketRight = "]"
        case braceLeft = "{"
        case pipe = "|"
        case braceRight = "}"

        /// The kind in a message; signs are quoted.
        var words: String {
            switch self {
            case .end, .name, .int, .float, .string, .blockString: rawValue
            default: "\"\(rawValue)\""
            }
        }
    }
}
