import TestTraits
import Testing
import TidemarkGraphQLLanguage
import TidemarkTesting

@Suite(.pooled) struct RoundTripTests {
    @Test func `a document in any layout is read as written, with the place of every word`() throws {
        for seed in UInt64(0)..<2_000 {
            var document = RoundTripTests.document(seed: seed)
            let text = RoundTripTests.text(&document, seed: seed)
            do throws(GraphQLError) {
                let read = try DocumentParser.parse(Array(text.utf8))
                guard read != document else { continue }
                Issue.record("seed \(seed) reads as something else:\n\(text)\nwas \(document)\nis  \(read)")
            } catch {
                Issue.record("seed \(seed) is refused, \(error):\n\(text)")
            }
            return
        }
    }

    @Test func `the documents contain every production`() {
        var productions: Set<String> = []
        for seed in UInt64(0)..<200 {
            for definition in RoundTripTests.document(seed: seed).definitions {
                switch definition {
                case .schema(let schema): productions.insert("schema \(schema.isExtension)")
                case .directive(let directive): productions.insert("directive \(directive.isRepeatable)")
                case .type(let type): productions.insert("\(type.body.keyword) \(type.isExtension)")
                }
            }
        }
        let kinds = ["schema", "directive", "scalar", "type", "interface", "union", "enum", "input"]
        #expect(productions == Set(kinds.flatMap { ["\($0) true", "\($0) false"] }))
    }

    static func document(seed: UInt64) -> Document {
        var generator = DocumentGenerator(generator: SeededGenerator(seed: seed, index: 0))
        return generator.document()
    }

    /// Writes `document` as text, and sets the places in it.
    static func text(_ document: inout Document, seed: UInt64) -> String {
        var writer = DocumentWriter(SeededGenerator(seed: seed, index: 1))
        writer.write(&document)
        return writer.text
    }
}
