import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkGraphQLLanguage

@Suite(.pooled) struct IdentityRuleTests {
    private func rules(_ text: String) throws -> IdentityRules {
        try IdentityRules.read(DocumentParser.parse(Array(text.utf8)))
    }

    @Test func `key fields are those that a type names, else id`() throws {
        let rules = try rules(
            """
            type Book @typePolicy(keyFields: "isbn", events: MERGE) { isbn: ID! }
            type Person @typePolicy(keyFields: " first\\n last ") { first: String last: String }
            type Song @typePolicy(events: REPLACE) { id: ID }
            """)
        #expect(rules.keyFields(of: "Book") == ["isbn"] && rules.mergesEvents(of: "Book"))
        #expect(rules.keyFields(of: "Person") == ["first", "last"])
        #expect(rules.keyFields(of: "Song") == ["id"] && !rules.mergesEvents(of: "Song"))
        #expect(rules.keyFields(of: "Nobody") == ["id"])
    }

    @Test func `interfaces hand their keys down, the nearest first`() throws {
        let rules = try rules(
            """
            interface A @typePolicy(keyFields: "a") { a: ID }
            interface B implements A @typePolicy(keyFields: "b") { a: ID b: ID }
            interface C implements B & A { a: ID b: ID }
            type X implements A { a: ID }
            type Y implements A & B { a: ID b: ID }
            type Z implements C & B & A { a: ID b: ID }
            type Own implements A @typePolicy(keyFields: "o") { a: ID o: ID }
            """)
        #expect(rules.keyFields(of: "X") == ["a"])
        #expect(rules.keyFields(of: "Y") == ["b"])
        #expect(rules.keyFields(of: "Z") == ["b"])
        #expect(rules.keyFields(of: "Own") == ["o"])
    }

    @Test func `a policy speaks of types of a schema, and stands above it`() throws {
        let policy = try rules(
            """
            interface Node @typePolicy(keyFields: "key") { key: ID }
            type Book @typePolicy(keyFields: "number") { number: ID }
            """)
        let schema = try GraphQLSchema.read(
            Array(
                """
                interface Node { key: ID } type Song implements Node { key: ID }
                type Book @typePolicy(keyFields: "isbn", events: MERGE) { isbn: ID number: ID } type Query { a: Song }
                """.utf8), policy: policy)
        #expect(schema.identity.keyFields(of: "Song") == ["key"])
        #expect(schema.identity.keyFields(of: "Book") == ["number"])
        #expect(schema.identity.mergesEvents(of: "Book"))
    }

    @Test func `look-ups and lists that grow`() throws {
        let rules = try rules(
            """
            type Query { book(isbn: ID!, x: Int): Int photos(owner: ID): Int }
            extend type Query @fieldPolicy(forField: "book", keyArgs: "isbn x")
              @fieldPolicy(forField: "photos", membership: {where: {path: "/owner", eq: "$owner"}})
            """)
        #expect(rules.lookup("book", of: "Query")?.keyArguments == ["isbn", "x"])
        let membership = rules.lookup("photos", of: "Query")?.membership
        #expect(
            membership.flatMap { InputValue($0, variables: [:]) }?.json == #"{"where":{"eq":"$owner","path":"/owner"}}"#
        )
        #expect(rules.lookup("book", of: "Song") == nil)
    }

    static let refusals: [(String, GraphQLError.Code)] = [
        ("type A @typePolicy { a: Int }", .emptyDirective),
        ("type A @typePolicy(keyFields: 1) { a: Int }", .badArgument),
        ("type A @typePolicy(keyFields: \"\") { a: Int }", .badArgument),
        ("type A @typePolicy(keyFields: \"a a\") { a: Int }", .badArgument),
        ("type A @typePolicy(keyFields: \"a { b }\") { a: Int }", .badArgument),
        ("type A @typePolicy(keyFields: \"b\") { a: Int }", .unknownField),
        ("type A @typePolicy(keyFields: \"a\") { a(b: Int): Int }", .badArgument),
        ("type A @typePolicy(events: SKIP) { a: Int }", .badArgument),
        ("type A @typePolicy(keys: \"a\") { a: Int }", .unknownArgument),
        ("type A @typePolicy(keyFields: \"a\", keyFields: \"a\") { a: Int }", .duplicateArgument),
        ("type A @typePolicy(keyFields: \"a\") @typePolicy(keyFields: \"a\") { a: Int }", .duplicateDirective),
        ("union U @typePolicy(keyFields: \"a\") = A type A { a: Int }", .misplacedDirective),
        ("interface I @fieldPolicy(forField: \"a\", keyArgs: \"b\") { a(b: Int): Int }", .misplacedDirective),
        ("type A @fieldPolicy(forField: \"a\") { a: Int }", .emptyDirective),
        ("type A @fieldPolicy(keyArgs: \"b\") { a(b: Int): Int }", .missingArgument),
        ("type A @fieldPolicy(forField: \"x\", keyArgs: \"b\") { a(b: Int): Int }", .unknownField),
        ("type A @fieldPolicy(forField: \"a\", keyArgs: \"c\") { a(b: Int): Int }", .unknownArgument),
        ("type A @fieldPolicy(forField: \"a\", membership: 1) { a: Int }", .badArgument),
        (
            "interface A @typePolicy(keyFields: \"a\") { a: Int } interface B @typePolicy(keyFields: \"b\") { b: Int } "
                + "type C implements A & B { a: Int b: Int }", .interfaceConflict
        ),
    ]

    @Test(arguments: refusals.indices) func `directives that say nothing sensible are refused`(_ index: Int) {
        let (text, code) = IdentityRuleTests.refusals[index]
        #expect {
            try rules(text)
        } throws: { error in
            (error as? GraphQLErrors)?.errors.map(\.code) == [code]
        }
    }
}
