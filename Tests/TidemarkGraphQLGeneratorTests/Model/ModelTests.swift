import TestTraits
import Testing
import TidemarkGraphQLLanguage

@testable import TidemarkGraphQLGenerator

@Suite(.pooled) struct ModelTests {
    static let schema = """
        interface Character { id: ID! name: String friends: [Character] }
        type Droid implements Character { id: ID! name: String! friends: [Character] primaryFunction: String }
        type Human implements Character { id: ID! name: String friends: [Character] height: Float @cacheControl(maxAge: 9) }
        enum Episode { NEWHOPE EMPIRE }
        input Filter { episode: Episode and: [Filter!] }
        type Query { hero(episode: Episode, filter: Filter): Character droid: Droid }
        """

    static func model(_ documents: String...) throws -> TypedModel {
        try ModelBuilder.model(
            schema: SourceText(path: "schema.graphqls", bytes: Array(schema.utf8)),
            operations: documents.enumerated().map {
                SourceText(path: "\($0.offset).graphql", bytes: Array($0.element.utf8))
            })
    }

    static func hero(_ documents: String...) throws -> SelectionModel {
        let model = try ModelBuilder.model(
            schema: SourceText(path: "schema.graphqls", bytes: Array(schema.utf8)),
            operations: documents.enumerated().map {
                SourceText(path: "\($0.offset).graphql", bytes: Array($0.element.utf8))
            })
        return try #require(model.operations.first?.data.nested.first)
    }

    @Test func `fields of fragments on the same type are merged, and the fragment can be reached`() throws {
        let hero = try ModelTests.hero(
            "query Q { hero { ...Details name } }", "fragment Details on Character { id friends { name } }")
        #expect(hero.fields.map(\.name) == ["typename", "id", "friends", "name"])
        #expect(hero.spreads == [SpreadModel(name: "details", path: TypePath(["Details"]), view: nil)])
        #expect(hero.fields[2].selection?.path == TypePath(["Details", "Friend"]))
        #expect(hero.nested.isEmpty)
    }

    @Test func `a field that document and fragment both select has a structure of its own`() throws {
        let hero = try ModelTests.hero(
            "query Q { hero { ...Details friends { id } } } fragment Details on Character { friends { name } }")
        let friend = try #require(hero.nested.first)
        #expect(friend.path.description == "Q.Data.Hero.Friend")
        #expect(friend.fields.map(\.responseName) == ["__typename", "name", "id"])
    }

    @Test func `an inline fragment on another type is a view with the fields of every type`() throws {
        let hero = try ModelTests.hero("query Q { hero { name ... on Droid { primaryFunction friends { id } } } }")
        #expect(hero.fields.map(\.name) == ["typename", "name"])
        let view = try #require(hero.views.first)
        #expect(view.name == "asDroid")
        #expect(view.selection.path.description == "Q.Data.Hero.AsDroid")
        #expect(view.selection.typenames == ["Droid"])
        #expect(view.selection.fields.map(\.name) == ["typename", "name", "primaryFunction", "friends"])
        // A droid always has a name.
        #expect(view.selection.fields[1].type.isNonNull)
        #expect(!hero.fields[1].type.isNonNull)
    }

    @Test func `a condition that always holds is no view`() throws {
        let hero = try ModelTests.hero("query Q { hero { ... on Character { name ... on Character { id } } } }")
        #expect(hero.fields.map(\.name) == ["typename", "name", "id"])
        #expect(hero.views.isEmpty)
    }

    @Test func `a fragment on one type is reached through its view`() throws {
        let hero = try ModelTests.hero("query Q { hero { name ...D } } fragment D on Droid { primaryFunction }")
        #expect(hero.spreads == [SpreadModel(name: "d", path: TypePath(["D"]), view: "asDroid")])
        #expect(hero.views[0].selection.spreads.map(\.view) == [nil])
    }

