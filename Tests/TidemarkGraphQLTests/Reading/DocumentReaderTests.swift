import TestTraits
import Testing
import TidemarkGraphQL
import TidemarkModel

@Suite(.pooled) struct DocumentReaderTests {
    static let document = "{ hero { __typename id name friends { __typename id name } } }"
    static let data =
        #"{"hero":{"__typename":"C","id":"1","name":"L","friends":[{"__typename":"C","id":"2","name":"H"},"#
        + #"{"__typename":"C","id":"3","name":"O"}]}}"#

    @Test func `an answer is read back byte for byte`() throws {
        var world = try GraphQLWorld()
        try world.write(Self.document, Self.data)
        #expect(try world.data(Self.document) == Self.data)
    }

    @Test func `members come in the order of the selections, aliases included`() throws {
        var world = try GraphQLWorld()
        try world.write(Self.document, Self.data)
        #expect(
            try world.data("{ hero { n: name ...F id } } fragment F on C { id name }")
                == #"{"hero":{"n":"L","id":"1","name":"L"}}"#)
    }

    @Test func `a miss says the first place, why, and whose field it is`() throws {
        var world = try GraphQLWorld()
        try world.write(Self.document, Self.data)
        #expect(try world.data("{ hero { height } }") == "absent hero.height C:1")
        #expect(try world.data("{ villain { name } }") == "absent villain Query:villain")
        world.source.entities[GraphQLKey(type: "C", id: "3")] = nil
        world.source.reasons[GraphQLKey(type: "C", id: "3")] = .deleted
        #expect(try world.data(Self.document) == "deleted hero.friends[1] C:3")
    }

    @Test func `a part without what is missing is read when that is asked for`() throws {
        var world = try GraphQLWorld()
        try world.write(Self.document, Self.data)
        world.source.entities[GraphQLKey(type: "C", id: "3")] = nil
        #expect(
            try world.data("{ hero { height name friends { name } } }", completeness: .partial)
                == #"{"hero":{"name":"L"}}"#)
    }

