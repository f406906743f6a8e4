import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkGraphQLLanguage

/// Documents that somebody wrote to keep a reader busy: each is judged, and made ready to be sent, in a moment.
@Suite(.pooled) struct HostileDocumentTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        /// The code of the refusal; nil for a good document.
        var code: DocumentError.Code?

        init(_ name: String, _ code: DocumentError.Code?, _ text: String) {
            testDescription = name
            self.code = code
            self.text = text
        }
    }

    private static func many(_ count: Int, _ part: (Int) -> String) -> String { (0..<count).map(part).joined() }

    static let examples = [
        Example("fields under ten thousand names", nil, "{" + many(10_000) { "c\($0): count " } + "}"),
        Example(
            "one argument with many values", nil, "{ named(ids: [" + many(50_000) { _ in "1 " } + "]) { id } }"),
        Example(
            "many bad values", .invalidDocument, "{ named(ids: [" + many(50_000) { _ in "A " } + "]) { id } }"),
        Example(
            "many variables", nil,
            "query(" + many(3_000) { "$v\($0): ID! " } + ") { named(ids: [" + many(3_000) { "$v\($0) " } + "]) { id } }"
        ),
        Example(
            "many operations with one variable that is used often", nil,
            many(1_000) { "query q\($0)($v: ID!) { ...F } " }
                + "fragment F on Query { named(ids: [" + many(20_000) { _ in "$v " } + "]) { id } }"),
        Example(
            "many operations without the variables of their fragment", .invalidDocument,
            many(1_000) { "query q\($0) { ...F } " }
                + "fragment F on Query { named(ids: [" + many(10_000) { "$v\($0) " } + "]) { id } }"),
        Example(
            "many fragments", nil,
            "{" + many(3_000) { "...F\($0) " } + "}" + many(3_000) { "fragment F\($0) on Query { count } " }),
        Example(
            "a circle spread often", .invalidDocument,
            "{" + many(50_000) { _ in "...F " } + "}fragment F on Query { ...F }"),
        Example(
            "a long circle", .limitExceeded,
            "{...F0}" + many(3_000) { "fragment F\($0) on Query { ...F0 ...F\(($0 + 1) % 3_000) } " }),
        Example("many directives", .invalidDocument, "{ count " + many(20_000) { _ in "@include(if: true) " } + "}"),
        Example("spreads of one fragment", nil, "{" + many(10_000) { _ in "...F " } + "}fragment F on Query { count }"),
    ]

    @Test(arguments: examples) func `a document that is made to be slow is judged`(_ example: Example) throws {
        let document = try DocumentParser.parseExecutable(Array(example.text.utf8))
        var code: DocumentError.Code?
        do throws(DocumentError) {
            try DocumentValidator.check(document, schema: MusicSchema.schema)
            _ = try OutgoingDocument(document, schema: MusicSchema.schema)
        } catch {
            code = error.code
            #expect(error.findings.count <= 100)
        }
        #expect(code == example.code)
    }
}
