import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkStore

/// Examples for each operator: the values of `/v` for which it holds. The reference must agree.
@Suite(.pooled) struct MembershipOperatorTests {
    /// Members that give `v` a value of every kind, or no value.
    private static let kinds = [
        "", #""v":null"#, #""v":false"#, #""v":true"#, #""v":1"#, #""v":"1""#, #""v":[1]"#, #""v":{"n":1}"#,
    ]

    private func chosen(_ test: String, from members: [String]) throws -> [String] {
        let rule = try MembershipFixture(#"{"resource_type":"t","where":\#(test)}"#)
        let chosen = members.filter { rule.matches("{\($0)}") }
        let wanted = try members.filter {
            rule.reference.matches(try ReferenceJSONParser.parse(Array("{\($0)}".utf8)))
        }
        #expect(chosen == wanted, "\(test)")
        return chosen
    }

    @Test(arguments: [
        ("null", [#""v":null"#]), ("false", [#""v":false"#]), ("true", [#""v":true"#]), ("1.0", [#""v":1"#]),
        (#""1""#, [#""v":"1""#]), ("[1e0]", [#""v":[1]"#]), (#"{"\u006e":10e-1}"#, [#""v":{"n":1}"#]), ("{}", []),
    ])
    func `eq holds for an equal value and ne for all others`(operand: String, equal: [String]) throws {
        #expect(try chosen(#"{"path":"/v","eq":\#(operand)}"#, from: Self.kinds) == equal)
        #expect(
            try chosen(#"{"path":"/v","ne":\#(operand)}"#, from: Self.kinds)
                == Self.kinds.filter { !equal.contains($0) })
    }

    @Test(arguments: [
        ("{\"a\":1,\"b\":[2,{}]}", true), ("{\"b\":[2.0,{}],\"a\":1}", true), ("{\"a\":9,\"b\":[2,{}],\"a\":1}", true),
        ("{\"a\":1,\"b\":[{},2]}", false), ("{\"a\":1}", false), ("{\"a\":1,\"b\":[2,{}],\"c\":null}", false),
        ("{\"a\":1,\"b\":[2,[]]}", false), ("{\"a\":1,\"b\":[2]}", false), ("[]", false),
    ])
    func `objects are equal in any order of members, arrays in one`(value: String, isEqual: Bool) throws {
        let member = #""v":\#(value)"#
        #expect(try chosen(#"{"path":"/v","eq":{"a":1,"b":[2,{}]}}"#, from: [member]) == (isEqual ? [member] : []))
    }

    @Test(arguments: [
        ("null", "null", true), ("false", "true", false), ("false", "1", false), ("1", "\"2\"", false),
        ("[1]", "[1]", false), ("{}", "{}", false), ("\"1\"", "2", false), ("null", "false", false),
    ])
    func `lte and gte compare within a kind, and never arrays and objects`(
        value: String, operand: String, holds: Bool
    ) throws {
        let member = #""v":\#(value)"#
        let lte = try chosen(#"{"path":"/v","lte":\#(operand)}"#, from: [member])
        #expect(lte == (holds || (value, operand) == ("false", "true") ? [member] : []))
        #expect(try chosen(#"{"path":"/v","gte":\#(operand)}"#, from: [member]) == (holds ? [member] : []))
    }

    @Test func `order predicates compare values and never hold for an absent one`() throws {
        let members = ["", #""v":-1"#, #""v":0"#, #""v":1"#, #""v":1.00"#, #""v":2"#, #""v":"1""#]
        #expect(try chosen(#"{"path":"/v","lt":1}"#, from: members) == [#""v":-1"#, #""v":0"#])
        #expect(
            try chosen(#"{"path":"/v","lte":1}"#, from: members) == [#""v":-1"#, #""v":0"#, #""v":1"#, #""v":1.00"#])
        #expect(try chosen(#"{"path":"/v","gt":1}"#, from: members) == [#""v":2"#])
        #expect(try chosen(#"{"path":"/v","gte":1}"#, from: members) == [#""v":1"#, #""v":1.00"#, #""v":2"#])
        #expect(try chosen(#"{"path":"/v","gte":0,"lt":1}"#, from: members) == [#""v":0"#])
    }

    @Test func `in holds for any of its values, and an empty in for none`() throws {
        #expect(
            try chosen(#"{"path":"/v","in":[null,1,{"n":1}]}"#, from: Self.kinds)
                == [#""v":null"#, #""v":1"#, #""v":{"n":1}"#])
        #expect(try chosen(#"{"path":"/v","in":[]}"#, from: Self.kinds) == [])
    }

    @Test func `exists checks the member and not its value`() throws {
        #expect(try chosen(#"{"path":"/v","exists":true}"#, from: Self.kinds) == Array(Self.kinds.dropFirst()))
        #expect(try chosen(#"{"path":"/v","exists":false}"#, from: Self.kinds) == [""])
    }

    @Test func `prefix compares the bytes of strings only`() throws {
        let members = [
            #""v":"ab""#, #""v":"a""#, #""v":"\u0061b""#, #""v":"Ab""#, #""v":"b""#, #""v":["ab"]"#, #""v":"""#, "",
        ]
        #expect(
            try chosen(#"{"path":"/v","prefix":"a"}"#, from: members)
                == [#""v":"ab""#, #""v":"a""#, #""v":"\u0061b""#])
        #expect(try chosen(#"{"path":"/v","prefix":"a\u0062"}"#, from: members) == [#""v":"ab""#, #""v":"\u0061b""#])
        // One string is U+00E9, the other is an e with a combining accent.
        #expect(
            try chosen(#"{"path":"/v","prefix":"e"}"#, from: [#""v":"é""#, #""v":"e\u0301""#]) == [#""v":"e\u0301""#])
        #expect(try chosen(#"{"path":"/v","prefix":""}"#, from: members).count == 6)
    }

    @Test func `all, any and not combine, and empty ones are true and false`() throws {
        let members = [#""v":1"#, #""v":2"#, #""w":2"#]
        #expect(try chosen(#"{"all":[]}"#, from: members) == members)
        #expect(try chosen(#"{"any":[]}"#, from: members) == [])
        #expect(try chosen(#"{"not":{"any":[]}}"#, from: members) == members)
        let either = #"{"any":[{"path":"/v","eq":1},{"path":"/w","eq":2}]}"#
        #expect(try chosen(either, from: members) == [#""v":1"#, #""w":2"#])
        #expect(try chosen(#"{"all":[\#(either),{"not":{"path":"/w","exists":true}}]}"#, from: members) == [#""v":1"#])
    }

    @Test(arguments: [
        ("", #""a":1"#, "{\"a\":1}"), ("/a", #""a":1"#, "1"), ("/a/b", #""a":{"b":1}"#, "1"),
        ("/a/1", #""a":[0,1]"#, "1"), ("/x~1y", #""x/y":1"#, "1"), ("/m~0n", #""m~n":1"#, "1"),
        ("/~01", #""~1":1"#, "1"),
        ("/", #""":1"#, "1"), ("/a/1", #""a":{"1":1}"#, "1"), ("/a/01", #""a":{"01":1}"#, "1"),
        ("/a/-", #""a":{"-":1}"#, "1"), ("/a", #""a":2,"a":1"#, "1"), ("/a/b", #""a":{"b":2},"\u0061":{"b":1}"#, "1"),
        ("/é", #""\u00e9":1"#, "1"), (#"/\u0061"#, #""a":1"#, "1"), (#"/q\\"#, #""q\\":1"#, "1"),
        (#"/\ud800/1"#, #""\ud800":[0,1]"#, "1"), (#"/\ud83d\ude00"#, #""😀":1"#, "1"),
    ])
    func `a path leads to its value`(path: String, members: String, value: String) throws {
        #expect(try chosen(#"{"path":"\#(path)","eq":\#(value)}"#, from: [members]) == [members])
    }

    @Test(arguments: [
        ("/a/01", #""a":[0,1]"#), ("/a/-", #""a":[0]"#), ("/a/2", #""a":[0,1]"#), ("/a/", #""a":[0]"#),
        ("/a/b", #""a":"b""#), ("/a/0", #""a":"b""#), ("/a/99999999999999999999999", #""a":[0]"#),
        ("/a/b", #""a":{"b":1},"a":2"#), ("/é", #""e\u0301":1"#), (#"/q\\\\"#, #""q\\":1"#), ("/a/+0", #""a":[0]"#),
        (#"/a/+\ud800+1"#, #""a":[0,1]"#), (#"/\ud800"#, #""\ud801":1"#), (#"/\ud800"#, #""\ufffd":1"#),
    ])
    func `a path without a target finds no value`(path: String, members: String) throws {
        #expect(try chosen(#"{"path":"\#(path)","exists":false}"#, from: [members]) == [members])
    }
}
