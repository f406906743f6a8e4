import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting

@testable import TidemarkGraphQLLanguage

@Suite(.pooled) struct OutgoingDocumentTests {
    private func sent(_ text: String, _ schema: GraphQLSchema? = MusicSchema.schema) throws -> String {
        let document = try DocumentParser.parseExecutable(Array(text.utf8))
        return String(decoding: try OutgoingDocument(document, schema: schema).text(style: .minified), as: UTF8.self)
    }

    struct Example: Sendable, CustomTestStringConvertible {
        var text: String
        var sent: String
        /// The document that is sent without a schema; nil when the example is not about that.
        var plain: String?
        var testDescription: String { text }

        init(_ text: String, _ sent: String, _ plain: String? = nil) {
            self.text = text
            self.sent = sent
            self.plain = plain
        }
    }

    static let examples = [
        Example("{ count }", "{count}", "{count}"),
        Example("{ hero { name } }", "{hero{name __typename id}}", "{hero{name __typename}}"),
        Example("{ hero { id __typename } }", "{hero{id __typename}}"),
        Example("{ hero { id @skip(if: true) } }", "{hero{id@skip(if:true)__typename id}}"),
        Example("{ hero { songs { title } } }", "{hero{songs{title __typename id}__typename id}}"),
        // Other keys, and a type without one.
        Example(
            "{ book(isbn: 1) { author { name } } }", "{book(isbn:1){author{name __typename first last}__typename isbn}}"
        ),
        Example("{ place { name } }", "{place{name __typename}}"),
        // Interfaces and unions.
        Example("{ node(id: 1) { __typename } }", "{node(id:1){__typename...on Node{id}}}"),
        Example(
            "{ thing { ... on Place { name } } }",
            "{thing{...on Place{name __typename}__typename...on Song{id}...on Book{isbn}}}",
            "{thing{...on Place{name __typename}__typename}}"),
        // A response name that is taken.
        Example("{ hero { id: name } }", "{hero{id:name __typename tidemark_id:id}}"),
        Example("{ hero { __typename: name } }", "{hero{__typename:name tidemark_typename:__typename id}}"),
        Example(
            "{ hero { id: name tidemark_id: genre } }", "{hero{id:name tidemark_id:genre __typename tidemark_id_2:id}}"),
        Example(
            "{ hero { name } ...F } fragment F on Query { hero { id: genre } }",
            "{hero{name __typename tidemark_id:id}...F}"
                + "fragment F on Query{hero{id:genre __typename tidemark_id:id}}"),
        Example(
            "{ hero { name } b: hero { id: genre } }",
            "{hero{name __typename id}b:hero{id:genre __typename tidemark_id:id}}"),
        Example("{ hero { id: name(upper: true) name } }", "{hero{id:name(upper:true)name __typename tidemark_id:id}}"),
        // A name that stands for another type elsewhere in the union: an Int here, an ID there.
        Example(
            "{ thing { ... on Book { id } } }",
            "{thing{...on Book{id __typename}__typename...on Song{tidemark_id:id}...on Book{isbn}}}"),
        // Local directives, and variables that only they used.
        Example(
            "query A($m: Int, $k: String!, $i: Boolean!) @cacheControl(maxAge: $m) "
                + "{ hero @cacheControl(maxAge: $m) { songs @connection(key: $k) @include(if: $i) { title } } }",
            "query A($i:Boolean!){hero{songs@include(if:$i){title __typename id}__typename id}}"),
        Example(
            "query($m: Int) { hero { songs(first: $m) @cacheControl(maxAge: $m) { id } } }",
            "query($m:Int){hero{songs(first:$m){id __typename}__typename id}}"),
        Example(
            "query($m: Int) { ...F } fragment F on Query { count @cacheControl(maxAge: $m) }",
            "{...F}fragment F on Query{count}"),
        Example(
            "{ hero { ... @defer(label: \"a\") { genre } } }",
            "{hero{...@defer(label:\"a\"){genre __typename}__typename id}}"),
        // The operation's own set, at every depth of fragments.
        Example(
            "subscription { ...F } fragment F on Subscription { ... { played { title } } }",
            "subscription{...F}fragment F on Subscription{...{played{title __typename id}}}"),
        Example(
            "{ hero { ...F } } fragment F on Artist { genre }",
            "{hero{...F __typename id}}fragment F on Artist{genre __typename}"),
    ]

    @Test(arguments: examples) func `a document is sent with what tells entities apart`(_ example: Example) throws {
        #expect(try sent(example.text) == example.sent)
        if let plain = example.plain { #expect(try sent(example.text, nil) == plain) }
    }

    @Test func `additions carry a mark, and nothing else does`() throws {
        func withoutAdditions(_ selections: [Selection]) -> [Selection] {
            selections.compactMap { selection in
                switch selection {
                case .field(var field):
                    guard !field.isAdded else { return nil }
                    field.selections = withoutAdditions(field.selections)
                    return .field(field)
                case .spread: return selection
                case .inline(var fragment):
                    guard !fragment.isAdded else { return nil }
                    fragment.selections = withoutAdditions(fragment.selections)
                    return .inline(fragment)
                }
            }
        }
        for example in OutgoingDocumentTests.examples {
            let document = try DocumentParser.parseExecutable(Array(example.text.utf8))
            let sent = try OutgoingDocument(document, schema: MusicSchema.schema).document
            for (before, after) in zip(document.withoutLocalDirectives.definitions, sent.definitions) {
                #expect(withoutAdditions(after.selections) == before.selections)
            }
        }
    }

    @Test func `more additions than may be are refused`() throws {
        var limits = ExecutableLimits()
        limits.additionCountMax = 3
        let document = try DocumentParser.parseExecutable(Array("{ hero { name } thing { __typename } }".utf8))
        #expect { try OutgoingDocument(document, schema: MusicSchema.schema, limits: limits) } throws: { error in
            (error as? DocumentError)?.code == .limitExceeded
        }
    }

    @Test func `a good document stays one, with a schema and without`() throws {
        var count = 0
        var limits = ExecutableLimits()
        limits.selectionCountMax = 1_000_000
        for seed in UInt64(0)..<2_000 {
            var typed = TypedGenerator(SeededGenerator(seed: seed, index: 25), MusicSchema.schema, boldness: 3)
            let text = DocumentPrinter.text(of: typed.document())
            let document = try DocumentParser.parseExecutable(text)
            do throws(DocumentError) {
                try DocumentValidator.check(document, schema: MusicSchema.schema)
            } catch { continue }
            count += 1
            for schema in [MusicSchema.schema, nil] {
                let sent = try OutgoingDocument(document, schema: schema).text()
                do throws(DocumentError) {
                    try DocumentValidator.check(
                        DocumentParser.parseExecutable(sent), schema: MusicSchema.schema, limits: limits)
                } catch {
                    Issue.record("seed \(seed): \(error)\n\(String(decoding: sent, as: UTF8.self))")
                    return
                }
                let words = String(decoding: sent, as: UTF8.self)
                #expect(!words.contains("@cacheControl") && !words.contains("@connection"))
            }
        }
        #expect(count > 500, "\(count) of 2,000 are good")
    }
}
