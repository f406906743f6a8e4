import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting

@testable import TidemarkGraphQLLanguage

@Suite(.pooled) struct ValidationTests {
    static func findings(
        _ text: String, _ schema: GraphQLSchema? = MusicSchema.schema,
        _ purpose: DocumentValidator.Purpose = .operations
    ) throws -> [DocumentFinding] {
        let document = try DocumentParser.parseExecutable(Array(text.utf8))
        do throws(DocumentError) {
            try DocumentValidator.check(document, schema: schema, purpose: purpose)
            return []
        } catch {
            guard error.code == .invalidDocument else { throw error }
            return error.findings
        }
    }

    @Test(arguments: RuleExamples.all) func `a document breaks the rules that its example names`(
        _ example: RuleExample
    ) throws {
        let findings = try ValidationTests.findings(example.text)
        #expect(findings.map(\.rule) == example.rules, "\(findings)")
        if let place = example.place, let finding = findings.first {
            #expect("\(finding.line):\(finding.column)" == place, "\(finding)")
        }
    }

    @Test(arguments: RuleExamples.all) func `without a schema only rules that need none are checked`(
        _ example: RuleExample
    ) throws {
        let findings = try ValidationTests.findings(example.text, nil)
        #expect(findings.map(\.rule) == example.rules.filter { RuleExamples.withoutSchema.contains($0) }, "\(findings)")
    }

    @Test func `every rule has an example`() {
        let shown = Set(RuleExamples.all.flatMap(\.rules))
        // The grammar has tests of its own, as has the choice of an operation; a schema without a type for an operation
        // is below.
        #expect(Set(DocumentRule.allCases).subtracting(shown) == [.syntax, .ambiguousOperation, .missingRoot])
    }

    @Test func `an operation that the schema has no type for`() throws {
        let schema = try GraphQLSchema.read(Array("type Query { a: Int }".utf8))
        #expect(try ValidationTests.findings("mutation { a }", schema).map(\.rule) == [.missingRoot])
    }

    @Test func `messages are sentences on one line`() throws {
        for example in RuleExamples.all {
            for finding in try ValidationTests.findings(example.text) {
                #expect(finding.message.hasSuffix(".") && !finding.message.contains("\n"), "\(finding)")
                #expect(finding.message.first?.isUppercase != false || finding.message.contains(";"), "\(finding)")
            }
        }
    }

    @Test func `at most 100 findings are listed, in the order of their places`() throws {
        let fields = (0..<300).map { "nobody\($0)" }.joined(separator: "\n")
        let findings = try ValidationTests.findings("{\n\(fields)\n}")
        #expect(findings.count == 100)
        #expect(findings.map(\.line) == Array(2...101))
    }

    @Test func `fragments alone are a document for reading and writing one entity`() throws {
        #expect(try ValidationTests.findings("fragment F on Song { id }", MusicSchema.schema, .fragments) == [])
        #expect(
            try ValidationTests.findings("fragment F on Song { nobody }", MusicSchema.schema, .fragments).map(\.rule)
                == [.unknownField])
        #expect(
            try ValidationTests.findings("fragment F on Song { a: id a: title }", MusicSchema.schema, .fragments).map(
                \.rule)
                == [.conflictingFields])
    }

    @Test func `the operation that a request means`() throws {
        let two = try DocumentParser.parseExecutable(Array("query A { a }\nquery B { b }".utf8))
        #expect(try two.operation(named: "B").place == SourcePlace(line: 2, column: 1))
        #expect(
            throws: DocumentError(
                .invalidParams, "The document has no operation C; pass the name of one that it has.")
        ) {
            try two.operation(named: "C")
        }
        for name in [nil, ByteString("")] {
            #expect {
                try two.operation(named: name)
            } throws: { error in
                let error = error as? DocumentError
                return error?.code == .invalidDocument && error?.findings.map(\.rule) == [.ambiguousOperation]
            }
        }
        let one = try DocumentParser.parseExecutable(Array("{ a }".utf8))
        #expect(try one.operation(named: nil).kind == .query)
        #expect(throws: DocumentError.self) { try one.operation(named: "A") }
    }

    @Test func `random documents for the schema are judged, and never trap`() throws {
        var good = 0
        for seed in UInt64(0)..<1_500 {
            var typed = TypedGenerator(SeededGenerator(seed: seed, index: 22), MusicSchema.schema)
            let text = DocumentPrinter.text(of: typed.document())
            good += try ValidationTests.findings(String(decoding: text, as: UTF8.self)).isEmpty ? 1 : 0
            var generator = SeededGenerator(seed: seed, index: 23)
            let spoiled = try DocumentSpoiler.tokens(text, &generator)
            do throws(DocumentError) {
                let document = try DocumentParser.parseExecutable(spoiled)
                try DocumentValidator.check(document, schema: MusicSchema.schema)
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
        #expect(300...1_400 ~= good, "\(good) of 1,500 are good")
    }
}
