import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Answers in parts to observers, and subscriptions, from an endpoint, by the built command.
@Suite(.pooled, .tags(.process)) struct EndpointStreamTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["complete", "incremental"])
    func `an observer is told of each part, and of a delivery that dies`(write: String) throws {
        let first = #"{"data":{"hero":{"__typename":"Droid","id":"1"}},"hasNext":true}"#
        let second =
            #"{"incremental":[{"path":["hero"],"label":"D","data":{"name":"R2"}}],"hasNext":true}"#
        let server = try ScriptedServer([parts([first, second], end: "\r\n---\r\n")])
        defer { server.stop() }
        let live = try LiveCommand(
            [
                "run", "--db", folder.path("cache.db"), "--graphql-endpoint",
                "http://127.0.0.1:\(server.port)/graphql", "--graphql-write", write,
            ])
        let document =
            #"{ hero { id ... @defer(label: \"D\") { name } ... @defer(label: \"E\") { age } } }"#
        let observe = read(document).replacingOccurrences(of: "graphql.read", with: "graphql.observe")
        live.write(Array((observe + "\n").utf8))
        var lines: [String] = []
        while lines.last?.contains("premature_end") != true {
            guard case .line(let line) = live.next(seconds: 30) else { break }
            lines.append(String(decoding: line, as: UTF8.self))
        }
        lines = lines.filter { $0.contains("graphql") || $0.contains("result") }
        try #require(lines.count == 3, "\(lines)")
        #expect(lines[0].contains(#""data":{"hero":{"id":"1"}}"#) && lines[0].contains(#""response":"partial""#))
        #expect(lines[1].contains(#""patch":[{"op":"add","path":"/hero/name","value":"R2"}]"#))
        #expect(lines[1].contains(#""label":"D","state":"fulfilled""#))
        #expect(lines[1].contains(#""label":"E","state":"pending""#))
        #expect(lines[2].contains(#""patch":[]"#) && lines[2].contains(#""label":"E","state":"failed""#))
        #expect(lines[2].contains(#""code":"upstream_failed""#) && lines[2].contains(#""reason":"premature_end""#))
        live.write(Array((read(document, #","policy":"cacheOnly""#, id: 2) + "\n").utf8))
        guard case .line(let line) = live.next(seconds: 30) else { return }
        let kept = String(decoding: line, as: UTF8.self)
        #expect(
            kept.contains(write == "complete" ? "cache_miss" : #""data":{"hero":{"id":"1","name":"R2"}}"#), "\(kept)")
        #expect(live.finish(seconds: 30).status == 0)
    }

    @Test func `a subscription brings its payloads and its end`() throws {
        let payload = #"{"payload":{"data":{"event":{"__typename":"Droid","id":"1","name":"BB8"}}}}"#
        let server = try ScriptedServer([
            parts(
                [
                    "{}", payload, #"{"payload":null,"errors":[]}"#, String(payload.dropLast()) + #","errors":[]}"#,
                    #"{"payload":null,"errors":[{"message":"over","extensions":{"code":"X"}}]}"#,
                ],
                spec: "subscriptionSpec=1.0")
        ])
        defer { server.stop() }
        let live = try LiveCommand(
            ["run", "--db", folder.path("cache.db"), "--graphql-endpoint", "http://127.0.0.1:\(server.port)/graphql"])
        live.write(
            Array(
                (#"{"jsonrpc":"2.0","id":1,"method":"graphql.observe","params":{"document":"subscription { event { id name } }"}}"#
                    + "\n").utf8))
        var lines: [String] = []
        while lines.last?.contains("graphql.complete") != true {
            guard case .line(let line) = live.next(seconds: 30) else { break }
            lines.append(String(decoding: line, as: UTF8.self))
        }
        #expect(
            lines.filter { $0.contains("graphql.next") && $0.contains(#""data":{"event":{"id":"1","name":"BB8"}}"#) }
                .count == 2, "\(lines)")
        #expect(
            lines.last?.contains(
                #""error":{"code":"upstream_failed","message":"over","reason":"errors","status":null,"#
                    + #""errors":[{"message":"over","extensions":{"code":"X"}}]}"#) == true, "\(lines)")
        #expect(server.requests.first?.contains("\r\nAccept: multipart/mixed;subscriptionSpec=1.0\r\n") == true)
        #expect(live.finish(seconds: 30).status == 0)
    }

    @Test func `a subscription whose connection is lost comes back, and says so`() throws {
        func payload(_ name: String) -> String {
            #"{"payload":{"data":{"event":{"__typename":"Droid","id":"1","name":"\#(name)"}}}}"#
        }
        let server = try ScriptedServer([
            parts([payload("a")], spec: "subscriptionSpec=1.0", end: "\r\n---\r\n"),
            parts([payload("b")], spec: "subscriptionSpec=1.0"),
        ])
        defer { server.stop() }
        let live = try LiveCommand(
            ["run", "--db", folder.path("cache.db"), "--graphql-endpoint", "http://127.0.0.1:\(server.port)/graphql"])
        let lines = try lines(
            live,
            [
                #"{"jsonrpc":"2.0","id":1,"method":"graphql.observe","params":{"document":"subscription { event { id name } }"}}"#
            ], until: "graphql.complete"
        ).filter { $0.contains("graphql.") }
        try #require(lines.count == 4, "\(lines)")
        #expect(lines[0].contains(#""name":"a""#) && lines[2].contains(#""name":"b""#))
        #expect(lines[1].contains(#""method":"graphql.reconnecting","params":{"subscription":1,"attempt":1,"pause":"#))
        #expect(
            lines[1].contains(
                #""error":{"code":"upstream_failed","message":"the server of GraphQL: its answer ended before the last part","#
                    + #""reason":"premature_end","status":200,"errors":null}"#))
        #expect(lines[3].contains(#""error":null"#))
        #expect(server.requests.count == 2)
        #expect(live.finish(seconds: 30).status == 0)
    }
}

extension EndpointStreamTests {
    @Test func `a subscription that is refused or lost says why`() throws {
        let payload = #"{"payload":{"data":{"event":{"__typename":"Droid","id":"1","name":"a"}}}}"#
        let server = try ScriptedServer([
            ok("no", type: "text/plain", status: "401 Unauthorized"),
            parts([payload], spec: "subscriptionSpec=1.0", end: "\r\n---\r\n"),
            parts([#"{"payload":{"message":"maintenance"}}"#], spec: "subscriptionSpec=1.0"),
            parts([#"{"message":"maintenance"}"#], spec: "subscriptionSpec=1.0"),
        ])
        defer { server.stop() }
        let live = try LiveCommand(
            [
                "run", "--db", folder.path("cache.db"), "--graphql-reconnect", "0", "--graphql-endpoint",
                "http://127.0.0.1:\(server.port)/graphql",
            ])
        for (id, wanted) in [
            (1, #""reason":"status","status":401,"errors":null}"#),
            (2, #""reason":"premature_end","status":200,"errors":null}"#),
            (3, #""reason":"not_graphql","status":null,"errors":null}"#),
            (4, #""reason":"not_graphql","status":null,"errors":null}"#),
        ] {
            let last = try lines(
                live,
                [
                    #"{"jsonrpc":"2.0","id":\#(id),"method":"graphql.observe","params":{"document":"subscription { event { id name } }"}}"#
                ], until: "graphql.complete"
            ).last
            #expect(
                last?.contains(#""code":"upstream_failed""#) == true && last?.contains(wanted) == true, "\(last ?? "")")
        }
        #expect(live.finish(seconds: 30).status == 0)
    }
}

extension EndpointStreamTests: EndpointSuite {}
