import Testing
import Tidemark
import TidemarkGraphQLClient

struct IncrementalAnswerTests {
    private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }

    private func answer(_ spec: DeliverySpec, _ payloads: [String]) throws -> IncrementalAnswer {
        var answer = IncrementalAnswer(spec)
        for payload in payloads { _ = try answer.apply(json(payload)) }
        return answer
    }

    /// Payloads and the answer that they make: form, what comes, `data`, the messages of `errors`, what failed.
    private static let rows: [(DeliverySpec, [String], String, [String], [String?])] = [
        (.defer20220824, [#"{"data":{"a":1}}"#], #"{"a":1}"#, [], []),
        (
            .defer20220824,
            [
                #"{"data":{"hero":{"id":"1"}},"hasNext":true}"#,
                #"{"incremental":[{"path":["hero"],"label":"L","data":{"name":"R2"}}],"hasNext":true}"#,
                #"{"hasNext":false}"#,
            ],
            #"{"hero":{"id":"1","name":"R2"}}"#, [], []
        ),
        (
            .defer20220824,
            [
                #"{"data":{"a":{"x":{"y":1}}},"hasNext":true}"#,
                #"{"incremental":[{"data":{"a":{"x":{"z":2}},"b":3}}],"hasNext":false}"#,
            ],
            #"{"a":{"x":{"y":1,"z":2}},"b":3}"#, [], []
        ),
        (
            .defer20220824,
            [
                #"{"data":{"l":[{"a":1},{"a":2}]},"hasNext":true}"#,
                #"{"incremental":[{"path":["l",1],"data":{"b":5}},{"path":[],"data":{"l":[{"c":6},{"c":7}]}}],"hasNext":false}"#,
            ],
            #"{"l":[{"a":1,"c":6},{"a":2,"b":5,"c":7}]}"#, [], []
        ),
        (
            .defer20220824,
            [
                #"{"data":{"l":[1,2]},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"data":{"l":[9]}}],"hasNext":false}"#,
            ],
            #"{"l":[9]}"#, [], []
        ),
        (
            .defer20220824,
            [
                #"{"data":{"l":[{}]},"hasNext":true}"#,
                #"{"incremental":[{"path":["l",-1],"data":{}},{"path":["l",99999999999999999999],"data":{}},{"path":["l","0"],"data":{}},{"path":["x"],"data":{}},{"path":["l",0,"x"],"data":{}},{"path":["l",0],"data":{"k":1}}],"hasNext":false}"#,
            ],
            #"{"l":[{"k":1}]}"#, Array(repeating: "an incremental item's path leads nowhere", count: 5), []
        ),
        (
            .defer20220824,
            [
                #"{"data":{"a":1},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"label":"L","data":null,"errors":[{"message":"no"}]}],"hasNext":false}"#,
            ],
            #"{"a":1}"#, ["no"], ["L"]
        ),
        (
            .defer20220824,
            [
                #"{"data":{"a":1},"incremental":[{"path":[],"data":{"b":2}}],"errors":[{"message":"e"}],"hasNext":false}"#
            ],
            #"{"a":1,"b":2}"#, ["e"], []
        ),
        (
            .defer20220824,
            [#"{"data":{"h":{}},"hasNext":true}"#, #"{"path":["h"],"label":"L","data":{"n":1},"hasNext":false}"#],
            #"{"h":{"n":1}}"#, [], []
        ),
        (
            .defer20220824, [#"{"data":{"n":1.10},"hasNext":true}"#, "{}", #"{"hasNext":false}"#], #"{"n":1.10}"#, [],
            []
        ),
        (
            .incremental02,
            [
                #"{"data":{"me":{"id":"1","friends":[{},{}]}},"pending":[{"id":"0","path":["me"],"label":"L"}],"hasNext":true}"#,
                #"{"incremental":[{"id":"0","data":{"name":"x"}},{"id":"0","subPath":["friends",1],"data":{"age":3}}],"completed":[{"id":"0"}],"hasNext":false}"#,
            ],
            #"{"me":{"id":"1","friends":[{},{"age":3}],"name":"x"}}"#, [], []
        ),
        (
            .incremental02,
            [
                #"{"data":{"a":1},"pending":[{"id":"0","path":[],"label":"L"},{"id":"1","path":[]}],"hasNext":true}"#,
                #"{"completed":[{"id":"0","errors":[{"message":"bad"}]}],"incremental":[{"id":"7","data":{"z":1}}],"hasNext":true}"#,
                #"{"incremental":[{"id":"1","data":{"b":2}}],"completed":[{"id":"1"},{"id":"9"}],"hasNext":false}"#,
            ],
            #"{"a":1,"b":2}"#, [#"an incremental item names the fragment "7", which is not pending"#, "bad"], ["L"]
        ),
        (
            .incremental02,
            [
                #"{"data":{"a":1},"hasNext":true}"#,
                #"{"pending":[{"id":"5","path":[]}],"incremental":[{"id":"5","data":{"b":2}}],"completed":[{"id":"5"}],"hasNext":false}"#,
            ],
            #"{"a":1,"b":2}"#, [], []
        ),
    ]

    @Test(arguments: rows.indices)
    func `payloads make the answer of the table`(row: Int) throws {
        let (spec, payloads, data, messages, failed) = Self.rows[row]
        let whole = try answer(spec, payloads)
        #expect(whole.data.text == data && !whole.hasNext)
        #expect(
            Set(whole.errors.map { $0["message"]?.string ?? "" }) == Set(messages)
                && whole.errors.count == messages.count)
        #expect(whole.failed.map(\.label) == failed)
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
        #"{"pending":[{}],"hasNext":true}"#,
    ])
    func `a payload of another form is an error`(text: String) throws {
        var whole = IncrementalAnswer(.incremental02)
        let payload = try json(text)
        #expect(throws: IncrementalAnswer.Fault.self) { _ = try whole.apply(payload) }
    }
}
