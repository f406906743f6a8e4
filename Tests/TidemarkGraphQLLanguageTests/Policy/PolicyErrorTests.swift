import TestTraits
import Testing
import TidemarkGraphQLLanguage
import TidemarkModel

/// Errors in policies: their codes with line and column, and all errors of a document at once.
@Suite(.pooled) struct PolicyErrorTests {
    @Test func `rules of identity in a policy are checked with it`() throws {
        #expect(throws: Never.self) {
            try CachePolicy.read(Array("type A @typePolicy(keyFields: \"a\") { a: Int }".utf8))
        }
        #expect {
            try CachePolicy.read(Array("type A @typePolicy(keyFields: \"b\") { a: Int }".utf8))
        } throws: { error in
            (error as? GraphQLErrors)?.errors.map(\.description).first
                == "1:31: unknown_field: A.b is not declared; name key fields that the type declares"
        }
    }

    static let refusals: [(String, [String])] = [
        ("type A @cacheControl", ["1:8 empty_directive"]),
        ("type A { a: Int @cacheControl }", ["1:17 empty_directive"]),
        ("type A @cacheControl(maxAge: 1, inheritMaxAge: true)", ["1:8 age_contradiction"]),
        ("type A @cacheControl(inheritMaxAge: true, maxAge: 1.5)", ["1:8 age_contradiction", "1:51 bad_argument"]),
        ("type A @cacheControl(maxAge: -1)", ["1:30 negative_age"]),
        ("type A @cacheControl(maxAge: -99999999999999999999)", ["1:30 negative_age"]),
        ("type A @cacheControl(maxAge: 2147483648)", ["1:30 age_too_large"]),
        ("type A @cacheControl(maxAge: 99999999999999999999)", ["1:30 age_too_large"]),
        ("type A @cacheControl(maxAge: \"1\")", ["1:30 bad_argument"]),
        ("type A @cacheControl(maxAge: 1.0)", ["1:30 bad_argument"]),
        ("type A @cacheControl(maxAge: null)", ["1:30 bad_argument"]),
        ("type A @cacheControl(maxAge: [1])", ["1:30 bad_argument"]),
        ("type A @cacheControl(inheritMaxAge: 1)", ["1:37 bad_argument"]),
        ("type A @cacheControl(inheritMaxAge: TRUE)", ["1:37 bad_argument"]),
        ("type A { a: A @cacheControl(cascadeDeletion: \"true\") }", ["1:46 bad_argument"]),
        ("type A @cacheControl(maxage: 1)", ["1:22 unknown_argument"]),
        ("type A @cacheControl(name: \"a\", maxAge: 1)", ["1:22 unknown_argument"]),
        ("type A @cacheControl(maxAge: 1, maxAge: 2)", ["1:33 duplicate_argument"]),
        ("type A @cacheControl(maxAge: 1) @cacheControl(maxAge: 1)", ["1:33 duplicate_directive"]),
        ("type A @cacheControl(maxAge: 1)\nextend type A @cacheControl(maxAge: 2)", ["2:15 duplicate_directive"]),
        ("type A { a: Int @cacheControl(maxAge: 1) @cacheControl(maxAge: 1) }", ["1:42 duplicate_directive"]),
        (
            "type A @cacheControlField(name: \"a\", maxAge: 1) { a: Int @cacheControl(maxAge: 1) }",
            ["1:8 duplicate_directive"]
        ),
        (
            "type A { a: Int } extend type A @cacheControlField(name: \"a\", maxAge: 1)\n"
                + "@cacheControlField(name: \"a\", maxAge: 1)", ["2:1 duplicate_directive"]
        ),
        ("type A @cacheControlField(name: \"b\", maxAge: 1) { a: Int }", ["1:33 unknown_field"]),
        ("type A @cacheControlField(name: \"a\") { a: Int }", ["1:8 empty_directive"]),
        ("type A @cacheControlField(maxAge: 1) { a: Int }", ["1:8 missing_argument"]),
        ("type A @cacheControlField { a: Int }", ["1:8 missing_argument", "1:8 empty_directive"]),
        ("type A @cacheControlField(name: a, maxAge: 1) { a: Int }", ["1:33 bad_argument"]),
        ("type A { a: B }", ["1:13 unknown_type"]),
        ("type A { a: [[B!]!]! }", ["1:15 unknown_type"]),
        ("type A implements B", ["1:19 unknown_type"]),
        ("union U = A", ["1:11 unknown_type"]),
        ("extend type A @cacheControl(maxAge: 1)", ["1:13 unknown_type"]),
        ("type A type B\ntype A", ["2:6 duplicate_type"]),
        ("type A scalar A", ["1:15 duplicate_type"]),
        ("type A implements B type B", ["1:19 wrong_kind"]),
        ("interface A extend type A @cacheControl(maxAge: 1)", ["1:25 wrong_kind"]),
        ("type A { a: I } input I { a: Int }", ["1:13 wrong_kind"]),
        ("interface I union U = I", ["1:23 wrong_kind"]),
        ("type A { a: Int a: Int }", ["1:17 duplicate_field"]),
        ("type A { a: Int }\nextend type A { b: Int a: Int }", ["2:24 duplicate_field"]),
        ("interface A implements A", ["1:11 interface_cycle"]),
        (
            "interface A implements B interface B implements A type C implements A",
            ["1:11 interface_cycle", "1:36 interface_cycle"]
        ),
        ("scalar S @cacheControl(maxAge: 1)", ["1:10 misplaced_directive"]),
        ("extend scalar S @cacheControl(maxAge: 1) scalar S", ["1:17 misplaced_directive"]),
        (
            "enum E @cacheControl(maxAge: 1) { A @cacheControl(maxAge: 1) }",
            ["1:8 misplaced_directive", "1:37 misplaced_directive"]
        ),
        (
            "input I @cacheControl(maxAge: 1) { a: Int @cacheControl(maxAge: 1) }",
            ["1:9 misplaced_directive", "1:43 misplaced_directive"]
        ),
        ("type A { a(b: Int @cacheControl(maxAge: 1)): Int }", ["1:19 misplaced_directive"]),
        ("type A { a: Int @cacheControlField(name: \"a\", maxAge: 1) }", ["1:17 misplaced_directive"]),
        ("union U @cacheControlField(name: \"a\", maxAge: 1)", ["1:9 misplaced_directive"]),
        ("schema @cacheControl(maxAge: 1) { query: Q }", ["1:8 misplaced_directive"]),
        ("directive @a(b: Int @cacheControl(maxAge: 1)) on FIELD", ["1:21 misplaced_directive"]),
        ("type A @cacheControl(cascadeDeletion: true)", ["1:8 cascade_without_object"]),
        ("type A { a: Int @cacheControl(cascadeDeletion: true) }", ["1:17 cascade_without_object"]),
        ("type A { a: [I] @cacheControl(cascadeDeletion: true) } interface I", ["1:17 cascade_without_object"]),
        ("type A { a: U @cacheControl(cascadeDeletion: true) } union U = A", ["1:15 cascade_without_object"]),
        ("type A @cacheControlField(name: \"a\", cascadeDeletion: true) { a: Int }", ["1:8 cascade_without_object"]),
        (
            "interface I { a: B @cacheControl(cascadeDeletion: true) } type B type A implements I { a: I }",
            ["1:88 cascade_without_object"]
        ),
        (
            "type C implements A & B { a: Int }\ninterface A @cacheControl(maxAge: 1)\ninterface B @cacheControl(maxAge: 2)",
            ["1:6 interface_conflict"]
        ),
        (
            "interface A { a: Int @cacheControl(maxAge: 1) }\ninterface B { a: Int @cacheControl(maxAge: 2) }\n"
                + "type C implements A & B { a: Int }\ntype D implements A & B",
            ["3:27 interface_conflict", "4:6 interface_conflict"]
        ),
        (
            "interface A @cacheControl(maxAge: 1) interface B @cacheControl(inheritMaxAge: true) interface C implements A & B type D implements C",
            ["1:95 interface_conflict"]
        ),
        ("type", ["1:5 unexpected_token"]),
    ]

    @Test(arguments: refusals)
    func `an error against the rules is reported with its line and column`(text: String, wanted: [String]) {
        #expect(errors(text).map { "\($0.line):\($0.column) \($0.code.rawValue)" } == wanted)
    }

    @Test func `every code of a policy has an example`() {
        let seen = Set(PolicyErrorTests.refusals.flatMap { errors($0.0).map(\.code) })
        let grammar = SyntaxErrorTests.characters + SyntaxErrorTests.tokens
        let elsewhere: Set<GraphQLError.Code> = [
            .invalidUTF8, .documentTooLong, .tooDeep, .tooManyDefinitions, .tooManyMembers, .nameTooLong,
            .tooManyInterfaces,
        ]
        #expect(seen.union(grammar.map(\.code)).union(elsewhere) == Set(GraphQLError.Code.allCases))
    }

    @Test func `two interfaces that disagree are both named, with the places of their directives`() {
        let text = """
            interface Node @cacheControl(maxAge: 60)
            interface Media { title: String @cacheControl(maxAge: 30) }
            interface Timed @cacheControl(maxAge: 90) { title: String @cacheControl(inheritMaxAge: true) }
            type Song implements Node & Media & Timed { title: String }
            """
        #expect(
            errors(text).map(\.message) == [
                "Song gets @cacheControl(maxAge: 60) from Node at 1:16 and @cacheControl(maxAge: 90) from Timed at 3:17; "
                    + "give Song a rule of its own",
                "Song.title gets @cacheControl(maxAge: 30) from Media.title at 2:33 and "
                    + "@cacheControl(inheritMaxAge: true) from Timed.title at 3:59; give Song.title a rule of its own",
            ])
        #expect(errors(text.replacing("& Timed", with: "")) == [])
    }

    @Test func `all errors are reported, in the order of their places`() {
        let text = """
            extend type Nobody @cacheControl(maxAge: 1)
            type A @cacheControl { a: Nowhere @cacheControl(maxAge: -1) }
            type B @cacheControlField(name: "x", maxAge: 1) { b: Int @cacheControl(cascadeDeletion: true, other: 1) }
            """
        #expect(
            errors(text).map { "\($0.line):\($0.column) \($0.code.rawValue)" } == [
                "1:13 unknown_type", "2:8 empty_directive", "2:27 unknown_type", "2:57 negative_age",
                "3:33 unknown_field", "3:58 cascade_without_object", "3:95 unknown_argument",
            ])
    }

    @Test func `the first thousand errors are kept, all are counted`() throws {
        let text = "type A {" + (0..<1_500).map { "a\($0): B " }.joined() + "}"
        do throws(GraphQLErrors) {
            _ = try CachePolicy.read(Array(text.utf8))
            Issue.record("an unknown type was accepted")
        } catch {
            #expect(error.count == 1_500 && error.errors.count == 1_000)
        }
    }

    @Test func `the fields that interfaces hand down are bounded`() {
        let text = "interface I { a: Int b: Int c: Int } " + (0..<4).map { "type T\($0) implements I " }.joined()
        var limits = DocumentLimits()
        limits.memberCountMax = 15
        #expect(errors(text, limits) == [])
        limits.memberCountMax = 14
        #expect(errors(text, limits).map { "\($0.column) \($0.code)" } == ["106 tooManyMembers"])
    }

    @Test func `a type has at most 256 interfaces, and long chains of them are safe`() {
        let names = (0..<257).map { "I\($0)" }
        let interfaces = names.map { "interface \($0) " }.joined()
        #expect(errors(interfaces + "type A implements " + names.dropLast().joined(separator: "&")) == [])
        #expect(
            errors(interfaces + "type A implements " + names.joined(separator: "&")).map(\.code) == [.tooManyInterfaces]
        )

        let chain = (1..<20_000).map { "interface I\($0) implements I\($0 - 1) " }.joined()
        let text = "interface I0 @cacheControl(maxAge: 3) { a: Int } \(chain) type A implements I19999"
        let policy = try? CachePolicy.read(Array(text.utf8))
        #expect(policy?.type("A")?.source == .interface("I0") && policy?.field("a", of: "A") != nil)
        let circle = chain + "interface I0 implements I19999"
        #expect(errors(circle).count == 1_000)
    }

    private func errors(_ text: String, _ limits: DocumentLimits = DocumentLimits()) -> [GraphQLError] {
        do throws(GraphQLErrors) {
            _ = try CachePolicy.read(Array(text.utf8), limits: limits)
            return []
        } catch {
            return error.errors
        }
    }
}
