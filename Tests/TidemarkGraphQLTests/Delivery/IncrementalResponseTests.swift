import TestTraits
import Testing
import Tidemark
import TidemarkGraphQL

@Suite(.pooled) struct IncrementalResponseTests {
    private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }

    private func answer(_ spec: DeliveryFormat, _ payloads: [String]) throws -> IncrementalResponse {
        var answer = IncrementalResponse(spec)
        for payload in payloads { _ = try answer.apply(json(payload)) }
        return answer
    }

    /// Payloads and the answer that they make, by the rows of the page: name, form, what comes, `data`, the messages of
    /// `errors`, what failed.
    private static let rows: [(String, DeliveryFormat, [String], String, [String], [String?])] = [
        ("data alone", .defer20220824, [#"{"data":{"a":1}}"#], #"{"a":1}"#, [], []),
        (
            "items by path",
            .defer20220824,
            [
                #"{"data":{"hero":{"id":"1"}},"hasNext":true}"#,
                #"{"incremental":[{"path":["hero"],"label":"L","data":{"name":"R2"}}],"hasNext":true}"#,
                #"{"hasNext":false}"#,
            ],
            #"{"hero":{"id":"1","name":"R2"}}"#, [], []
        ),
        (
            "an empty path or none",
            .defer20220824,
            [
                #"{"data":{"a":{"x":{"y":1}}},"hasNext":true}"#,
                #"{"incremental":[{"data":{"a":{"x":{"z":2}},"b":3}}],"hasNext":false}"#,
            ],
            #"{"a":{"x":{"y":1,"z":2}},"b":3}"#, [], []
        ),
        (
            "lists of one length",
            .defer20220824,
            [
                #"{"data":{"l":[{"a":1},{"a":2}]},"hasNext":true}"#,
                #"{"incremental":[{"path":["l",1],"data":{"b":5}},{"path":[],"data":{"l":[{"c":6},{"c":7}]}}],"hasNext":false}"#,
            ],
            #"{"l":[{"a":1,"c":6},{"a":2,"b":5,"c":7}]}"#, [], []
        ),
        (
            "lists of different lengths",
            .defer20220824,
            [
                #"{"data":{"l":[1,2]},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"data":{"l":[9]}}],"hasNext":false}"#,
            ],
            #"{"l":[9]}"#, [], []
        ),
        (
            "a negative, huge or textual index",
            .defer20220824,
            [
                #"{"data":{"l":[{}]},"hasNext":true}"#,
                #"{"incremental":[{"path":["l",-1],"data":{}},{"path":["l",99999999999999999999],"data":{}},{"path":["l","0"],"data":{}},{"path":["x"],"data":{}},{"path":["l",0,"x"],"data":{}},{"path":["l",0],"data":{"k":1}}],"hasNext":false}"#,
            ],
            #"{"l":[{"k":1}]}"#, Array(repeating: "an incremental item's path leads nowhere", count: 5), []
        ),
        (
            "data null in an item",
            .defer20220824,
            [
                #"{"data":{"a":1},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"label":"L","data":null,"errors":[{"message":"no"}]}],"hasNext":false}"#,
            ],
            #"{"a":1}"#, ["no"], ["L"]
        ),
        (
            "data beside items",
            .defer20220824,
            [
                #"{"data":{"a":1},"incremental":[{"path":[],"data":{"b":2}}],"errors":[{"message":"e"}],"hasNext":false}"#
            ],
            #"{"a":1,"b":2}"#, ["e"], []
        ),
        (
            "a path of its own",
            .defer20220824,
            [#"{"data":{"h":{}},"hasNext":true}"#, #"{"path":["h"],"label":"L","data":{"n":1},"hasNext":false}"#],
            #"{"h":{"n":1}}"#, [], []
        ),
        (
            "no members",
            .defer20220824, [#"{"data":{"n":1.10},"hasNext":true}"#, "{}", #"{"hasNext":false}"#], #"{"n":1.10}"#, [],
            []
        ),
        (
            "items by id",
            .incremental02,
            [
                #"{"data":{"me":{"id":"1","friends":[{},{}]}},"pending":[{"id":"0","path":["me"],"label":"L"}],"hasNext":true}"#,
                #"{"incremental":[{"id":"0","data":{"name":"x"}},{"id":"0","subPath":["friends",1],"data":{"age":3}}],"completed":[{"id":"0"}],"hasNext":false}"#,
            ],
            #"{"me":{"id":"1","friends":[{},{"age":3}],"name":"x"}}"#, [], []
        ),
        (
            "completed with errors",
            .incremental02,
            [
                #"{"data":{"a":1},"pending":[{"id":"0","path":[],"label":"L"},{"id":"1","path":[]}],"hasNext":true}"#,
                #"{"completed":[{"id":"0","errors":[{"message":"bad"}]}],"incremental":[{"id":"7","data":{"z":1}}],"hasNext":true}"#,
                #"{"incremental":[{"id":"1","data":{"b":2}}],"completed":[{"id":"1"},{"id":"9"}],"hasNext":false}"#,
            ],
            #"{"a":1,"b":2}"#, [#"an incremental item names the fragment "7", which is not pending"#, "bad"], ["L"]
        ),
        (
            "a fragment announced late",
            .incremental02,
            [
                #"{"data":{"a":1},"hasNext":true}"#,
                #"{"pending":[{"id":"5","path":[]}],"incremental":[{"id":"5","data":{"b":2}}],"completed":[{"id":"5"}],"hasNext":false}"#,
            ],
            #"{"a":1,"b":2}"#, [], []
        ),
        (
            "a path that leads nowhere", .defer20220824,
            [
                #"{"data":{"a":{}},"hasNext":true}"#,
                #"{"incremental":[{"path":["b"],"data":{"x":1}},{"path":["a","b"],"data":{"x":1}},{"path":["a"],"data":{"y":2}}],"hasNext":false}"#,
            ],
            #"{"a":{"y":2}}"#, Array(repeating: "an incremental item's path leads nowhere", count: 2), []
        ),
        (
            "a path that ends at no object", .defer20220824,
            [
                #"{"data":{"h":{"id":"1"},"n":null,"l":[null,{"k":1}]},"hasNext":true}"#,
                #"{"incremental":[{"path":["h","id"],"data":{"t":9}},{"path":["n"],"data":{"t":9}},{"path":["l"],"data":{"t":9}},{"path":["l",0],"data":{"t":9}},{"path":"h","data":{"t":9}},{"path":["h"],"data":{"t":1}}],"hasNext":false}"#,
            ],
            #"{"h":{"id":"1","t":1},"n":null,"l":[null,{"k":1}]}"#,
            Array(repeating: "an incremental item's path leads nowhere", count: 4) + [
                "an incremental item's path is no list"
            ], []
        ),
        (
            "an item whose data is no object", .incremental02,
            [
                #"{"data":{"h":{"l":[1]}},"pending":[{"id":"0","path":["h"]}],"hasNext":true}"#,
                #"{"incremental":[{"id":"0","data":5},{"id":"0","data":[1]},{"id":"0","subPath":["l"],"data":[2]},{"id":"0","subPath":"l","data":{}},{"id":"0","data":{"t":1}}],"completed":[{"id":"0","errors":[]}],"hasNext":false}"#,
            ],
            #"{"h":{"l":[1],"t":1}}"#,
            [
                "an incremental item's data is no object", "an incremental item's data is no object",
                "an incremental item's path leads nowhere", "an incremental item's subPath is no list",
            ], []
        ),
        (
            "data null beside items", .defer20220824,
            [
                #"{"data":{"h":{"id":"1"}},"hasNext":true}"#,
                #"{"data":null,"path":null,"errors":null,"extensions":null,"incremental":[{"id":null,"path":["h"],"label":null,"errors":null,"data":{"t":1}}],"hasNext":true}"#,
                #"{"data":null,"hasNext":false}"#,
            ],
            #"{"h":{"id":"1","t":1}}"#, [], []
        ),
        (
            "hasNext false alone", .incremental02, [#"{"data":{"a":1},"hasNext":true}"#, #"{"hasNext":false}"#],
            #"{"a":1}"#, [], []
        ),
        (
            "an unknown id", .incremental02,
            [
                #"{"data":{"a":1},"pending":[{"id":"1","path":[]}],"hasNext":true}"#,
                #"{"incremental":[{"id":"2","data":{"b":1}},{"id":5,"data":{"b":1}},{"id":"1","data":{"c":1}}],"hasNext":false}"#,
            ],
            #"{"a":1,"c":1}"#,
            [
                #"an incremental item names the fragment "2", which is not pending"#,
                "an incremental item names the fragment 5, which is not pending",
            ], []
        ),
        (
            "extensions", .defer20220824,
            [
                #"{"data":{},"extensions":{"a":1,"b":2},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"data":{},"extensions":{"b":3}}],"hasNext":false}"#,
            ],
            "{}", [], []
        ),
    ]

    @Test func `each row of the page about payloads has a test`() throws {
        #expect(Set(try PageTable.rows(of: "Payloads")) == Set(Self.rows.map(\.0)))
    }

    @Test(arguments: rows.indices)
    func `payloads make the answer of the table`(row: Int) throws {
        let (_, spec, payloads, data, messages, failed) = Self.rows[row]
        let whole = try answer(spec, payloads)
        #expect(whole.data.text == data && !whole.hasNext)
        #expect(
            Set(whole.errors.map { $0["message"]?.string ?? "" }) == Set(messages)
                && whole.errors.count == messages.count)
        #expect(whole.failed.map(\.label) == failed)
    }

    @Test func `an answer that payloads make deeper than one may be is refused, and stays as it was`() throws {
        let levels = 60
        let data = String(repeating: #"{"a":"#, count: levels) + "{}" + String(repeating: "}", count: levels)
        var whole = try answer(.defer20220824, [#"{"data":\#(data),"hasNext":true}"#])
        var path: [String] = []
        for _ in 0..<3 {
            path += Array(repeating: #""a""#, count: levels)
            let item = #"{"path":[\#(path.joined(separator: ","))],"data":\#(data)}"#
            try whole.apply(json(#"{"incremental":[\#(item)],"hasNext":true}"#))
        }
        let before = whole.data
        path += Array(repeating: #""a""#, count: levels)
        let item = #"{"path":[\#(path.joined(separator: ","))],"data":\#(data)}"#
        let payload = try json(#"{"incremental":[\#(item)],"hasNext":true}"#)
        #expect(throws: DeliveryError("the answer nests deeper than 255 levels")) { try whole.apply(payload) }
        #expect(whole.data == before)
    }

    @Test func `extensions are taken together, the last of a name counts`() throws {
        let whole = try answer(
            .defer20220824,
            [
                #"{"data":{},"extensions":{"a":1,"b":2},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"data":{},"extensions":{"b":3}}],"hasNext":false}"#,
            ])
        #expect(whole.answer.text == #"{"data":{},"extensions":{"a":1,"b":3},"hasNext":false}"#)
    }

    @Test(arguments: [
        "[]", "5", #"{"hasNext":1}"#, #"{"incremental":{}}"#, #"{"incremental":[5]}"#, #"{"errors":{}}"#,
        #"{"completed":1}"#,
        #"{"pending":[{}],"hasNext":true}"#, #"{"message":"maintenance"}"#, #"{"key":1}"#,
    ])
    func `a payload of another form is an error`(text: String) throws {
        var whole = IncrementalResponse(.incremental02)
        let payload = try json(text)
        #expect(throws: DeliveryError.self) { _ = try whole.apply(payload) }
    }

    @Test func `an item for a fragment at a null is left out, and the rest goes on`() throws {
        let whole = try answer(
            .incremental02,
            [
                #"{"data":{"a":1,"h":null},"pending":[{"id":"0","path":["h"]}],"hasNext":true}"#,
                #"{"incremental":[{"id":"0","data":{"t":9}}],"completed":[{"id":"0"}],"hasNext":false}"#,
            ])
        #expect(whole.data.text == #"{"a":1,"h":null}"#)
        #expect(whole.errors.map { $0["message"]?.string } == ["an incremental item's path leads nowhere"])
    }

    @Test func `a null as data is said when it comes first, and says nothing later`() throws {
        var whole = try answer(.defer20220824, [#"{"data":null,"errors":[{"message":"no"}],"hasNext":true}"#])
        #expect(whole.hasData && whole.data == .null)
        let change = try whole.apply(try json(#"{"data":null,"hasNext":true}"#))
        #expect(change.isHeartbeat)
        try whole.apply(try json(#"{"incremental":[{"path":[],"data":{"a":1}}],"hasNext":false}"#))
        #expect(whole.data == .null, "there is no object at the root")
    }
}
