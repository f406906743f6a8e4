import TestTraits
import Testing
import Tidemark
import TidemarkModel

@testable import TidemarkGraphQL

/// Deferred fragments whose fields are selected outside, too, or that hold what sending adds.
@Suite(.pooled) struct DeferralTests {
    private static let outside = "{ h { g { a } ... @defer(label: \"d\") { g { b } } } }"

    private func states(_ reading: GraphQLReading) -> [String] {
        reading.deferred.map { "\($0.path.words) \($0.label ?? "-") \($0.state.rawValue)" }
    }

    private func reading(_ world: GraphQLWorld, _ document: String) throws -> (data: String, states: [String]) {
        guard case .read(let reading) = try world.read(document, completeness: .deferred) else {
            Issue.record("\(try world.data(document, completeness: .deferred))")
            return ("", [])
        }
        #expect(reading.isPartial == reading.deferred.contains { $0.state == .pending })
        return (String(decoding: reading.data, as: UTF8.self), states(reading))
    }

    /// Returns the data and the states that an observer sees of an answer when these parts have come.
    private func projection(
        _ world: GraphQLWorld, _ document: String, _ data: String
    ) throws -> (data: String, states: [String]) {
        let parts = try ResponseParts(Array(#"{"data":\#(data),"hasNext":true}"#.utf8))
        let projection = ResponseProjector.projection(of: parts, try world.plan(document))
        var reading = GraphQLReading()
        reading.deferred = projection.deferred
        return (String(decoding: projection.data, as: UTF8.self), states(reading))
    }

    /// Document, data of the first part, what is shown of it, states, and data that fulfils the rest.
    private static let rows: [(document: String, first: String, shown: String, states: [String], rest: String)] = [
        (
            outside, #"{"h":{"g":{"a":1}}}"#, #"{"h":{"g":{"a":1}}}"#, ["h d pending"],
            #"{"h":{"g":{"a":1,"b":2}}}"#
        ),
        (
            "{ h { id } ... @defer(label: \"d\") { h { age } } }", #"{"h":{"__typename":"C","id":"1"}}"#,
            #"{"h":{"id":"1"}}"#, ["data d pending"], #"{"h":{"__typename":"C","id":"1","age":7}}"#
        ),
        (
            "{ h { g { k { a } } ... @defer(label: \"d\") { g { k { b } } z } } }", #"{"h":{"g":{"k":{"a":1}},"z":3}}"#,
            #"{"h":{"g":{"k":{"a":1}}}}"#, ["h d pending"], #"{"h":{"g":{"k":{"a":1,"b":2}},"z":3}}"#
        ),
        (
            "{ l { g { a } ... @defer(label: \"d\") { g { b } } } }", #"{"l":[{"g":{"a":1,"b":2}},{"g":{"a":3}}]}"#,
            #"{"l":[{"g":{"a":1,"b":2}},{"g":{"a":3}}]}"#, ["l[0] d fulfilled", "l[1] d pending"],
            #"{"l":[{"g":{"a":1,"b":2}},{"g":{"a":3,"b":4}}]}"#
        ),
        (
            "{ h { g { k { a } l { b } } ... @defer(label: \"d\") { g { k { x } l { y } } } } }",
            #"{"h":{"g":{"k":{"a":1,"x":2},"l":{"b":3}}}}"#, #"{"h":{"g":{"k":{"a":1},"l":{"b":3}}}}"#,
            ["h d pending"], #"{"h":{"g":{"k":{"a":1,"x":2},"l":{"b":3,"y":4}}}}"#
        ),
        (
            "{ h { ... @defer(label: \"d\") { g { a } } ... @defer(label: \"e\") { g { b } } } }",
            #"{"h":{"g":{"b":1}}}"#,
            #"{"h":{"g":{"b":1}}}"#, ["h d pending", "h e fulfilled"], #"{"h":{"g":{"a":2,"b":1}}}"#
        ),
        (
            "{ h { id ... @defer(label: \"d\") { __typename slow } } }", #"{"h":{"__typename":"C","id":"1"}}"#,
            #"{"h":{"id":"1"}}"#, ["h d pending"], #"{"h":{"__typename":"C","id":"1","slow":2}}"#
        ),
    ]

    @Test(arguments: rows.indices)
    func `a fragment is pending while something that only it selects is missing`(row: Int) throws {
        let (document, first, shown, wanted, rest) = Self.rows[row]
        var world = try GraphQLWorld()
        try world.write(document, first)
        let read = try reading(world, document)
        #expect(read.data == shown && read.states == wanted)
        let projected = try projection(world, document, first)
        #expect(projected.data == shown && projected.states == wanted)
        #expect(try world.data(document).hasPrefix("absent "))
        try world.write(document, rest)
        let whole = try reading(world, document)
        #expect(whole.states.allSatisfy { $0.hasSuffix("fulfilled") })
        #expect(try world.data(document) == whole.data)
        let projectedWhole = try projection(world, document, rest)
        #expect(projectedWhole.data == whole.data && projectedWhole.states == whole.states)
    }

    @Test func `a key field that sending added is shown with the fragment that selects it`() throws {
        var world = try GraphQLWorld("type Query { h: C } type C { id: ID name: String slow: Int }")
        let document = "{ h { name ... @defer(label: \"d\") { id slow } } }"
        let first = #"{"h":{"__typename":"C","id":"1","name":"n"}}"#
        try world.write(document, first)
        let shown = #"{"h":{"name":"n"}}"#
        #expect(try reading(world, document) == (shown, ["h d pending"]))
        #expect(try projection(world, document, first) == (shown, ["h d pending"]))
    }

    @Test func `a field that is selected outside may not be missing`() throws {
        let world = try GraphQLWorld()
        #expect(throws: ResponseError.self) { try world.normalized(Self.outside, #"{"h":{"g":{"b":1}}}"#) }
        #expect(throws: ResponseError.self) { try world.normalized(Self.outside, #"{"h":{}}"#) }
        // The fragment alone selects g: when it is there, the fragment has come.
        #expect(throws: ResponseError.self) {
            try world.normalized("{ h { id ... @defer { g { a b } } } }", #"{"h":{"id":"1","g":{"a":1}}}"#)
        }
    }

    @Test func `a type that only a deferred fragment names is known by what sending added`() throws {
        var world = try GraphQLWorld()
        let document = "{ h { id ... @defer { t: __typename slow } } }"
        #expect(
            try world.lines(document, #"{"h":{"__typename":"C","id":"1"}}"#) == [
                #"C:1 {"id":"1"}"#, #"Query:h {"id":"h","value":{"__ref":"C:1"}}"#,
            ])
        try world.write(document, #"{"h":{"__typename":"C","id":"1"}}"#)
        #expect(try reading(world, document).data == #"{"h":{"id":"1"}}"#)
    }
}
