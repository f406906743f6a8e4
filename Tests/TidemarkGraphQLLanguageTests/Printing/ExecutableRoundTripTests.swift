import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting

@testable import TidemarkGraphQLLanguage

@Suite(.pooled) struct ExecutableRoundTripTests {
    static func document(seed: UInt64) -> ExecutableDocument {
        var generator = ExecutableGenerator(generator: SeededGenerator(seed: seed, index: 20))
        return generator.document()
    }

    @Test(arguments: [DocumentPrinter.Style.canonical, .minified])
    func `a printed document parses to what was printed`(style: DocumentPrinter.Style) {
        for seed in UInt64(0)..<3_000 {
            let document = ExecutableRoundTripTests.document(seed: seed)
            let text = DocumentPrinter.text(of: document, style: style)
            do throws(DocumentError) {
                let read = try DocumentParser.parseExecutable(text)
                guard read.withoutPlaces != document else { continue }
                Issue.record("seed \(seed) reads as something else:\n\(String(decoding: text, as: UTF8.self))")
            } catch {
                Issue.record("seed \(seed) is refused, \(error):\n\(String(decoding: text, as: UTF8.self))")
            }
            return
        }
    }

    @Test func `both prints are stable, and the minified one is the shorter`() throws {
        for seed in UInt64(0)..<500 {
            let document = ExecutableRoundTripTests.document(seed: seed)
            let canonical = DocumentPrinter.text(of: document)
            let minified = DocumentPrinter.text(of: document, style: .minified)
            #expect(minified.count <= canonical.count)
            let fromMinified = try DocumentParser.parseExecutable(minified)
            #expect(DocumentPrinter.text(of: fromMinified) == canonical, "seed \(seed)")
            let fromCanonical = try DocumentParser.parseExecutable(canonical)
            #expect(DocumentPrinter.text(of: fromCanonical, style: .minified) == minified, "seed \(seed)")
        }
    }

    @Test func `the two layouts of a document`() throws {
        let text = """
            query A($a:[Int!]!=[1 2]@x,$b:S="q"){h:hero(id:$a,in:{a:1 b:[]})@include(if:true){...F ...on T@defer{x}...{y}}}
            fragment F on T@k{z}
            """
        let document = try DocumentParser.parseExecutable(Array(text.utf8))
        #expect(
            String(decoding: DocumentPrinter.text(of: document), as: UTF8.self) == """
                query A($a: [Int!]! = [1, 2] @x, $b: S = "q") {
                  h: hero(id: $a, in: {a: 1, b: []}) @include(if: true) {
                    ...F
                    ... on T @defer {
                      x
                    }
                    ... {
                      y
                    }
                  }
                }

                fragment F on T @k {
                  z
                }

                """)
        #expect(
            String(decoding: DocumentPrinter.text(of: document, style: .minified), as: UTF8.self)
                == "query A($a:[Int!]!=[1 2]@x$b:S=\"q\"){h:hero(id:$a in:{a:1 b:[]})@include(if:true){...F...on T@defer{x}...{y}}}fragment F on T@k{z}"
        )
    }

    @Test func `strings that follow one another stay apart`() throws {
        let document = try DocumentParser.parseExecutable(Array(#"{a(b:["" "x" """ y""" ""])}"#.utf8))
        for style in DocumentPrinter.Style.allCases {
            let read = try DocumentParser.parseExecutable(DocumentPrinter.text(of: document, style: style))
            #expect(read.withoutPlaces == document.withoutPlaces)
        }
    }

    @Test func `a block string that no document can hold is printed with quotes`() throws {
        for text in ["\u{7}", "a\rb", "\n", "  a\n  b", " ", "a\n"] {
            let value = Value(.string(StringValue(ByteString(text), isBlock: true, at: .none)), at: .none)
            var printer = DocumentPrinter(.canonical)
            printer.write(value)
            let document = try DocumentParser.parseExecutable(Array("{a(b:".utf8) + printer.bytes + Array(")}".utf8))
            guard case .field(let field) = document.operations[0].selections[0],
                case .string(let string) = field.arguments[0].value.kind
            else { throw DocumentError(.invalidDocument, "no string") }
            #expect(string.text == ByteString(text), "\(text.debugDescription)")
        }
    }
}
