import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// `--graphql-endpoint` and `graphql query`, by the built command.
@Suite(.pooled, .tags(.process)) struct EndpointTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a document is sent by POST, and its answer is stored`() throws {
        let server = try ScriptedServer([ok(Self.hero)])
        defer { server.stop() }
        let (answers, errors) = try session(
            server,
            [
                read("query Q($x: Int) { hero { id name } }", #","variables":{"x":5},"operation_name":"Q""#),
                read("{ hero { name } }", #","policy":"cacheOnly""#, id: 2),
            ], options: ["--graphql-header", "Authorization: Bearer s3cr3t-token", "--graphql-header", "X-A: 1"])
        #expect(
            answers[0].contains(#""data":{"hero":{"id":"1","name":"R2"}}"#)
                && answers[0].contains(#""source":"upstream""#))
        #expect(answers[1].contains(#""data":{"hero":{"name":"R2"}}"#) && answers[1].contains(#""source":"cache""#))
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("POST /graphql HTTP/1.1\r\n"))
        for field in [
            "Content-Type: application/json", "Authorization: Bearer s3cr3t-token", "X-A: 1",
            "Accept: multipart/mixed;deferSpec=20220824, multipart/mixed;incrementalSpec=v0.2, application/graphql-response+json, application/json",
        ] {
            #expect(request.contains("\r\n\(field)\r\n"), "\(request)")
        }
        #expect(request.contains(#""operationName":"Q","variables":{"x":5}"#) && request.contains("__typename"))
        #expect(!errors.contains("s3cr3t"))
    }

    @Test(arguments: [
        (
            "HTTP/1.1 500 Oops\r\nContent-Length: 24\r\n\r\nkey s3cr3t-token was bad",
            #""status":500,"body":"key *** was bad","reason":"status""#
        ),
        (
            "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
            #""status":302,"body":"","reason":"redirect_failed""#
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi",
            #""status":200,"body":null,"reason":"content_type""#
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"data\"",
            #""reason":"truncated""#
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"data\"",
            #""status":200,"body":"{\"data\"","reason":"not_graphql""#
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed;boundary=-;deferSpec=1\r\nContent-Length: 0\r\n\r\n",
            #""reason":"content_type""#
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed;deferSpec=20220824\r\nContent-Length: 0\r\n\r\n",
            #""reason":"content_type""#
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed;boundary=-;deferSpec=20220824\r\nConnection: close\r\n\r\n---\r\n\r\n{\"data\":{},\"hasNext\":true}\r\n---\r\n",
            #""reason":"premature_end""#
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed;boundary=-;deferSpec=20220824\r\nConnection: close\r\n\r\n---\r\nContent-Type: text/plain\r\n\r\nx\r\n-----\r\n",
            #""reason":"content_type""#
        ),
        ("", #""status":null,"body":null,"reason":"connection_lost""#),
    ])
    func `a failure says status, body and reason, and no credential`(answer: String, expected: String) throws {
        let server = try ScriptedServer([answer])
        defer { server.stop() }
        let (answers, errors) = try session(
            server, [read("{ hero { name } }")], options: ["--graphql-header", "Authorization: Bearer s3cr3t-token"])
        #expect(answers[0].contains(#""code":"upstream_failed""#) && answers[0].contains(expected), "\(answers[0])")
        #expect(!answers[0].contains("s3cr3t") && !errors.contains("s3cr3t"))
    }

    @Test func `a body that is no answer of GraphQL fails the read`() async throws {
        let bodies = [
            "{}", #"{"message":"maintenance"}"#, #"{"extensions":{}}"#, #"{"hasNext":false}"#, #"{"errors":[ ]}"#,
        ]
        let answers =
            [ok(Self.hero)] + bodies.map { ok($0) } + [parts([#"{"key":1}"#]), parts([#"{"hasNext":false}"#])]
        let server = try ScriptedServer(answers + [ok("{}"), ok("{}")])
        defer { server.stop() }
        let reads = answers.indices.map { read("{ hero { name } }", #","policy":"networkOnly""#, id: $0) }
        let fallen = read("{ hero { name } }", #","policy":"networkFirst""#, id: 99)
        let (lines, _) = try session(server, reads + [fallen])
        for line in lines.dropFirst().dropLast() {
            #expect(line.contains(#""code":"upstream_failed""#) && line.contains(#""reason":"not_graphql""#), "\(line)")
        }
        let last = try #require(lines.last)
        #expect(last.contains(#""data":{"hero":{"name":"R2"}},"source":"cache""#), "\(last)")
        let query = try await CommandRunner().run([
            "graphql", "query", "--db", folder.path("cache.db"), "--endpoint",
            "http://127.0.0.1:\(server.port)/graphql", "--query", "{ x }",
        ])
        #expect(query.status == 69 && query.outputText.isEmpty, "\(query.outputText)")
    }

    @Test func `refused documents of the newer type are results`() throws {
        let body = #"{"errors":[{"message":"no such field"}]}"#
        let server = try ScriptedServer([ok(body, type: "application/graphql-response+json", status: "400 Bad Request")]
        )
        defer { server.stop() }
        let (answers, _) = try session(server, [read("{ hero { name } }", #","policy":"networkOnlyNoStore""#)])
        #expect(answers[0].contains(#""data":null"#) && answers[0].contains("no such field"), "\(answers[0])")
    }

    @Test(arguments: ["deferSpec=20220824", "incrementalSpec=v0.2"])
    func `an answer in parts is put together, and stored when it is whole`(spec: String) throws {
        let first =
            #"{"data":{"hero":{"__typename":"Droid","id":"1"}},"pending":[{"id":"0","path":["hero"],"label":"D"}],"hasNext":true}"#
        let item = spec.hasPrefix("defer") ? #""path":["hero"],"label":"D""# : #""id":"0""#
        let second = #"{"incremental":[{\#(item),"data":{"name":"R2"}}],"completed":[{"id":"0"}],"hasNext":false}"#
        let server = try ScriptedServer([parts([first, "{}", second], spec: spec)])
        defer { server.stop() }
        let document = #"{ hero { id ... on Droid @defer(label: \"D\") { name } } }"#
        let (answers, _) = try session(
            server, [read(document), read(document, #","policy":"cacheOnly""#, id: 2)])
        for answer in answers {
            #expect(answer.contains(#""data":{"hero":{"id":"1","name":"R2"}}"#), "\(answer)")
            #expect(
                answer.contains(
                    #""response":"complete","deferred":[{"path":["hero"],"label":"D","state":"fulfilled"}]"#),
                "\(answer)")
        }
    }

    @Test func `a deferred fragment that failed is told as failed`() throws {
        let first = #"{"data":{"hero":{"__typename":"Droid","id":"1"}},"hasNext":true}"#
        let second =
            #"{"incremental":[{"path":["hero"],"label":"D","data":null,"errors":[{"message":"broken"}]}],"hasNext":false}"#
        let server = try ScriptedServer([parts([first, second])])
        defer { server.stop() }
        let (answers, _) = try session(server, [read(#"{ hero { id ... on Droid @defer(label: \"D\") { name } } }"#)])
        #expect(answers[0].contains(#""state":"failed""#) && answers[0].contains("broken"), "\(answers[0])")
    }

    @Test func `a mutation in the outbox is sent until the server has answered, across kill -9`() throws {
        let server = try ScriptedServer([
            ok("down", type: "text/plain", status: "503 Service Unavailable"), "",
            ok("slower", type: "text/plain", status: "429 Too Many Requests"),
            ok(#"{"data":{"add":{"__typename":"Photo","id":"17","name":"sea"}}}"#),
        ])
        defer { server.stop() }
        let arguments = [
            "run", "--db", folder.path("cache.db"), "--upstream", "none", "--graphql-endpoint",
            "http://127.0.0.1:\(server.port)/graphql",
        ]
        let first = try LiveCommand(arguments)
        let waiting = try lines(
            first,
            [
                #"{"jsonrpc":"2.0","id":1,"method":"graphql.mutate","params":{"document":"mutation { add { __typename id name } }","#
                    + #""pending_id":"p 1","optimistic":{"add":{"__typename":"Photo","id":"t","name":"sea"}},"send":true}}"#
            ], until: #""state":"waiting""#)
        #expect(waiting.last?.contains(#""code":"status""#) == true)
        first.send(signal: SIGKILL)
        _ = first.finish(seconds: 20)
        let second = try LiveCommand(arguments)
        let result = try lines(second, [], until: #""method":"graphql.result""#)
        #expect(
            result.last?.contains(#""pending_id":"p 1","data":{"add":{"__typename":"Photo","id":"17","name":"sea"}}"#)
                == true)
        let read = try lines(
            second, [#"{"jsonrpc":"2.0","id":2,"method":"optimistic.list"}"#], until: #""id":2,"#)
        #expect(read.last == #"{"jsonrpc":"2.0","id":2,"result":{"pending":[]}}"#)
        #expect(second.finish(seconds: 20).status == 0)
        #expect(server.requests.count == 4)
        #expect(server.requests.allSatisfy { $0.contains("Tidemark-Pending-Id: p\\u00201\r\n") })
    }

    @Test func `beside an endpoint, a request that has no other server fails`() throws {
        let server = try ScriptedServer([])
        defer { server.stop() }
        let live = try LiveCommand([
            "run", "--db", folder.path("cache.db"), "--upstream", "none", "--graphql-endpoint",
            "http://127.0.0.1:\(server.port)/graphql",
        ])
        let lines = try lines(
            live,
            [
                #"{"jsonrpc":"2.0","id":1,"method":"optimistic.update","params":{"pending_id":"p1","changes":[{"op":"put","#
                    + #""resource_type":"file","resource":{"id":"1"}}],"send":{"method":"files.put"}}}"#
            ], until: #""state":"failed""#)
        #expect(lines.last?.contains(#""code":"no_upstream""#) == true)
        #expect(live.finish(seconds: 20).status == 0)
    }

    @Test func `a mutation carries the id of its layer`() throws {
        let server = try ScriptedServer([
            ok(#"{"data":{"rename":{"__typename":"Droid","id":"1","name":"C3"}}}"#),
            ok("no", type: "text/plain", status: "403 Forbidden"),
        ])
        defer { server.stop() }
        func mutate(_ id: Int, _ pending: String) -> String {
            #"{"jsonrpc":"2.0","id":\#(id),"method":"graphql.mutate","params":{"document":"mutation { rename { id name } }","pending_id":"\#(pending)","optimistic":{"rename":{"__typename":"Droid","id":"1","name":"hoped"}}}}"#
        }
        let (answers, _) = try session(
            server,
            [
                mutate(1, "p1"), mutate(2, "p2"), #"{"jsonrpc":"2.0","id":3,"method":"optimistic.list"}"#,
                #"{"jsonrpc":"2.0","id":4,"method":"entity.get","params":{"resource_type":"Droid","id":"1"}}"#,
            ],
            options: ["--graphql-pending-header", "X-Pending"])
        #expect(
            server.requests[0].contains("\r\nX-Pending: p1\r\n") && server.requests[1].contains("\r\nX-Pending: p2\r\n")
        )
        #expect(
            answers.contains { $0.contains(#""id":1,"result":{"data":{"rename":{"id":"1","name":"C3"}}"#) },
            "\(answers)")
        #expect(answers.contains { $0.contains(#""id":2,"error""#) && $0.contains(#""status":403"#) }, "\(answers)")
        // The refused edit was rolled back.
        #expect(answers.contains { $0.contains(#""id":3,"result":{"pending":[]"#) }, "\(answers)")
        #expect(answers.contains { $0.contains(#""id":4"#) && $0.contains(#""name":"C3""#) }, "\(answers)")
    }

    @Test func `the command prints the result of a document`() async throws {
        let server = try ScriptedServer([ok(Self.hero)])
        defer { server.stop() }
        let base = [
            "graphql", "query", "--db", folder.path("cache.db"), "--endpoint",
            "http://127.0.0.1:\(server.port)/graphql",
        ]
        let runner = try CommandRunner()
        let fetched = try await runner.run(
            base + ["--query", "{ hero { id name } }", "--header", "Authorization: s3cr3t"])
        #expect(
            fetched.status == 0
                && fetched.outputText.contains(#""data":{"hero":{"id":"1","name":"R2"}},"source":"upstream""#),
            "\(fetched.errorText)")
        server.stop()
        let stored = try await runner.run(base + ["--query", "{ hero { name } }", "--policy", "cacheOnly"])
        #expect(stored.status == 0 && stored.outputText.contains(#""source":"cache""#), "\(stored.errorText)")
        let missed = try await runner.run(base + ["--query", "{ hero { age } }"])
        #expect(missed.status == 69 && missed.outputText.isEmpty, "\(missed.outputText)\(missed.errorText)")
        let wrong = try await runner.run(base + ["--query", "{ hero { age "])
        #expect(wrong.status == 65 && wrong.errorText.contains("invalid_document"))
        let usage = try await runner.run(base + ["--query", "{ a }", "--header", "s3cr3t"])
        #expect(usage.status == 64 && !usage.errorText.contains("s3cr3t"), "\(usage.errorText)")
    }
}

extension EndpointTests: EndpointSuite {}
