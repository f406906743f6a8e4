import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The tables of Protocol/graphql.md about bodies and payloads, by the built command: each row is one answer of a
/// server, and one read of a session.
///
/// ``MultipartReaderTests`` and ``IncrementalResponseTests`` have the same rows for the types.
@Suite(.pooled, .tags(.process)) struct DeliveryByCommandTests {
    /// One answer, and the read that gets it.
    private struct Exchange {
        var row: String
        /// The parameter of the media type that names the form.
        var form = "deferSpec=20220824"
        var boundary = "-"
        var body: String
        var document: String
        /// Texts that the answer to the read has.
        var expected: [String]
    }

    private static let head = "Content-Type: application/json\r\n\r\n"
    private static let first = #"{"data":{"r":{"a":1}},"hasNext":true}"#
    private static let last = #"{"incremental":[{"path":["r"],"data":{"b":"x"}}],"hasNext":false}"#
    private static let whole = [#""data":{"r":{"a":1,"b":"x"}}"#, #""response":"complete""#]

    // MARK: Bodies

    private static func body(
        _ row: String, _ body: String, boundary: String = "-", _ expected: [String] = whole
    ) -> Exchange {
        Exchange(row: row, boundary: boundary, body: body, document: "{ r { a b } }", expected: expected)
    }

    private static let plain =
        "\r\n---\r\n\(head)\(first)\r\n---\r\n\(head)\(last)\r\n-----\r\n"

    private static let bodies = [
        body("no line end before the first delimiter", String(plain.dropFirst("\r\n".count))),
        body("LF alone instead of CRLF", plain.replacingOccurrences(of: "\r\n", with: "\n")),
        body("a preamble and an epilogue", "a preamble\r\n--\r\n\(plain)an epilogue\r\n---\r\n"),
        body(
            "spaces after the delimiters",
            "---  \r\n\(head)\(first)\r\n--- \t\r\n\(head)\(last)\r\n-----  \r\n"),
        body("no headers", "---\r\n\r\n\(first)\r\n---\r\n\r\n\(last)\r\n-----\r\n"),
        body(
            "many headers",
            "---\r\nX-A: 1\r\ncontent-TYPE:  application/json; charset=utf-8 \r\ny: z\r\n\r\n\(first)"
                + "\r\n---\r\n\(head)\(last)\r\n-----\r\n"),
        // The line belongs to the part, whose JSON it spoils.
        body(
            "a line that begins like a delimiter", "---\r\n\(head)\(first)\r\n---x\r\n-----\r\n",
            [#""reason":"not_graphql""#]),
        body(
            "a boundary that is a prefix", "--ab\r\n\(head)\(first)\r\n--abc\r\n--ab--\r\n", boundary: "ab",
            [#""reason":"not_graphql""#]),
        body(
            "dashes in the body",
            plain.replacingOccurrences(of: #""b":"x""#, with: #""b":"-------- x""#),
            [#""data":{"r":{"a":1,"b":"-------- x"}}"#]),
        body("an empty part", "---\r\n\r\n---\r\n\(head)\(first)\r\n---\r\n\(head)\r\n---\r\n\(head)\(last)\r\n-----"),
        body(
            "an empty object",
            "---\r\n\(head){}\r\n---\r\n\(head)\(first)\r\n---\r\n\(head){}\r\n---\r\n\(head)\(last)\r\n-----\r\n"),
        body("nothing but the closing delimiter", "-----\r\n", [#""reason":"premature_end""#]),
        body(
            "cut off in a part", "---\r\n\(head)\(first)\r\n---\r\n\(head){\"incremental\":[{\"pa",
            [#""reason":"premature_end""#]),
        body(
            "cut off before the closing delimiter", "---\r\n\(head)\(first)\r\n---\r\n",
            [#""reason":"premature_end""#]),
    ]

    /// Sentences beside the table.
    private static let besideBodies = [
        Exchange(
            row: "the end after hasNext false", body: "---\r\n\(head)\(first)\r\n---\r\n\(head)\(last)\r\n---\r\n",
            document: "{ r { a b } }", expected: whole),
        Exchange(
            row: "a part of another type", body: "---\r\nContent-Type: text/html\r\n\r\n<p>\r\n-----\r\n",
            document: "{ r { a } }", expected: [#""reason":"content_type""#, "text/html"]),
        Exchange(
            row: "another spec", form: "deferSpec=20990101", body: plain, document: "{ r { a } }",
            expected: [#""reason":"content_type""#, "deferSpec=20990101"]),
        Exchange(
            row: "a spec of subscriptions", form: "subscriptionSpec=1.0", body: plain, document: "{ r { a } }",
            expected: [#""reason":"content_type""#, "subscriptionSpec=1.0"]),
        Exchange(
            row: "no boundary", boundary: "", body: plain, document: "{ r { a } }",
            expected: [#""reason":"content_type""#, "boundary"]),
    ]

    // MARK: Payloads

    private static func payloads(
        _ row: String, _ payloads: [String], _ document: String, _ expected: String...,
        form: String = "deferSpec=20220824"
    ) -> Exchange {
        let body = payloads.map { "\r\n---\r\n\(head)\($0)" }.joined() + "\r\n-----\r\n"
        return Exchange(row: row, form: form, body: body, document: document, expected: expected)
    }

    private static let nowhere = #"{"message":"an incremental item's path leads nowhere","path":"#

    private static let payloadRows = [
        payloads("data alone", [#"{"data":{"a":1}}"#], "{ a }", #""data":{"a":1}"#, #""response":"complete""#),
        payloads(
            "items by path",
            [
                #"{"data":{"hero":{"id":"1"}},"hasNext":true}"#,
                #"{"incremental":[{"path":["hero"],"label":"L","data":{"name":"R2"}}],"hasNext":true}"#,
                #"{"hasNext":false}"#,
            ], #"{ hero { id ... @defer(label: "L") { name } } }"#, #""data":{"hero":{"id":"1","name":"R2"}}"#,
            #"{"path":["hero"],"label":"L","state":"fulfilled"}"#),
        payloads(
            "an empty path or none",
            [
                #"{"data":{"a":{"x":{"y":1}}},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"data":{"b":3}},{"data":{"a":{"x":{"z":2}}}}],"hasNext":false}"#,
            ], "{ a { x { y z } } b }", #""data":{"a":{"x":{"y":1,"z":2}},"b":3}"#),
        payloads(
            "lists of one length",
            [
                #"{"data":{"l":[{"a":1},{"a":2}]},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"data":{"l":[{"b":3},{"b":4}]}}],"hasNext":false}"#,
            ], "{ l { a b } }", #""data":{"l":[{"a":1,"b":3},{"a":2,"b":4}]}"#),
        payloads(
            "lists of different lengths",
            [
                #"{"data":{"l":[1,2]},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"data":{"l":[9]}}],"hasNext":false}"#,
            ], "{ l }", #""data":{"l":[9]}"#),
        payloads(
            "a path that leads nowhere",
            [
                #"{"data":{"a":{}},"hasNext":true}"#,
                #"{"incremental":[{"path":["b"],"data":{"x":1}},{"path":["a"],"data":{"y":2}}],"hasNext":false}"#,
            ], "{ a { y } }", #""data":{"a":{"y":2}}"#, #""errors":[\#(nowhere)["b"]}]"#),
        payloads(
            "a path that ends at no object",
            [
                #"{"data":{"a":1,"h":null},"hasNext":true}"#,
                #"{"incremental":[{"path":["h"],"data":{"t":9}},{"path":["a"],"data":{"t":9}}],"hasNext":false}"#,
            ], "{ a h { id ... @defer { t } } }", #""data":{"a":1,"h":null}"#,
            #""errors":[\#(nowhere)["h"]},\#(nowhere)["a"]}]"#),
        payloads(
            "an item whose data is no object",
            [
                #"{"data":{"h":{"k":1}},"hasNext":true}"#,
                #"{"incremental":[{"path":["h"],"data":[1]},{"path":["h"],"data":{"t":2}}],"hasNext":false}"#,
            ], "{ h { k ... @defer { t } } }", #""data":{"h":{"k":1,"t":2}}"#,
            #""errors":[{"message":"an incremental item's data is no object","path":["h"]}]"#),
        payloads(
            "data null beside items",
            [
                #"{"data":{"h":{"k":1}},"hasNext":true}"#,
                #"{"data":null,"path":null,"incremental":[{"path":["h"],"data":{"t":2}}],"hasNext":false}"#,
            ], "{ h { k ... @defer { t } } }", #""data":{"h":{"k":1,"t":2}}"#, #""errors":null"#),
        payloads(
            "a negative, huge or textual index",
            [
                #"{"data":{"l":[{}]},"hasNext":true}"#,
                #"{"incremental":[{"path":["l",-1],"data":{}},{"path":["l",99999999999999999999],"data":{}},"#
                    + #"{"path":["l","0"],"data":{}},{"path":["l",0],"data":{"k":1}}],"hasNext":false}"#,
            ], "{ l { k } }", #""data":{"l":[{"k":1}]}"#, #"\#(nowhere)["l",-1]}"#,
            #"\#(nowhere)["l",99999999999999999999]}"#, #"\#(nowhere)["l","0"]}"#),
        payloads(
            "data null in an item",
            [
                #"{"data":{"a":1},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"label":"L","data":null,"errors":[{"message":"no"}]}],"hasNext":false}"#,
            ], #"{ a ... @defer(label: "L") { b } }"#, #""data":{"a":1}"#, #""errors":[{"message":"no"}]"#,
            #""response":"complete","deferred":[{"path":[],"label":"L","state":"failed"}]"#),
        payloads(
            "data beside items",
            [
                #"{"data":{"a":1},"incremental":[{"path":[],"data":{"b":2}}],"errors":[{"message":"e"}],"hasNext":false}"#
            ],
            "{ a b }", #""data":{"a":1,"b":2}"#, #""errors":[{"message":"e"}]"#),
        payloads(
            "a path of its own",
            [#"{"data":{"h":{}},"hasNext":true}"#, #"{"path":["h"],"label":"L","data":{"n":1},"hasNext":false}"#],
            "{ h { n } }", #""data":{"h":{"n":1}}"#),
        payloads(
            "hasNext false alone", [#"{"data":{"a":1},"hasNext":true}"#, #"{"hasNext":false}"#], "{ a }",
            #""data":{"a":1}"#, #""response":"complete""#),
        payloads(
            "no members", [#"{"data":{"n":1.10},"hasNext":true}"#, "{}", #"{"hasNext":false}"#], "{ n }",
            #""data":{"n":1.10}"#),
        payloads(
            "items by id",
            [
                #"{"data":{"me":{"id":"1","friends":[{"age":1},{"age":2}]}},"pending":[{"id":"0","path":["me"],"label":"L"}],"hasNext":true}"#,
                #"{"incremental":[{"id":"0","data":{"name":"x"}},{"id":"0","subPath":["friends",1],"data":{"age":3}}],"completed":[{"id":"0"}],"hasNext":false}"#,
            ], "{ me { id friends { age } name } }",
            #""data":{"me":{"id":"1","friends":[{"age":1},{"age":3}],"name":"x"}}"#, form: "incrementalSpec=v0.2"),
        payloads(
            "completed with errors",
            [
                #"{"data":{"a":1},"pending":[{"id":"0","path":[],"label":"L"}],"hasNext":true}"#,
                #"{"completed":[{"id":"0","errors":[{"message":"bad"}]}],"hasNext":false}"#,
            ], #"{ a ... @defer(label: "L") { b } }"#, #""data":{"a":1}"#, #""errors":[{"message":"bad"}]"#,
            #""label":"L","state":"failed""#, form: "incrementalSpec=v0.2"),
        payloads(
            "an unknown id",
            [
                #"{"data":{"a":1},"pending":[{"id":"1","path":[]}],"hasNext":true}"#,
                #"{"incremental":[{"id":"2","data":{"b":1}},{"id":"1","data":{"c":1}}],"hasNext":false}"#,
            ], "{ a c }", #""data":{"a":1,"c":1}"#,
            #"an incremental item names the fragment \"2\", which is not pending"#, form: "incrementalSpec=v0.2"),
        payloads(
            "a fragment announced late",
            [
                #"{"data":{"a":1},"hasNext":true}"#,
                #"{"pending":[{"id":"5","path":[]}],"incremental":[{"id":"5","data":{"b":2}}],"completed":[{"id":"5"}],"hasNext":false}"#,
            ], "{ a b }", #""data":{"a":1,"b":2}"#, form: "incrementalSpec=v0.2"),
        payloads(
            "extensions",
            [
                #"{"data":{"a":1},"extensions":{"a":1,"b":2},"hasNext":true}"#,
                #"{"incremental":[{"path":[],"data":{},"extensions":{"b":3}}],"hasNext":false}"#,
            ], "{ a }", #""extensions":{"a":1,"b":3}"#),
    ]

    // MARK: Running

    /// Reads each document of a session whose server gives one answer after another.
    private func answers(_ exchanges: [Exchange]) throws -> [String] {
        let server = try ScriptedServer(
            exchanges.map { exchange in
                let boundary = exchange.boundary.isEmpty ? "" : "boundary=\"\(exchange.boundary)\";"
                return "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed;\(boundary)\(exchange.form)\r\n"
                    + "Connection: close\r\n\r\n\(exchange.body)"
            })
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let live = try LiveCommand([
            "run", "--db", folder.path("cache.db"), "--graphql-endpoint", "http://127.0.0.1:\(server.port)/graphql",
        ])
        var answers: [String] = []
        for (id, exchange) in exchanges.enumerated() {
            let document = exchange.document.replacingOccurrences(of: "\"", with: "\\\"")
            live.write(
                Array(
                    (#"{"jsonrpc":"2.0","id":\#(id),"method":"graphql.read","params":{"document":"\#(document)","#
                        + #""policy":"networkOnly"}}"# + "\n").utf8))
            while case .line(let line) = live.next(seconds: 240) {
                let text = String(decoding: line, as: UTF8.self)
                guard text.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"#) else { continue }
                answers.append(text)
                break
            }
        }
        let end = live.finish(seconds: 60)
        #expect(end.status == 0, "\(end.errors)")
        return answers
    }

    private func check(_ exchanges: [Exchange]) throws {
        let answers = try answers(exchanges)
        try #require(answers.count == exchanges.count)
        for (exchange, answer) in zip(exchanges, answers) {
            for text in exchange.expected { #expect(answer.contains(text), "\(exchange.row): \(answer)") }
        }
    }

    @Test func `each row about bodies is read so by a session`() throws {
        #expect(Set(try PageTable.rows(of: "Bodies")) == Set(Self.bodies.map(\.row)))
        try check(Self.bodies + Self.besideBodies)
    }

    @Test func `each row about payloads is read so by a session`() throws {
        #expect(Set(try PageTable.rows(of: "Payloads")) == Set(Self.payloadRows.map(\.row)))
        try check(Self.payloadRows)
    }
}
