import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting

@testable import TidemarkGraphQLLanguage

/// Documents that make a naive comparison of fields slow.
@Suite(.pooled) struct MergingTests {
    private static let schema: GraphQLSchema = {
        do throws(GraphQLErrors) {
            return try GraphQLSchema.read(
                Array(
                    """
                    interface I { a(x: Int): I b: I c: Int }
                    type A implements I { a(x: Int): I b: I c: Int }
                    type B implements I { a(x: Int): I b: I c: Int }
                    type Query { a(x: Int): I b: I c: Int }
                    """.utf8))
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    private func check(_ text: String) -> DocumentError? {
        do throws(DocumentError) {
            let document = try DocumentParser.parseExecutable(Array(text.utf8))
            try DocumentValidator.check(document, schema: MergingTests.schema)
            return nil
        } catch {
            return error
        }
    }

    @Test func `one field ten thousand times`() {
        let text = "{" + String(repeating: "c ", count: 10_000) + "}"
        #expect(check(text) == nil)
    }

    @Test func `one field with braces five thousand times`() {
        let text = "{" + String(repeating: "a { c } ", count: 4_900) + "}"
        #expect(check(text) == nil)
    }

    @Test func `fragments that hold one another twice`() {
        var text = "{ ...F0 }"
        for number in 0..<12 {
            text += "fragment F\(number) on Query { ...F\(number + 1) ...F\(number + 1) }"
        }
        #expect(check(text + "fragment F12 on Query { c }") == nil)
    }

    @Test func `types that exclude one another, twelve levels deep`() {
        func nested(_ depth: Int) -> String {
            depth == 0 ? "c" : "a { c ... on A { \(nested(depth - 1)) } ... on B { \(nested(depth - 1)) } }"
        }
        #expect(check("{ \(nested(10)) }") == nil)
    }

    @Test func `types that may meet end at the limit of pairs`() {
        func nested(_ depth: Int) -> String {
            depth == 0 ? "c" : "a { ... on I { \(nested(depth - 1)) } ... on A { \(nested(depth - 1)) } }"
        }
        #expect(check("{ \(nested(6)) }") == nil)
        #expect(check("{ \(nested(12)) }")?.code == .limitExceeded)
    }

    @Test func `a conflict deep in fragments is found`() {
        let text = """
            { a { ... on I { ...F } ... on A { a { ... on B { b { x: c } } } } } }
            fragment F on I { a { b { x: a { c } } } }
            """
        #expect(check(text)?.findings.map(\.rule) == [.conflictingFields])
        let exclusive = """
            { a { ... on B { ...F } ... on A { a { ... on B { b { x: c } } } } } }
            fragment F on B { a { b { x: c } y: a { c } } }
            """
        #expect(check(exclusive) == nil)
    }

    @Test func `an object type on one side meets an interface on the other`() {
        for (left, right) in [("A", "I"), ("I", "A"), ("A", "A"), ("I", "I")] {
            let text =
                "{ a { ... on I { a { ... on \(left) { x: b { c } } } } ... on A { a { ... on \(right) { x: a { c } } } } } }"
            #expect(check(text)?.findings.map(\.rule) == [.conflictingFields], "\(left), \(right)")
        }
        #expect(
            check("{ a { ... on I { a { ... on B { x: b { c } } } } ... on A { a { ... on A { x: a { c } } } } } }")
                == nil)
    }

    /// FieldsInSetCanMerge as the specification writes it, each pair by itself.
    private struct Naive {
        var document: ExecutableDocument
        var schema: GraphQLSchema
        var fragments: [ByteString: FragmentDefinition]

        typealias Found = (field: Field, parent: SchemaTypeID?, definition: SchemaField?)

        func collect(_ selections: [Selection], _ parent: SchemaTypeID?) -> [Found] {
            selections.flatMap { selection -> [Found] in
                switch selection {
                case .field(let field):
                    return [(field, parent, parent.flatMap { schema.field(field.name.text, of: $0) })]
                case .inline(let fragment):
                    return collect(
                        fragment.selections, fragment.typeCondition.map { schema.id($0.text) } ?? parent)
                case .spread(let spread):
                    guard let fragment = fragments[spread.name.text] else { return [] }
                    return collect(fragment.selections, schema.id(fragment.typeCondition.text))
                }
            }
        }

        func below(_ found: Found) -> [Found] { collect(found.field.selections, found.definition?.type.named) }

        func canMerge(_ set: [Found]) -> Bool {
            for left in set.indices {
                for right in set.indices
                where right > left && set[left].field.responseName == set[right].field.responseName {
                    let (one, two) = (set[left], set[right])
                    if !haveSameShape(one, two) { return false }
                    let isExclusive =
                        one.parent != two.parent
                        && [one.parent, two.parent].allSatisfy { $0.map { schema[$0].kind == .object } ?? false }
                    guard !isExclusive else { continue }
                    guard one.field.name.text == two.field.name.text,
                        arguments(one.field) == arguments(two.field), canMerge(below(one) + below(two))
                    else { return false }
                }
            }
            return set.allSatisfy { canMergeAlone($0) }
        }

        private func canMergeAlone(_ found: Found) -> Bool { found.field.selections.isEmpty || canMerge(below(found)) }

        private func arguments(_ field: Field) -> [ByteString: Value] {
            Dictionary(field.arguments.map { ($0.name.text, $0.value.withoutPlaces) }) { $1 }
        }

        private func haveSameShape(_ left: Found, _ right: Found) -> Bool {
            if let one = left.definition?.type, let two = right.definition?.type {
                var (one, two) = (one, two)
                while true {
                    switch (one, two) {
                    case (.nonNull(let inner), .nonNull(let other)), (.list(let inner), .list(let other)):
                        (one, two) = (inner, other)
                        continue
                    case (.named(let inner), .named(let other)):
                        if !schema[inner].isComposite || !schema[other].isComposite {
                            if inner != other { return false }
                        }
                    default: return false
                    }
                    break
                }
            }
            let merged = below(left) + below(right)
            for one in merged.indices {
                for two in merged.indices
                where two > one
                    && merged[one].field.responseName == merged[two].field.responseName
                {
                    if !haveSameShape(merged[one], merged[two]) { return false }
                }
            }
            return true
        }
    }

    @Test func `random documents merge as the specification's own words say`() throws {
        var conflicts = 0
        for seed in UInt64(0)..<1_500 {
            var typed = TypedGenerator(SeededGenerator(seed: seed, index: 24), MusicSchema.schema, boldness: 5)
            let text = DocumentPrinter.text(of: typed.document())
            guard text.count < 4_000 else { continue }
            let document = try DocumentParser.parseExecutable(text)
            let naive = Naive(
                document: document, schema: MusicSchema.schema,
                fragments: Dictionary(document.fragments.map { ($0.name.text, $0) }) { first, _ in first })
            let wanted = document.operations.allSatisfy { operation in
                naive.canMerge(naive.collect(operation.selections, MusicSchema.schema.roots[operation.kind]))
            }
            let findings = try ValidationTests.findings(String(decoding: text, as: UTF8.self))
            let found = findings.contains { $0.rule == .conflictingFields }
            conflicts += found ? 1 : 0
            // Fragments that nothing spreads are looked at as well.
            guard document.fragments.isEmpty || !findings.contains(where: { $0.rule == .unusedFragment }) else {
                continue
            }
            #expect(found == !wanted, "seed \(seed): \(findings)\n\(String(decoding: text, as: UTF8.self))")
        }
        #expect(conflicts > 100, "\(conflicts) documents have conflicts")
    }
}
