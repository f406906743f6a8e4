import TidemarkModel

/// Reads a document of GraphQL: tokens → definitions.
///
/// One token of look-ahead suffices. Values, directives and types are read by functions of their own, which operations
/// share with definitions: they ask whether a variable may stand there.
///
/// - Complexity: O(bytes). Recursion goes as deep as ``DocumentLimits/nestingDepthMax``.
/// - Source: GraphQL, October 2021, section 3 and appendix B.
package struct DocumentParser {
    let limits: DocumentLimits
    private var lexer: Lexer
    /// The one that comes next.
    private(set) var token: Token
    /// Bound: ``DocumentLimits/memberCountMax``.
    private var memberCount = 0

    /// Parses a document of type-system definitions and extensions.
    ///
    /// - Parameter bytes: UTF-8; a byte order mark may stand at the front.
    /// - Throws: The first thing that is wrong.
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
                "a document of \(bytes.count) bytes; at most \(limits.byteCountMax) are read, leave out "
                    + "what is not needed",
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

    /// What the token says.
    var text: ByteString { lexer.text(of: token) }

    /// The token is the name `word`. Words of GraphQL are no reserved names: where a name may stand, they may.
    func isWord(_ word: StaticString) -> Bool {
        guard token.kind == .name, token.range.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { lexer.bytes[token.range].elementsEqual($0) }
    }

    /// Goes on to the next token.
    ///
    /// - Returns: The one that was current.
    @discardableResult
    mutating func advance() throws(GraphQLError) -> Token {
        let current = token
        token = try lexer.next()
        return current
    }

    /// Goes on when the token is `kind`.
    mutating func skip(_ kind: Token.Kind) throws(GraphQLError) -> Bool {
        guard token.kind == kind else { return false }
        try advance()
        return true
    }

    /// Goes on when the token is the name `word`.
    mutating func skip(word: StaticString) throws(GraphQLError) -> Bool {
        guard isWord(word) else { return false }
        try advance()
        return true
    }

    /// - Parameter expected: What should stand here, and what to do; the end of a sentence.
    mutating func expect(_ kind: Token.Kind, _ expected: String) throws(GraphQLError) {
        guard try skip(kind) else { throw unexpected(expected) }
    }

    /// - Parameter expected: Whose name it is.
    mutating func name(_ expected: String) throws(GraphQLError) -> Name {
        guard token.kind == .name else { throw unexpected(expected) }
        let name = Name(text, at: token.place)
        try advance()
        return name
    }

    /// Counts one more thing inside a definition.
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

    /// - Parameter depth: Of what is about to be opened; the outermost has 1.
    func checkDepth(_ depth: Int) throws(GraphQLError) {
        guard depth <= limits.nestingDepthMax else {
            throw GraphQLError(
                .tooDeep, "more than \(limits.nestingDepthMax) brackets inside one another; nest less", at: token.place)
        }
    }

    /// - Parameter expected: What should stand here, and what to do; the end of a sentence.
    func unexpected(_ expected: String) -> GraphQLError {
        GraphQLError(.unexpectedToken, "found \(found), expected \(expected)", at: token.place)
    }

    private var found: String {
        switch token.kind {
        case .name, .int, .float: "\"" + DocumentParser.excerpt(text.description) + "\""
        default: token.kind.words
        }
    }

    /// At most 40 characters: a message stays one that can be read.
    static func excerpt(_ text: String) -> String { text.count <= 40 ? text : text.prefix(39) + "…" }
}
