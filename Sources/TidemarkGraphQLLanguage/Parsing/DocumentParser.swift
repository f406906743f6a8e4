import TidemarkModel

/// Parses a GraphQL document: tokens → definitions.
///
/// One token of look-ahead suffices. Values, directives and types have functions of their own, which operations and
/// definitions share. A parameter says whether variables are allowed.
///
/// - Complexity: O(bytes). Recursion is bounded by ``DocumentLimits/nestingDepthMax``.
/// - Source: GraphQL, October 2021, section 3 and appendix B.
package struct DocumentParser {
    let limits: DocumentLimits
    private var lexer: Lexer
    /// The next token.
    private(set) var token: Token
    /// The number of parts inside definitions. Bounded by ``DocumentLimits/memberCountMax``.
    private var memberCount = 0

    /// Parses a document of type-system definitions and extensions.
    ///
    /// - Parameter bytes: The document in UTF-8, with or without a byte order mark.
    /// - Throws: The first error in the document.
    package static func parse(
        _ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()
    ) throws(GraphQLError) -> Document {
        var parser = try DocumentParser(bytes, limits: limits)
        return try parser.document()
    }

    init(_ bytes: [UInt8], limits: DocumentLimits) throws(GraphQLError) {
        guard bytes.count <= limits.byteCountMax else {
            throw GraphQLError(
                .documentTooLong,
                "\(bytes.count) bytes; at most \(limits.byteCountMax) are read, leave out what is not needed",
                at: SourcePlace(line: 1, column: 1))
        }
        self.limits = limits
        lexer = Lexer(bytes, limits: limits)
        token = try lexer.next()
    }

    private mutating func document() throws(GraphQLError) -> Document {
        var definitions: [Document.Definition] = []
        repeat {
            guard definitions.count < limits.definitionCountMax else {
                throw GraphQLError(
                    .tooManyDefinitions,
                    "more than \(limits.definitionCountMax) definitions; leave out what is not needed", at: token.place)
            }
            definitions.append(try definition())
        } while token.kind != .end
        return Document(definitions: definitions)
    }

    // MARK: Tokens

    /// The text of the current token.
    var text: ByteString { lexer.text(of: token) }

    /// True if the token is the name `word`. The words of GraphQL are not reserved and are allowed wherever a name is.
    func isWord(_ word: StaticString) -> Bool {
        guard token.kind == .name, token.range.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { lexer.bytes[token.range].elementsEqual($0) }
    }

    /// Advances to the next token.
    ///
    /// - Returns: The token that was current before.
    @discardableResult
    mutating func advance() throws(GraphQLError) -> Token {
        let current = token
        token = try lexer.next()
        return current
    }

    /// Advances if the token has this kind. Returns true if it did.
    mutating func skip(_ kind: Token.Kind) throws(GraphQLError) -> Bool {
        guard token.kind == kind else { return false }
        try advance()
        return true
    }

    /// Advances if the token is the name `word`. Returns true if it did.
    mutating func skip(word: StaticString) throws(GraphQLError) -> Bool {
        guard isWord(word) else { return false }
        try advance()
        return true
    }

    /// Advances past a token of a kind, which must be next.
    ///
    /// - Parameter expected: The end of a sentence: what should be here, and what to do.
    mutating func expect(_ kind: Token.Kind, _ expected: String) throws(GraphQLError) {
        guard try skip(kind) else { throw unexpected(expected) }
    }

    /// Reads a name, which must be next.
    ///
    /// - Parameter expected: The end of a sentence: the thing whose name should be here.
    mutating func name(_ expected: String) throws(GraphQLError) -> Name {
        guard token.kind == .name else { throw unexpected(expected) }
        let name = Name(text, at: token.place)
        try advance()
        return name
    }

    /// Counts one more part inside a definition.
    mutating func countMember() throws(GraphQLError) {
        memberCount += 1
        guard memberCount <= limits.memberCountMax else {
            throw GraphQLError(
                .tooManyMembers,
                "more than \(limits.memberCountMax) fields, arguments, values and directives; leave out "
                    + "what is not needed",
                at: token.place)
        }
    }

    /// Checks that a value or type may be opened at a depth.
    ///
    /// - Parameter depth: The depth of the value or type that is about to be opened; the outermost has 1.
    func checkDepth(_ depth: Int) throws(GraphQLError) {
        guard depth <= limits.nestingDepthMax else {
            throw GraphQLError(
                .tooDeep, "more than \(limits.nestingDepthMax) nested brackets; nest less", at: token.place)
        }
    }

    /// Returns the error for an unexpected token.
    ///
    /// - Parameter expected: The end of a sentence: what should be here, and what to do.
    func unexpected(_ expected: String) -> GraphQLError {
        GraphQLError(.unexpectedToken, "found \(found), expected \(expected)", at: token.place)
    }

    private var found: String {
        switch token.kind {
        case .name, .int, .float: "\"" + DocumentParser.excerpt(text.description) + "\""
        default: token.kind.words
        }
    }

    /// Returns at most 40 characters of a text, so that messages stay readable.
    static func excerpt(_ text: String) -> String { text.count <= 40 ? text : text.prefix(39) + "…" }
}
