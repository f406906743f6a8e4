import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkGraphQL

/// Members come as CollectFields gives them over the document that was written, whatever was added for sending.
@Suite(.pooled) struct CollectFieldsTests {
    @Test(arguments: [
        (
            "{ p { ... on P { a } b __typename } }", #"{"p":{"a":1,"b":2,"__typename":"P"}}"#
        ),
        ("{ p { a } p { b __typename } }", #"{"p":{"a":1,"b":2,"__typename":"P"}}"#),
        ("{ p { ...F b __typename a } } fragment F on P { c a }", #"{"p":{"c":3,"a":1,"b":2,"__typename":"P"}}"#),
        ("{ p { in { x } a in { y __typename } } }", #"{"p":{"in":{"x":4,"y":5,"__typename":"I"},"a":1}}"#),
    ])
    func `an addition takes no place before a field of the document`(document: String, data: String) throws {
        let answer =
            #"{"p":{"__typename":"P","a":1,"b":2,"c":3,"in":{"__typename":"I","x":4,"y":5}}}"#
        var world = try GraphQLWorld()
        try world.write(document, answer)
        #expect(try world.data(document) == data)
        let parts = ResponseParts(data: Array(answer.utf8), errors: nil)
        let projected = ResponseProjector.data(of: parts, try world.plan(document))
        #expect(String(decoding: projected, as: UTF8.self) == data)
    }

    @Test func `nor do key fields that the schema adds`() throws {
        var world = try GraphQLWorld(
            "type Query { person(id: ID): Person } type Person { id: ID name: String score: Int }")
        let document = #"{ person(id: "1") { name } person(id: "1") { score id } }"#
        try world.write(document, #"{"person":{"__typename":"Person","id":"1","name":"n","score":3}}"#)
        #expect(try world.data(document) == #"{"person":{"name":"n","score":3,"id":"1"}}"#)
    }

    @Test(arguments: [
        "query { people { id } ...F } fragment F on query_root { films { id } }",
        "query { people { id } ... on QueryRoot { films { id } } }",
        "query { people { id } ...F } fragment F on A { ...G } fragment G on B { films { id } }",
    ])
    func `without a schema a fragment at the root applies, whatever type it names`(document: String) throws {
        var world = try GraphQLWorld()
        let data = #"{"people":[{"id":"1"}],"films":[{"id":"2"}]}"#
        try world.write(document, data)
        #expect(try world.data(document) == data)
    }

    @Test func `a deferred fragment at the root of another name comes and goes as any other`() throws {
        var world = try GraphQLWorld()
        let document = "{ a ... on query_root @defer(label: \"d\") { b } }"
        try world.write(document, #"{"a":1}"#)
        #expect(try world.data(document, completeness: .deferred) == #"{"a":1}"#)
        try world.write(document, #"{"a":1,"b":2}"#)
        #expect(try world.data(document) == #"{"a":1,"b":2}"#)
    }

    @Test func `below the root, and with a schema, a fragment applies by its type`() throws {
        var world = try GraphQLWorld()
        let document = "{ p { ... on Q { a } b } }"
        try world.write(document, #"{"p":{"__typename":"P","b":2}}"#)
        #expect(try world.data(document) == #"{"p":{"b":2}}"#)
        var typed = try GraphQLWorld("schema { query: Root } type Root { a: Int b: Int }")
        try typed.write("{ a ... on Root { b } }", #"{"a":1,"b":2}"#)
        #expect(try typed.data("{ a ... on Root { b } }") == #"{"a":1,"b":2}"#)
    }

    @Test(arguments: [
        (
            "{ h { __typename id } }", #"{"h":{"id":"1"}}"#,
            "h.__typename is selected and not there: answer every selected field"
        ),
        (
            "{ h { t: __typename id } }", #"{"h":{"id":"1"}}"#,
            "h.t is selected and not there: answer every selected field"
        ),
        (
            "{ l { __typename } }", #"{"l":[{"__typename":"C"},{"__typename":null}]}"#,
            "l[1].__typename is no name of a type: answer the object's type"
        ),
    ])
    func `a typename that is selected and not there is refused with its place`(
        document: String, data: String, message: String
    ) throws {
        let world = try GraphQLWorld()
        do {
            _ = try world.normalized(document, data)
            Issue.record("nothing was refused")
        } catch let fault as ResponseError {
            #expect(fault.description == message)
        }
        #expect(throws: Never.self) { try world.normalized(document, data, isPartial: true) }
    }

    @Test func `a schema says the type where the answer does not`() throws {
        var world = try GraphQLWorld("type Query { h: C } type C { id: ID }")
        try world.write("{ __typename h { __typename id } }", #"{"h":{"id":"1"}}"#)
        #expect(
            try world.data("{ __typename h { __typename id } }")
                == #"{"__typename":"Query","h":{"__typename":"C","id":"1"}}"#)
    }
}
