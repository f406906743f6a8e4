import Foundation
import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkGraphQLLanguage

@Suite(.pooled) struct SchemaTests {
    private func names(_ ids: [SchemaTypeID], _ schema: GraphQLSchema = MusicSchema.schema) -> [String] {
        ids.map { schema[$0].name.description }
    }

    @Test func `types know what they are and what they can be`() throws {
        let schema = MusicSchema.schema
        let node = try #require(schema.type("Node"))
        #expect(node.kind == .interface && names(node.possibleTypes) == ["Artist", "Song"])
        #expect(names(try #require(schema.type("Named")).possibleTypes) == ["Artist"])
        #expect(names(try #require(schema.type("Thing")).possibleTypes) == ["Song", "Book", "Place"])
        #expect(names(try #require(schema.type("Artist")).interfaces) == ["Node", "Named"])
        #expect(schema.type("Genre")?.values == ["ROCK", "JAZZ"])
        #expect(schema.type("SongInput")?.inputs["title"]?.isRequired == true)
        #expect(schema.type("SongInput")?.inputs["seconds"]?.isRequired == false)
        #expect(
            schema.roots.mapValues { schema[$0].name } == [
                .query: "Query", .mutation: "Mutation", .subscription: "Subscription",
            ])
        let song = try #require(schema.type("Song"))
        #expect(song.field("tags").map { schema.text(of: $0.type) } == "[[String]]")
        #expect(schema.id("__Root") == nil && schema.id("__Type") != nil)
    }

    @Test func `roots have the usual names where the schema says nothing`() throws {
        let schema = try GraphQLSchema.read(
            Array("type Query { a: Int } type Mutation { b: Int } interface Subscription { c: Int }".utf8))
        #expect(Set(schema.roots.keys) == [.query, .mutation])
        let own = try GraphQLSchema.read(Array("schema { query: Q } type Q { a: Int } type Mutation { b: Int }".utf8))
        #expect(own.roots.mapValues { own[$0].name } == [.query: "Q"])
        let extended = try GraphQLSchema.read(
            Array("schema { query: Q } extend schema { mutation: M } type Q { a: Int } type M { b: Int }".utf8))
        #expect(extended.roots.count == 2)
    }

    @Test func `extensions add to their types`() throws {
        let schema = try GraphQLSchema.read(
            Array(
                """
                "the root" type Query { a: U "of b" b(c: E = X): I }
                extend type Query implements I & I { id: ID } interface I { id: ID } extend interface I { x: Int }
                union U = Query extend union U = B type B { x: In2 } scalar In2
                enum E { X } extend enum E { Y } input In { a: Int } extend input In { b: Int }
                """.utf8))
        let query = try #require(schema.type("Query"))
        #expect(query.fields.map(\.name) == ["a", "b", "id"] && names(query.interfaces, schema) == ["I"])
        #expect(query.description == "the root" && query.field("b")?.description == "of b")
        #expect(names(try #require(schema.type("U")).possibleTypes, schema) == ["Query", "B"])
        #expect(schema.type("E")?.values == ["X", "Y"])
        #expect(schema.type("In")?.inputs.all.map(\.name) == ["a", "b"])
    }

    @Test func `a long chain of interfaces takes no longer than its text`() throws {
        var text = "type Query { a: Int } interface I0 @typePolicy(keyFields: \"a\") { a: Int }"
        for number in 1...20_000 { text += "interface I\(number) implements I\(number - 1) { a: Int }" }
        let schema = try GraphQLSchema.read(Array((text + "type T implements I20000 { a: Int }").utf8))
        #expect(schema.identity.keyFields(of: "T") == ["a"])
    }

    static let refusals: [(String, GraphQLError.Code, String)] = [
        ("type Query { a: Nobody }", .unknownType, "1:17"),
        ("type Query { a(b: Nobody): Int }", .unknownType, "1:19"),
        ("type Query { a(b: Query): Int }", .wrongKind, "1:19"),
        ("type Query { a: In } input In { b: Int }", .wrongKind, "1:17"),
        ("type Query { a: Int a: Int }", .duplicateField, "1:21"),
        ("type Query { a(b: Int, b: Int): Int }", .duplicateArgument, "1:24"),
        ("type Query { a: Int } type Query { b: Int }", .duplicateType, "1:28"),
        ("extend type Query { a: Int }", .unknownType, "1:13"),
        ("type Query { a: Int } extend union Query = Query", .wrongKind, "1:36"),
        ("type Query implements U { a: Int } union U = Query", .wrongKind, "1:23"),
        ("union U = I interface I { a: Int }", .wrongKind, "1:11"),
        ("schema { query: I } interface I { a: Int }", .wrongKind, "1:17"),
        ("schema { query: Nobody }", .unknownType, "1:17"),
        ("schema { query: A } extend schema { query: B } type A { a: Int } type B { a: Int }", .duplicateType, "1:37"),
        ("interface A implements B { a: Int } interface B implements A { a: Int }", .interfaceCycle, "1:11"),
        ("directive @a on FIELD directive @a on FIELD", .duplicateDirective, "1:34"),
        ("input In { a: Int a: Int }", .duplicateField, "1:19"),
        ("type Query {", .unexpectedToken, "1:13"),
    ]

    @Test(arguments: refusals.indices) func `a schema that contradicts itself is refused`(_ index: Int) {
        let (text, code, place) = SchemaTests.refusals[index]
        #expect {
            try GraphQLSchema.read(Array(text.utf8))
        } throws: { error in
            guard let error = (error as? GraphQLErrors)?.errors.first else { return false }
            return error.code == code && "\(error.line):\(error.column)" == place
        }
    }

    @Test func `names that every schema has may stand in the file`() throws {
        let schema = try GraphQLSchema.read(
            Array("scalar ID type __Type { a: Int } directive @include(x: Int) on QUERY type Query { a: ID }".utf8))
        #expect(schema.directives["include"]?.locations.contains(.field) == true)
        #expect(schema.type("__Type")?.field("kind") != nil)
    }

    @Test func `a schema may declare the directives of policies as the protocol prints them`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let pages = try ["Protocol/policy.md", "Protocol/graphql.md"].map {
            try String(contentsOf: root.appending(path: $0), encoding: .utf8)
        }
        let isPrinted = { (line: Substring) in
            line.hasPrefix("    directive @") || line.hasPrefix("      on ") || line.hasPrefix("      repeatable on ")
        }
        let lines = pages.flatMap { $0.split(separator: "\n").filter(isPrinted) }
        // What executable documents use may be declared once only: @cacheControl stands on both pages.
        let printed = lines.filter { !$0.contains("on QUERY") }.joined(separator: "\n")
        #expect(printed.contains("membership: Object") && printed.contains("@cacheControlField"))
        let rules = """
            type Query { songs: [Song] } type Song @typePolicy(events: MERGE) { id: ID owner: String }
            extend type Query @fieldPolicy(forField: "songs", membership: {where: {path: "/owner", eq: "a"}})
            """
        let schema = try GraphQLSchema.read(Array((printed + "\n" + rules).utf8))
        #expect(schema.identity.lookup("songs", of: "Query")?.membership != nil)
        // Of other directives every type has to be there.
        #expect(throws: GraphQLErrors.self) {
            try GraphQLSchema.read(Array((printed + rules + " directive @other(a: Object) on OBJECT").utf8))
        }
    }
}
