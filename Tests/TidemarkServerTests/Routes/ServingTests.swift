import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The start and the end of the command, its limits, and the way it reads beside a writer.
@Suite(.pooled, .tags(.process)) struct ServingTests {
    @Test func `the first line names the address and the file of the token`() async throws {
        try await onThread {
            let server = try ServedCommand()
            #expect(
                server.firstLine
                    == #"{"serving":"http://127.0.0.1:\#(server.port)","token_file":"\#(server.folder.path("cache.db.token"))"}"#
            )
            #expect(server.token.wholeMatch(of: /[0-9a-f]{64}/) != nil)
            #expect(try server.ask("GET", "/healthz", hasToken: false).text == "ok\n")
            let end = server.stop()
            #expect(end.status == 0 && end.lines.isEmpty)
        }
    }

    @Test func `options that make no sense are refused before anything is opened`() async throws {
        let folder = try TemporaryFolder()
        for arguments in [
            ["--listen", "0.0.0.0:7420"], ["--listen", "example.org:1"], ["--listen", "127.0.0.1"],
            ["--listen", "127.0.0.1:70000"], ["--allow-origin", "app.example"], ["--allow-origin", "https://a/b"],
            ["--token-file", ""], ["--max-streams", "0"], ["--head-timeout", "0"], ["--http", "host"],
            ["--read-only", "--upstream", "file:a"], ["--upstream", "host"], ["--upstream", "http://"],
            ["--upstream-header", "A: b"],
        ] {
            let result = try await CommandRunner().run(["serve", "--db", folder.path("a.db")] + arguments)
            #expect(result.status == 64, "\(arguments): \(result.errorText)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `a token that others can read ends the command with 78`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Array((String(repeating: "0", count: 64) + "\n").utf8), to: "a.token")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("a.token"))
        let result = try await CommandRunner().run(
            ["serve", "--db", folder.path("a.db"), "--token-file", folder.path("a.token"), "--listen", "127.0.0.1:0"])
        #expect(result.status == 78 && result.errorText.hasPrefix("tidemark: unsafe_token: "), "\(result.errorText)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.token"])
    }

    @Test func `an address that is taken ends the command with 69`() async throws {
        let server = try await onThread { SendableServer(try ServedCommand()) }
        let folder = try TemporaryFolder()
        let result = try await CommandRunner().run(
            ["serve", "--db", folder.path("a.db"), "--listen", "127.0.0.1:\(server.value.port)"])
        #expect(result.status == 69 && result.errorText.hasPrefix("tidemark: cannot_listen: "), "\(result.errorText)")
        #expect(try await onThread { server.value.stop().status } == 0)
    }

    @Test func `the end waits for no half request, and has an answer for everybody`() async throws {
        try await onThread {
            let server = try ServedCommand(["--body-timeout", "3600"])
            let stream = try StreamReader(server)
            let waiting = try server.connect()
            waiting.write(
                server.request(
                    "POST", "/rpc", ["Content-Type: application/json"],
                    body: Array(
                        #"{"jsonrpc":"2.0","id":1,"method":"cache.caught_up","params":{"library_id":"home","sequence":9}}"#
                            .utf8)))
            let half = try server.connect()
            half.write(
                server.request("POST", "/events", ["Content-Type: application/x-ndjson", "Content-Length: 1000"]))
            half.write(ServedCommand.event("1", sequence: 1))
            while try server.ask("GET", "/entities/file/1?library_id=home").status != 200 {}
            // The half of a body has an hour left.
            let end = server.stop()
            #expect(end.status == 0, "\(end.errors)")
            #expect(try stream.next("library.state").data.contains("home"))
            while true {
                let event = try stream.next()
                if event.name == "bye" { break }
            }
            #expect(try waiting.answer().text.contains(#""result":{"cursor":1,"state":"live"}"#))
            let again = try ServedCommand(in: server.folder)
            #expect(try again.ask("GET", "/entities/file/1?library_id=home").status == 200)
            #expect(again.stop().status == 0)
        }
    }

    @Test func `slow heads and slow bodies are ended, and connections are counted`() async throws {
        try await onThread {
            let server = try ServedCommand(
                ["--head-timeout", "1", "--body-timeout", "1", "--max-connections", "20"])
            let idle = try server.connect()
            let slowHead = try server.connect()
            slowHead.write("GET /healthz HTTP/1.1\r\nHost: ")
            let slowMessage = try server.connect()
            slowMessage.write(server.request("POST", "/rpc", ["Content-Type: application/json", "Content-Length: 10"]))
            let slowEvents = try server.connect()
            slowEvents.write(
                server.request("POST", "/events", ["Content-Type: application/x-ndjson", "Content-Length: 1000"]))
            slowEvents.write(ServedCommand.event("1"))
            for connection in [idle, slowHead, slowMessage, slowEvents] {
                let answer = try connection.answer()
                #expect(answer.status == 408 && answer.code == "timed_out")
                #expect(answer.field("Connection") == "close" && connection.isClosed())
                if connection === slowEvents {
                    #expect(answer.text.contains(#""lines":1,"#) && answer.text.contains("incomplete"))
                }
            }
            // The connections that were ended linger for a second.
            var streams: [StreamReader] = []
            let end = TestPatience.deadline
            while streams.count < 20, .now < end {
                do { streams.append(try StreamReader(server)) } catch is RawFailure { continue }
            }
            #expect(streams.count == 20)
            let refused = try server.ask("GET", "/healthz")
            #expect(refused.status == 503 && refused.code == "overloaded")
            withExtendedLifetime(streams) {}
            #expect(server.stop().status == 0)
        }
    }

    @Test func `requests follow each other on one connection, and in one write`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let connection = try server.connect()
            connection.write(
                server.request("GET", "/healthz") + server.request("GET", "/nothing")
                    + server.request("GET", "/healthz"))
            #expect(
                try [connection.answer().status, connection.answer().status, connection.answer().status] == [
                    200, 404, 200,
                ])
            connection.write(server.request("GET", "/healthz", ["Connection: close"]))
            #expect(try connection.answer().status == 200)
            #expect(connection.isClosed())
            #expect(server.stop().status == 0)
        }
    }

    @Test func `only notifications are answered with nothing`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let notification = #"{"jsonrpc":"2.0","method":"cache.flush"}"#
            #expect(try server.call(notification).status == 204)
            #expect(try server.call("[\(notification),\(notification)]").status == 204)
            let batch = try server.call(
                "[\(notification),\n {\"jsonrpc\":\"2.0\",\r\n\"id\":7,\"method\":\"nothing\"}]")
            #expect(batch.status == 200 && batch.text.hasPrefix(#"[{"jsonrpc":"2.0","id":7,"error":{"code":-32601"#))
            #expect(server.stop().status == 0)
        }
    }

    @Test func `a page of an allowed origin is told that it may`() async throws {
        try await onThread {
            let server = try ServedCommand(["--allow-origin", "https://app.example"])
            let origin = "Origin: https://app.example"
            let asked = try server.ask(
                "OPTIONS", "/rpc", [origin, "Access-Control-Request-Method: POST"], hasToken: false)
            #expect(asked.status == 204 && asked.field("Access-Control-Allow-Methods") == "POST")
            #expect(asked.field("Access-Control-Allow-Headers")?.contains("Tidemark-Stream") == true)
            let answer = try server.ask("GET", "/metrics", [origin, "Sec-Fetch-Site: cross-site"])
            #expect(answer.status == 200 && answer.field("Access-Control-Allow-Origin") == "https://app.example")
            #expect(answer.field("Vary") == "Origin" && answer.field("Access-Control-Allow-Credentials") == nil)
            let own = try server.ask("GET", "/metrics", ["Origin: http://127.0.0.1:\(server.port)"])
            #expect(own.status == 200 && own.field("Access-Control-Allow-Origin") == nil)
            #expect(server.stop().status == 0)
        }
    }

    @Test func `beside a writer it reads what was committed, and refuses the rest`() async throws {
        try await onThread {
            let writer = try ServedCommand()
            try writer.feed(ServedCommand.event("1", "old", sequence: 1))
            let reader = try ServedCommand(["--read-only"], in: writer.folder)
            let path = "/entities/file/1?library_id=home"
            #expect(try reader.ask("GET", path).text.contains("old"))
            try writer.feed(
                ServedCommand.event("1", "new", sequence: 2) + ServedCommand.event("2", "new", sequence: 3) + "broken\n"
            )
            while !(try reader.ask("GET", path).text.contains("new")) {}
            #expect(try reader.ask("GET", "/export").text == writer.ask("GET", "/export").text)
            for (method, params, expected) in [
                ("entity.get", #"{"library_id":"home","resource_type":"file","id":"2"}"#, #""sequence":3"#),
                ("entity.list", #"{"library_id":"home","resource_type":"file"}"#, #""next":null"#),
                ("entity.find", #"{"library_id":"home","resource_type":"file","matching":"2"}"#, "file:2"),
                ("query.list", "{}", #""queries":[]"#), ("quarantine.list", "{}", "not_json"),
                ("facets", "{}", #""entities":2"#), ("cache.stats", "{}", #""quarantined":1"#),
                ("cache.explain", #"{"library_id":"home","resource_type":"file","id":"2"}"#, #""writer":"event""#),
                ("doctor.findings", "{}", "findings"), ("optimistic.list", "{}", #""pending":[]"#),
                ("query.read", #"{"method":"q","policy":"cacheOnly"}"#, "cache_miss"),
            ] {
                let answer = try reader.call(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
                #expect(answer.status == 200 && answer.text.contains(expected), "\(method): \(answer.text)")
            }
            for method in [
                "cache.clear", "cache.transaction", "cache.flush", "entity.observe", "query.observe", "query.put",
                "optimistic.update", "quarantine.retry", "log.observe", "cache.caught_up", "outbox.pause", "query.read",
                "nothing",
            ] {
                let message = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"method":"q"}}"#
                let answer = try reader.call(message)
                #expect(answer.status == 403 && answer.code == "read_only", "\(method): \(answer.text)")
                let batch = try reader.call("[\(message)]")
                #expect(batch.status == 200 && batch.code == "read_only", "\(method)")
            }
            #expect(try reader.ask("GET", "/stream").code == "read_only")
            #expect(try reader.feed(ServedCommand.event("9")).status == 403)
            #expect(try reader.ask("GET", "/metrics").text.contains("tidemark_entities 2\n"))
            #expect(reader.stop().status == 0)
            #expect(writer.stop().status == 0)
        }
    }

    @Test func `missing events and queries are asked of exactly the upstream`() async throws {
        try await onThread {
            let missing = ServedCommand.event("2", sequence: 2).dropLast()
            let upstream = try ScriptedUpstream { request in
                request.contains("events.since.v1")
                    ? #"{"jsonrpc":"2.0","id":"1","result":{"events":[\#(missing)],"covered_through":2}}"#
                    : #"{"jsonrpc":"2.0","id":"1","result":{"resource_type":"file","resources":[{"id":"q1"}]}}"#
            }
            let server = try ServedCommand(
                ["--upstream", upstream.address, "--upstream-header", "X-Key: secret"])
            try server.feed(ServedCommand.event("1", sequence: 1))
            let healed = try server.feed(ServedCommand.event("3", sequence: 3))
            #expect(healed.text.contains(#""sequence":3,"state":"live","lost":[]"#), "\(healed.text)")
            #expect(try server.ask("GET", "/entities/file/2?library_id=home").status == 200)
            let read = try server.call(#"{"jsonrpc":"2.0","id":1,"method":"query.read","params":{"method":"q"}}"#)
            #expect(read.text.contains(#""entities":[{"id":"q1"}]"#), "\(read.text)")
            #expect(upstream.requests.count == 2)
            for request in upstream.requests {
                #expect(request.hasPrefix("POST /rpc HTTP/1.1\r\n"))
                #expect(request.contains("X-Key: secret\r\n") && request.contains("Content-Type: application/json"))
            }
            #expect(
                upstream.requests[0].contains(
                    #""method":"events.since.v1","params":{"library_id":"home","sequence":2}"#))
            let end = server.stop()
            #expect(end.status == 0 && !end.errors.contains("secret"))
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 302 Found\r\nLocation: {other}", ""), ("HTTP/1.1 500 Oops", ""),
        ("HTTP/1.1 200 OK", "<html>"), ("HTTP/1.1 200 OK", #"{"jsonrpc":"2.0","id":"2","result":{}}"#),
        ("HTTP/1.1 200 OK", #"{"jsonrpc":"2.0","id":"1","result":7}"#),
        ("HTTP/1.1 200 OK", #"{"jsonrpc":"2.0","id":"1","error":{"code":1,"message":"no"}}"#),
    ])
    func `an upstream that gives no answer is an error, and nobody else is asked`(head: String, body: String)
        async throws
    {
        try await onThread {
            let other = try ScriptedUpstream { _ in
                #"{"jsonrpc":"2.0","id":"1","result":{"resource_type":"file","resources":[]}}"#
            }
            let upstream = try ScriptedUpstream(head: head.replacing("{other}", with: other.address)) { _ in body }
            let server = try ServedCommand(["--upstream", upstream.address])
            let read = try server.call(#"{"jsonrpc":"2.0","id":1,"method":"query.read","params":{"method":"q"}}"#)
            #expect(read.status == 200 && ["upstream_failed", "cache_miss"].contains(read.code), "\(read.text)")
            #expect(other.requests.isEmpty)
            #expect(server.stop().status == 0)
        }
    }
}