    @Test func `a deferred fragment is not merged`() throws {
        let hero = try ModelTests.hero(
            """
            query Q($slow: Boolean!) {
              hero { name ...Details @defer(if: $slow) ... on Droid @defer(label: "work") { primaryFunction } }
            }
            fragment Details on Character { friends { name } }
            """)
        #expect(hero.fields.map(\.name) == ["typename", "name"])
        #expect(hero.deferrals.map(\.name) == ["details", "work"])
        #expect(hero.deferrals.map(\.typenames) == [nil, ["Droid"]])
        #expect(hero.deferrals[0].selection == .shared(TypePath(["Details"])))
        #expect(hero.deferrals[1].selection.path.description == "Q.Data.Hero.Work")
        let merged = try ModelTests.hero(
            "query Q { hero { ...D @defer(if: false) } } fragment D on Character { id }")
        #expect(merged.fields.map(\.name) == ["typename", "id"])
    }

    @Test func `a variable that leaves a field out makes it conditional unless it is selected elsewhere`() throws {
        let hero = try ModelTests.hero(
            "query Q($a: Boolean!) { hero { id @include(if: $a) name @skip(if: $a) name friends @skip(if: true) { id } } }"
        )
        #expect(hero.fields.map(\.name) == ["typename", "id", "name"])
        #expect(hero.fields.map(\.isConditional) == [false, true, false])
    }

    @Test func `names that Swift reserves or that meet get others`() throws {
        let hero = try ModelTests.hero(
            "query Q { hero { self: name init: name hash_value: id type: friends { id } Type: friends { id } in: id } }"
        )
        #expect(
            hero.fields.map(\.name) == [
                "typename", "selfField", "initField", "hashValueField", "type", "typeField", "in",
            ])
        #expect(hero.nested.map(\.path.last) == ["TypeSelection", "Type2"])
        #expect(SwiftName.escaped("in") == "`in`")
    }

    @Test func `the schema and the operation give the ages of fields`() throws {
        let hero = try ModelTests.hero("query Q { hero @cacheControl(maxAge: 5) { name id @cacheControl(maxAge: 2) } }")
        #expect(hero.fields.map(\.maxAge) == [5, 5, 2])
        let human = try ModelTests.hero("query Q { hero { ... on Human { height } } }")
        #expect(human.views[0].selection.fields.last?.maxAge == 9)
    }

    @Test func `enums and input types are those that the documents use`() throws {
        let model = try ModelTests.model("query Q($filter: Filter) { hero(filter: $filter) { id } }")
        #expect(model.enumerations.map(\.swiftName) == ["Episode"])
        #expect(model.enumerations[0].cases.map(\.name) == ["newhope", "empire"])
        #expect(model.inputs.map(\.swiftName) == ["Filter"])
        #expect(try ModelTests.model("{ droid { id } }".replacing("{ droid", with: "query Q { droid")).inputs.isEmpty)
    }

    @Test func `an error has the file in which it is`() throws {
        #expect(
            ModelTests.findings("query A { hero { id } }\r\n\r", "query B {\n  hero { nam }\n}") == ["1.graphql:2:10"])
        #expect(
            ModelTests.findings("query A { hero { id } ", "query B { hero { id }") == [
                "0.graphql:1:23", "1.graphql:1:22",
            ])
        #expect(ModelTests.findings("query A { hero { id } } # end", "{ hero { id } }").contains("1.graphql:1:1"))
    }

    static func findings(_ documents: String...) -> [String] {
        do throws(GeneratorError) {
            _ = try ModelBuilder.model(
                schema: SourceText(path: "schema.graphqls", bytes: Array(schema.utf8)),
                operations: documents.enumerated().map {
                    SourceText(path: "\($0.offset).graphql", bytes: Array($0.element.utf8))
                })
            return []
        } catch {
            return error.findings.map { "\($0.path):\($0.line):\($0.column)" }
        }
    }

    @Test func `the document has the type of every object and its fragments once`() throws {
        let model = try ModelTests.model(
            "query Q { hero { ...A ...B } }", "fragment B on Character { ...A } fragment A on Character { name }")
        #expect(
            model.operations[0].document == """
                query Q {
                  hero {
                    __typename
                    ...A
                    ...B
                  }
                }

                fragment A on Character {
                  __typename
                  name
                }

                fragment B on Character {
                  __typename
                  ...A
                }

                """)
    }
}