    @Test func `skip and include hold, with variables`() throws {
        var world = try GraphQLWorld()
        try world.write(Self.document, Self.data)
        #expect(
            try world.data(
                "query Q($y: Boolean!) { hero { id @skip(if: $y) name @include(if: $y) } }", #"{"y":true}"#)
                == #"{"hero":{"name":"L"}}"#)
    }

    @Test func `a fragment applies to its own type, and with a schema to its interfaces`() throws {
        var plain = try GraphQLWorld()
        try plain.write(Self.document, Self.data)
        #expect(
            try plain.data("{ hero { id ... on D { name } ... on C { n: name } } }") == #"{"hero":{"id":"1","n":"L"}}"#)
        var world = try GraphQLWorld(
            "type Query { hero: I } interface I { id: ID name: String } type C implements I { id: ID name: String }")
        try world.write("{ hero { id name } }", #"{"hero":{"__typename":"C","id":"1","name":"L"}}"#)
        #expect(try world.data("{ hero { ... on I { name } } }") == #"{"hero":{"name":"L"}}"#)
    }

    @Test func `a field of an event that holds an id refers to the type that the schema declares`() throws {
        var world = try GraphQLWorld(
            "type Query { song: Song } type Song { id: ID artist: Artist all: [Artist] } type Artist { id: ID name: String }"
        )
        try world.write("{ song { id } }", #"{"song":{"__typename":"Song","id":"1"}}"#)
        world.source.entities[GraphQLKey(type: "Song", id: "1")] = Array(
            #"{"id":"1","artist":"a1","all":[{"id":"a1"},"a1"]}"#.utf8)
        world.source.entities[GraphQLKey(type: "Artist", id: "a1")] = Array(#"{"id":"a1","name":"N"}"#.utf8)
        #expect(
            try world.data("{ song { artist { name } all { name } } }")
                == #"{"song":{"artist":{"name":"N"},"all":[{"name":"N"},{"name":"N"}]}}"#)
    }

    @Test func `a look-up by key reads an entity that no answer named under the field`() throws {
        var world = try GraphQLWorld(
            """
            type Query { book(isbn: ID): Book books(isbns: [ID]): [Book] one: Book }
            type Book @typePolicy(keyFields: "isbn") { isbn: ID title: String }
            extend type Query @fieldPolicy(forField: "book", keyArgs: "isbn") @fieldPolicy(forField: "books", keyArgs: "isbns")
            """)
        try world.write("{ one { isbn title } }", #"{"one":{"__typename":"Book","isbn":"x","title":"T"}}"#)
        #expect(try world.data(#"{ book(isbn: "x") { title } }"#) == #"{"book":{"title":"T"}}"#)
        #expect(
            try world.data(#"{ books(isbns: ["x", "x"]) { title } }"#) == #"{"books":[{"title":"T"},{"title":"T"}]}"#)
        #expect(try world.data(#"{ book(isbn: "y") { title } }"#) == "absent book Book:y")
    }

    @Test func `a deferred fragment that lacks a field is left out, and one that cannot hold is not executed`() throws {
        var world = try GraphQLWorld()
        try world.write(Self.document, Self.data)
        let document =
            "{ hero { id ... on C @defer(label: \"a\") { name height } ... on D @defer { x } ... @defer { friends { id } } } }"
        #expect(try world.data(document) == "absent hero.height C:1")
        let outcome = try world.read(document, completeness: .deferred)
        guard case .read(let reading) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(
            String(decoding: reading.data, as: UTF8.self) == #"{"hero":{"id":"1","friends":[{"id":"2"},{"id":"3"}]}}"#)
        #expect(reading.isPartial)
        #expect(
            reading.deferred == [
                DeferredState(path: [.name("hero")], label: "a", state: .pending),
                DeferredState(path: [.name("hero")], label: nil, state: .fulfilled),
                DeferredState(path: [.name("hero")], label: nil, state: .notExecuted),
            ])
    }

    static let ages = """
        type Query { song: Song }
        type Song @cacheControl(maxAge: 3600) { id: ID title: String artist: Artist }
        type Artist { id: ID name: String genre: String @cacheControl(maxAge: 60) home: Place }
        type Place { town: String @cacheControl(maxAge: 30) }
        """

    @Test(arguments: [
        ("{ song { title } }", 3_599, true), ("{ song { title } }", 3_600, false),
        ("{ song { artist { genre } } }", 59, true), ("{ song { artist { genre } } }", 60, false),
        ("{ song { artist @cacheControl(maxAge: 900) { genre } } }", 899, true),
        ("{ song { artist @cacheControl(maxAge: 900) { genre } } }", 900, false),
        ("{ song { artist @cacheControl(maxAge: 900) { home { town } } } }", 30, false),
        ("{ song { title @cacheControl(maxAge: 5) } }", 5, false),
        ("query @cacheControl(maxAge: 7) { song { title } }", 7, false),
        ("query @cacheControl(maxAge: 7) { song { title } }", 6, true),
    ])
    func `the most specific age holds, and lies at the field`(document: String, seconds: Int64, isFresh: Bool) throws {
        var world = try GraphQLWorld(Self.ages)
        try world.write(
            "{ song { id title artist { id genre home { town } } } }",
            #"{"song":{"__typename":"Song","id":"1","title":"t","artist":{"__typename":"Artist","id":"2","#
                + #""genre":"g","home":{"town":"x"}}}}"#)
        let outcome = try world.read(document, now: seconds * 1_000)
        switch outcome {
        case .read: #expect(isFresh)
        case .missed(let miss, _):
            #expect(!isFresh)
            #expect(miss.reason == .expired)
        case .unloaded: Issue.record("nothing has to be loaded")
        }
    }

    @Test(
        arguments: [
            ("{ hero { m } }", 9), ("{ hero { m n } }", 4), ("{ hero { at { y } } }", 9),
            ("{ hero { at { x y } } }", 2),
            ("{ hero { __typename } }", nil),
        ] as [(String, Int64?)])
    func `a read stands at the least sequence of the fields that it has`(document: String, sequence: Int64?) throws {
        var world = try GraphQLWorld()
        try world.write(
            "{ hero { __typename id m n at { x y } } }",
            #"{"hero":{"__typename":"C","id":"1","m":1,"n":2,"at":{"x":3,"y":4}}}"#)
        func write(_ sequence: Int64) -> FieldTimes.Write {
            FieldTimes.Write(writtenAt: 0, sequence: EventSequence(sequence))
        }
        world.source.times[GraphQLKey(type: "C", id: "1")] = FieldTimes(
            rest: write(9), named: ["n": write(4), "at\0x": write(2)])
        guard case .read(let reading) = try world.read(document) else {
            Issue.record("everything is there")
            return
        }
        #expect(reading.asOf == sequence.map { EventSequence($0) })
    }
}
