import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting

@testable import TidemarkGraphQLLanguage

@Suite(.pooled) struct ExecutableParserTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var text: String
        var column: Int
        var words: String
        var testDescription: String { text }
    }

    static let refusals = [
        Refusal(text: "", column: 1, words: "expected an operation or a fragment"),
        Refusal(text: "type A { a: Int }", column: 1, words: "expected an operation or a fragment"),
        Refusal(text: "{ }", column: 3, words: "leave out braces with nothing in them"),
        Refusal(text: "{ a", column: 4, words: "\"}\""),
        Refusal(text: "{ a { } }", column: 7, words: "leave out braces with nothing in them"),
        Refusal(text: "{ a() }", column: 5, words: "leave out empty brackets"),
        Refusal(text: "{ a(b) }", column: 6, words: "\":\""),
        Refusal(text: "{ a: }", column: 6, words: "after its alias"),
        Refusal(text: "{ a: b: c }", column: 7, words: "found \":\""),
        Refusal(text: "{ ... }", column: 7, words: "\"on\" or \"{\" after \"...\""),
        Refusal(text: "{ ... on }", column: 10, words: "the type that the fragment is for"),
        Refusal(text: "{ ...on { a } }", column: 9, words: "the type that the fragment is for"),
        Refusal(text: "query", column: 6, words: "\"{\" and the fields to select"),
        Refusal(text: "query A B { a }", column: 9, words: "\"{\" and the fields to select"),
        Refusal(text: "query () { a }", column: 8, words: "\"$\" and the name of a variable"),
        Refusal(text: "query ($a) { a }", column: 10, words: "\":\" and the type"),
        Refusal(text: "query ($a: Int = $b) { a }", column: 18, words: "found a variable"),
        Refusal(text: "query ($a: Int @x(y: $b)) { a }", column: 22, words: "found a variable"),
        Refusal(text: "fragment on on A { a }", column: 10, words: "no fragment can be named \"on\""),
        Refusal(text: "fragment A { a }", column: 12, words: "\"on\" and the type"),
        Refusal(text: "fragment A on { a }", column: 15, words: "the type that the fragment is for"),
        Refusal(text: "\"words\" query { a }", column: 1, words: "expected an operation or a fragment"),
        Refusal(text: "{ a } }", column: 7, words: "expected an operation or a fragment"),
        Refusal(text: "{ a(b: 01) }", column: 8, words: "a zero before other digits"),
        Refusal(text: "{ a ? }", column: 5, words: "U+003F"),
    ]

    @Test(arguments: refusals) func `a syntax error is one finding with its place`(_ refusal: Refusal) {
        #expect {
            try DocumentParser.parseExecutable(Array(refusal.text.utf8))
        } throws: { error in
            guard let error = error as? DocumentError, let finding = error.findings.first else { return false }
            return error.code == .invalidDocument && error.findings.count == 1 && finding.rule == .syntax
                && finding.line == 1 && finding.column == refusal.column && finding.message.contains(refusal.words)
        }
    }

    @Test func `words of the language can be names`() throws {
        let text = "query query($on: on) { fragment: on(true: $on) { type } mutation } fragment true on null { on: on }"
        let document = try DocumentParser.parseExecutable(Array(text.utf8))
        #expect(document.operations.map { $0.name?.text } == ["query"])
        #expect(document.fragments.map(\.name.text) == ["true"])
        #expect(document.fragments.map(\.typeCondition.text) == ["null"])
    }

    @Test func `places count lines from one and characters of a line`() throws {
        let text =
            "# é\nquery A($v: Int) @d {\n  x: f(a: \"é\", b: $v) {\r\n ...F ... on T { y } }\n}\nfragment F on T { z }"
        let document = try DocumentParser.parseExecutable(Array(text.utf8))
        let operation = document.operations[0]
        #expect(operation.place == SourcePlace(line: 2, column: 1))
        #expect(operation.name?.place == SourcePlace(line: 2, column: 7))
        #expect(operation.variables[0].name.place == SourcePlace(line: 2, column: 9))
        #expect(operation.directives[0].place == SourcePlace(line: 2, column: 18))
        guard case .field(let field) = operation.selections[0] else {
            throw DocumentError(.invalidDocument, "no field")
        }
        #expect(field.place == SourcePlace(line: 3, column: 3) && field.name.place == SourcePlace(line: 3, column: 6))
        #expect(field.arguments[1].value.place == SourcePlace(line: 3, column: 19))
        #expect(field.selections.map(\.place) == [SourcePlace(line: 4, column: 2), SourcePlace(line: 4, column: 7)])
        #expect(document.fragments[0].place == SourcePlace(line: 6, column: 1))
    }

    // MARK: Limits

    private func parses(_ text: String, _ limits: ExecutableLimits = ExecutableLimits()) -> DocumentError.Code? {
        do throws(DocumentError) {
            let document = try DocumentParser.parseExecutable(Array(text.utf8), limits: limits)
            try DocumentValidator.check(document, schema: nil, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a document of a mebibyte is read, and one byte more is too much`() {
        let text = "{ a #" + String(repeating: "x", count: (1 << 20) - 7) + "\n}"
        #expect(text.utf8.count == 1 << 20)
        #expect(parses(text) == nil)
        #expect(parses(text + " ") == .limitExceeded)
    }

    @Test func `64 levels are read, and one more is too deep, fragments counted`() {
        func nested(_ count: Int, _ inner: String) -> String {
            String(repeating: "{a", count: count - 1) + "{\(inner)" + String(repeating: "}", count: count)
        }
        #expect(parses(nested(64, "a")) == nil)
        #expect(parses(nested(65, "a")) == .limitExceeded)
        #expect(parses(nested(32, "...F") + "fragment F on T" + nested(32, "a")) == nil)
        #expect(parses(nested(33, "...F") + "fragment F on T" + nested(32, "a")) == .limitExceeded)
        let values = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(parses("{a(b:\(values))}") == nil)
        #expect(parses("{a(b:[\(values)])}") == .limitExceeded)
        var limits = ExecutableLimits()
        limits.nestingDepthMax = 2
        #expect(parses("{a{b}}", limits) == nil)
        #expect(parses("{a{b{c}}}", limits) == .limitExceeded)
    }

    @Test func `10,000 fields are read, and one more is too much, fragments counted wherever they are spread`() {
        let fields = String(repeating: "a ", count: 10_000)
        #expect(parses("{\(fields)}") == nil)
        #expect(parses("{\(fields)a}") == .limitExceeded)
        let fragment = "fragment F on T {" + String(repeating: "a ", count: 100) + "}"
        #expect(parses("{" + String(repeating: "...F ", count: 100) + "}" + fragment) == nil)
        #expect(parses("{" + String(repeating: "...F ", count: 100) + "a}" + fragment) == .limitExceeded)
        var limits = ExecutableLimits()
        limits.selectionCountMax = 3
        #expect(parses("{a{b}c}", limits) == nil)
        #expect(parses("{a{b}...{c d}}", limits) == .limitExceeded)
    }

    @Test func `fragments that double again and again are refused at once`() {
        var text = "{...F0}"
        for number in 0..<60 { text += "fragment F\(number) on T {...F\(number + 1) ...F\(number + 1)}" }
        #expect(parses(text + "fragment F60 on T {a}") == .limitExceeded)
        var chain = "{...F0}"
        for number in 0..<20_000 { chain += "fragment F\(number) on T {...F\(number + 1)}" }
        #expect(parses(chain + "fragment F20000 on T {a}") == .limitExceeded)
    }

    // MARK: Spoiled documents

    @Test func `spoiled documents are read or refused, with a place in them`() throws {
        var accepted = 0
        for seed in UInt64(0)..<3_000 {
            var generator = SeededGenerator(seed: seed, index: 21)
            let text = DocumentPrinter.text(of: ExecutableRoundTripTests.document(seed: seed % 300))
            let spoiled =
                seed % 2 == 0
                ? DocumentSpoiler.bytes(text, &generator) : try DocumentSpoiler.tokens(text, &generator)
            accepted += reads(spoiled, "seed \(seed)") ? 1 : 0
        }
        #expect(300...2_700 ~= accepted, "\(accepted) of 3,000 were accepted")
    }

    @Test func `every prefix of a document is read or refused`() {
        for seed in UInt64(0)..<10 {
            let text = DocumentPrinter.text(of: ExecutableRoundTripTests.document(seed: seed), style: .minified)
            for count in 0...text.count { _ = reads(Array(text.prefix(count)), "seed \(seed), \(count) bytes") }
        }
    }

    private func reads(_ bytes: [UInt8], _ name: String) -> Bool {
        do throws(DocumentError) {
            let document = try DocumentParser.parseExecutable(bytes)
            let printed = try DocumentParser.parseExecutable(DocumentPrinter.text(of: document))
            #expect(printed.withoutPlaces == document.withoutPlaces, "\(name)")
            return true
        } catch {
            let lines = bytes.filter { $0 == 0x0A || $0 == 0x0D }.count + 1
            for finding in error.findings {
                #expect(
                    1...lines ~= finding.line && 1...(bytes.count + 1) ~= finding.column
                        && !finding.message.contains("\n"), "\(name): \(finding)")
            }
            return false
        }
    }
}
