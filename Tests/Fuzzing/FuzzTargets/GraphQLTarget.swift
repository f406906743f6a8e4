import TidemarkGraphQLLanguage
import TidemarkModel

/// Documents of operations and fragments, with a schema and without.
///
/// A document that is read is printed in two layouts that read as the same; every finding lies in the document, in
/// order, on one line; what a schema allows is still allowed as it is sent, and holds no local directive.
enum GraphQLTarget {
    static let target = FuzzTarget("graphql", byteCountMax: 4_096, .now(check))

    private static let schema: Result<GraphQLSchema, GraphQLErrors> = Result { () throws(GraphQLErrors) in
        try GraphQLSchema.read(
            Array(
                """
                interface I { id: ID! a(x: Int, y: [String!] = ["y"]): I b: U } union U = A | B enum E { X Y }
                type A implements I { id: ID! a(x: Int, y: [String!] = ["y"]): A b: U c: Int d(e: E!): String! }
                type B @typePolicy(keyFields: "k l") { k: Int l: String id: Int a: I c(in: In): [Float!]! }
                input In { a: Int! b: In c: [E] = [X] } scalar S
                type Query { i: I u(s: S): [U] a: A! b(in: In!, id: ID): B } type Mutation { m(in: In): A }
                type Subscription { s: A t: Int }
                """.utf8))
    }

    private static func check(_ bytes: [UInt8]) throws {
        let document: ExecutableDocument
        do throws(DocumentError) {
            document = try DocumentParser.parseExecutable(bytes)
        } catch {
            try requirePlaces(error, in: bytes)
            return
        }
        for style in DocumentPrinter.Style.allCases {
            let text = DocumentPrinter.text(of: document, style: style)
            let read = try DocumentParser.parseExecutable(text)
            try requireEqual(read.withoutPlaces, document.withoutPlaces, "the document, printed and parsed")
            try requireEqual(DocumentPrinter.text(of: read, style: style), text, "the text, printed again")
        }
        let schema = try schema.get()
        for schema in [schema, nil] {
            do throws(DocumentError) {
                try DocumentValidator.check(document, schema: schema)
            } catch {
                try requirePlaces(error, in: bytes)
                continue
            }
            try requireSound(OutgoingDocument(document, schema: schema), schema)
        }
    }

    private static func requireSound(_ outgoing: OutgoingDocument, _ schema: GraphQLSchema?) throws {
        let sent = try DocumentParser.parseExecutable(outgoing.text(style: .minified))
        var limits = ExecutableLimits()
        limits.selectionCountMax = 1_000_000
        limits.nestingDepthMax += 1
        do throws(DocumentError) {
            try DocumentValidator.check(sent, schema: schema, limits: limits)
        } catch {
            throw FuzzFinding("what is sent of a good document breaks a rule: \(error)")
        }
        for definition in sent.definitions {
            try requireNoLocalDirectives(definition.directives, definition.selections)
        }
    }

    private static func requireNoLocalDirectives(_ directives: [Directive], _ selections: [Selection]) throws {
        try require(
            !directives.contains { ["cacheControl", "connection"].contains($0.name.text) }, "a local directive is sent")
        for selection in selections { try requireNoLocalDirectives(selection.directives, selection.selections) }
    }

    private static func requirePlaces(_ refusal: DocumentError, in bytes: [UInt8]) throws {
        try require(!refusal.message.isEmpty, "a refusal without words")
        try require(
            (refusal.code == .invalidDocument) == !refusal.findings.isEmpty, "findings do not fit the code: \(refusal)")
        try require(refusal.findings.count <= ExecutableLimits().findingCountMax, "too many findings")
        let lineCount = bytes.filter { $0 == 0x0A || $0 == 0x0D }.count + 1
        var last = SourcePlace(line: 1, column: 1)
        for finding in refusal.findings {
            let place = SourcePlace(line: finding.line, column: finding.column)
            try require(place >= last, "findings out of order: \(refusal)")
            try require(
                1...lineCount ~= place.line && 1...bytes.count + 1 ~= place.column, "a place outside: \(finding)")
            try require(
                !finding.message.isEmpty && !finding.message.contains(where: \.isNewline),
                "a message of several lines: \(finding)")
            last = place
        }
    }
}
