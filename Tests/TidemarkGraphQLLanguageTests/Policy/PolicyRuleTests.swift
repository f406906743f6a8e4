import TestTraits
import Testing
import TidemarkGraphQLLanguage
import TidemarkModel

/// The meaning of directives, by examples.
@Suite(.pooled) struct PolicyRuleTests {
    private static let song = """
        type Song @cacheControl(maxAge: 3600) {
          title: String
          description: String @cacheControl(maxAge: 900)
          artist: Artist
        }
        type Artist { name: String genre: String @cacheControl(maxAge: 60) }
        """

    @Test func `a read's own directives are more specific than the schema's`() throws {
        let policy = try policy(PolicyRuleTests.song)
        let read = OperationAges([("Song.description", 300), ("Song.artist", 900)])
        let root = policy.rootLimit(of: "Song", operation: read)
        func limit(_ path: [ByteString], _ operation: OperationAges) -> AgeLimit? {
            policy.limit(of: path, from: "Song", reachedWith: root, operation: operation)
        }
        let byField = { AgeLimit(seconds: $0, origin: .operationField) }
        #expect(root == AgeLimit(seconds: 3_600, origin: .schemaType))
        #expect(limit(["title"], read) == root)
        #expect(limit(["description"], read) == byField(300))
        #expect(limit(["artist"], read) == byField(900))
        #expect(limit(["artist", "name"], read) == byField(900))
        #expect(limit(["artist", "genre"], read) == byField(900))

        let other = OperationAges()
        #expect(limit(["description"], other) == AgeLimit(seconds: 900, origin: .schemaField))
        #expect(limit(["artist"], other) == .unlimited)
        #expect(limit(["artist", "name"], other) == .unlimited)
        #expect(limit(["artist", "genre"], other) == AgeLimit(seconds: 60, origin: .schemaField))
    }

    @Test func `the most specific of four directives holds`() throws {
        let field = "type A { b: B @cacheControl(maxAge: 2) } type B @cacheControl(maxAge: 1) { c: Int }"
        let policy = try policy(field)
        let plain = try self.policy("type A { b: B } type B @cacheControl(maxAge: 1) { c: Int }")
        let byType = OperationAges([("B", 3)])
        let byField = OperationAges([("B", 3), ("A.b", 4)])
        func limit(_ policy: CachePolicy, _ operation: OperationAges) -> AgeLimit {
            policy.limit(of: "b", in: "A", reachedWith: AgeLimit(seconds: 9, origin: .schemaType), operation: operation)
        }
        #expect(limit(plain, OperationAges()) == AgeLimit(seconds: 1, origin: .schemaType))
        #expect(limit(policy, OperationAges()) == AgeLimit(seconds: 2, origin: .schemaField))
        #expect(limit(policy, byType) == AgeLimit(seconds: 3, origin: .operationType))
        #expect(limit(policy, byField) == AgeLimit(seconds: 4, origin: .operationField))
    }

    @Test func `a composite field takes its parent's limit only when it inherits`() throws {
        let policy = try policy(
            """
            type Album @cacheControl(maxAge: 100) {
              first: Song @cacheControl(inheritMaxAge: true)
              second: Song
              third: Cover
              fourth: [Song!]! @cacheControl(cascadeDeletion: true)
              fifth: Free
            }
            type Song @cacheControl(maxAge: 20) { title: String }
            type Cover @cacheControl(inheritMaxAge: true) { url: String }
            type Free { a: Int }
            """)
        let root = AgeLimit(seconds: 7, origin: .operationType)
        func limit(_ path: ByteString...) -> AgeLimit? { policy.limit(of: path, from: "Album", reachedWith: root) }
        #expect(limit("first") == root && limit("first", "title") == root)
        #expect(limit("second", "title") == AgeLimit(seconds: 20, origin: .schemaType))
        #expect(limit("third") == root && limit("third", "url") == root)
        #expect(limit("fourth", "title") == AgeLimit(seconds: 20, origin: .schemaType))
        #expect(limit("fifth") == .unlimited && limit("fifth", "a") == .unlimited)
        #expect(limit("first", "title", "none") == nil && limit("none", "title") == nil)
        #expect(limit("none") == root)
        #expect(policy.rootLimit(of: "Cover") == .unlimited && policy.rootLimit(of: "Nobody") == .unlimited)
        #expect(policy.type("Album")?.fields.map(\.cascades) == [false, false, false, true, false])
        #expect(policy.field("fourth", of: "Album")?.target == .composite("Song"))
    }

