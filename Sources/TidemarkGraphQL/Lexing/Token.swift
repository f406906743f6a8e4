/// A word, number, string or sign of a document.
struct Token: Hashable, Sendable {
    var kind: Kind
    /// Offsets of its first byte and behind its last, quotes included.
    var range: Range<Int>
    var place: SourcePlace
    /// Of a string: some character is written as an escape.
    var hasEscapes = false
}

extension Token {
    /// The raw value is how messages name it.
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

        /// Signs stand in quotes.
        var words: String {
            switch self {
            case .end, .name, .int, .float, .string, .blockString: rawValue
            default: "\"\(rawValue)\""
            }
        }
    }
}