    @Test func `age zero is always stale, and without an age nothing is stale`() throws {
        let policy = try policy("type A @cacheControl(maxAge: 0) { a: Int @cacheControl(maxAge: 2147483647) } type B")
        #expect(policy.rootLimit(of: "A") == AgeLimit(seconds: 0, origin: .schemaType))
        #expect(policy.field("a", of: "A")?.age == .seconds(2_147_483_647))
        #expect(policy.type("B") == TypePolicy(name: "B", kind: .object, age: nil, source: .none, fields: []))
    }

    @Test func `the rule of the actual type comes before that of the declared type`() throws {
        let policy = try policy(
            """
            type Query { a: Media b: Any c: Media @cacheControl(maxAge: 5) }
            interface Media @cacheControl(maxAge: 1) { id: ID }
            type Song implements Media @cacheControl(maxAge: 2) { id: ID }
            type Book implements Media { id: ID }
            type Free { id: ID }
            union Any @cacheControl(maxAge: 3) = Song | Free
            """)
        func limit(_ field: ByteString, _ found: ByteString?, _ ages: [(ByteString, Int)] = []) -> Int? {
            policy.limit(
                of: field, in: "Query", reachedWith: .unlimited,
                operation: OperationAges(ages.map { (name: $0.0, seconds: $0.1) }), found: found
            ).seconds
        }
        #expect(limit("a", nil) == 1 && limit("a", "Song") == 2 && limit("a", "Book") == 1)
        #expect(limit("b", nil) == 3 && limit("b", "Song") == 2 && limit("b", "Free") == 3)
        #expect(limit("c", "Song") == 5)
        #expect(limit("a", "Song", [("Media", 8)]) == 8 && limit("a", "Song", [("Media", 8), ("Song", 9)]) == 9)
    }

    @Test func `interfaces hand their directives to implementers that have none`() throws {
        let policy = try policy(
            """
            interface Node @cacheControl(maxAge: 10) {
              id: ID @cacheControl(maxAge: 1)
              owner: User @cacheControl(cascadeDeletion: true)
              kind: Kind
            }
            interface Media implements Node { id: ID owner: User kind: Kind url: String @cacheControl(maxAge: 2) }
            type Song implements Media & Node { id: ID owner: User @cacheControl(maxAge: 3) kind: Kind url: String }
            type Book implements Node @cacheControl(inheritMaxAge: false) { id: ID @cacheControl(maxAge: 4) }
            type User
            enum Kind { A }
            """)
        #expect(
            policy
                == CachePolicy(types: [
                    TypePolicy(
                        name: "Node", kind: .interface, age: .seconds(10), source: .own,
                        fields: [
                            field("id", .scalar("ID"), .seconds(1), .own),
                            field("owner", .composite("User"), nil, .own, cascades: true),
                            field("kind", .scalar("Kind"), nil, .none),
                        ]),
                    TypePolicy(
                        name: "Media", kind: .interface, age: .seconds(10), source: .interface("Node"),
                        fields: [
                            field("id", .scalar("ID"), .seconds(1), .interface("Node")),
                            field("owner", .composite("User"), nil, .interface("Node"), cascades: true),
                            field("kind", .scalar("Kind"), nil, .none),
                            field("url", .scalar("String"), .seconds(2), .own),
                        ]),
                    TypePolicy(
                        name: "Song", kind: .object, age: .seconds(10), source: .interface("Node"),
                        fields: [
                            field("id", .scalar("ID"), .seconds(1), .interface("Node")),
                            field("owner", .composite("User"), .seconds(3), .own),
                            field("kind", .scalar("Kind"), nil, .none),
                            field("url", .scalar("String"), .seconds(2), .interface("Media")),
                        ]),
                    TypePolicy(
                        name: "Book", kind: .object, age: nil, source: .own,
                        fields: [
                            field("id", .scalar("ID"), .seconds(4), .own),
                            field("owner", .composite("User"), nil, .interface("Node"), cascades: true),
                            field("kind", .scalar("Kind"), nil, .none),
                        ]),
                    TypePolicy(name: "User", kind: .object, age: nil, source: .none, fields: []),
                ]))
    }

    @Test func `an interface overrules those that it implements, and equal rules do not conflict`() throws {
        let policy = try policy(
            """
            type A implements Inner & Outer & Other { id: ID }
            interface Inner implements Outer @cacheControl(maxAge: 1) { id: ID @cacheControl(maxAge: 5) }
            interface Outer @cacheControl(maxAge: 2) { id: ID @cacheControl(maxAge: 6) }
            interface Other @cacheControl(maxAge: 1) { id: ID }
            """)
        #expect(
            policy.type("A")
                == TypePolicy(
                    name: "A", kind: .object, age: .seconds(1), source: .interface("Inner"),
                    fields: [field("id", .scalar("ID"), .seconds(5), .interface("Inner"))]))
    }

    @Test func `a rule may be set from outside, before or after the definition`() throws {
        let policy = try policy(
            """
            extend type Song @cacheControlField(name: "title", maxAge: 5) @cacheControlField(name: "artist",
              inheritMaxAge: true, cascadeDeletion: true)
            type Song { title: String artist: Artist }
            extend type Song { length: Int }
            type Artist @cacheControlField(name: "song", cascadeDeletion: true) { song: [Song] }
            extend interface Node @cacheControlField(name: \"\"\"id\"\"\", maxAge: 6) @cacheControl(maxAge: 7)
            interface Node { id: ID }
            extend type Song @cacheControl(maxAge: 8) @cacheControlField(maxAge: 9, name: "length")
            """)
        #expect(
            policy
                == CachePolicy(types: [
                    TypePolicy(
                        name: "Song", kind: .object, age: .seconds(8), source: .own,
                        fields: [
                            field("title", .scalar("String"), .seconds(5), .own),
                            field("artist", .composite("Artist"), .inherited, .own, cascades: true),
                            field("length", .scalar("Int"), .seconds(9), .own),
                        ]),
                    TypePolicy(
                        name: "Artist", kind: .object, age: nil, source: .none,
                        fields: [field("song", .composite("Song"), nil, .own, cascades: true)]),
                    TypePolicy(
                        name: "Node", kind: .interface, age: .seconds(7), source: .own,
                        fields: [field("id", .scalar("ID"), .seconds(6), .own)]),
                ]))
    }

    @Test func `other directives and their definitions have no effect`() throws {
        let plain = try policy("type A { a: Int }")
        let decorated = try policy(
            """
            directive @cacheControl(maxAge: Int, inheritMaxAge: Boolean, cascadeDeletion: Boolean)
              on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
            directive @key(fields: String!) repeatable on OBJECT
            schema @link(url: "x") { query: A }
            type A @key(fields: "a") @key(fields: "b") { a(b: Unheard = {c: [1]} @d): Int @deprecated(reason: "x") }
            input I { a: Nowhere }
            """)
        #expect(plain == decorated)
    }

    @Test func `names with dots in a read name types and fields`() {
        let ages = OperationAges([("a", 1), ("a.b", 2), ("a.b.c", 3)])
        #expect(ages.seconds(type: "a") == 1 && ages.seconds(type: "a.b") == 2 && ages.seconds(type: "b") == nil)
        #expect(ages.seconds(field: "b", of: "a") == 2 && ages.seconds(field: "c", of: "a.b") == 3)
        #expect(ages.seconds(field: "b.c", of: "a") == 3 && ages.seconds(field: "a", of: "a") == nil)
    }

    private func policy(_ text: String) throws -> CachePolicy { try CachePolicy.read(Array(text.utf8)) }

    private func field(
        _ name: ByteString, _ target: FieldPolicy.Target, _ age: AgeRule?, _ source: RuleSource, cascades: Bool = false
    ) -> FieldPolicy {
        FieldPolicy(name: name, target: target, age: age, cascades: cascades, source: source)
    }
}
