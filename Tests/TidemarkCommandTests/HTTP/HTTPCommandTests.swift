import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// `tidemark http` against a real server.
@Suite(.pooled, .tags(.process)) struct HTTPCommandTests {
    /// A server with validators, a redirect, an error, a long body and bodies that end early; and a database.
    private struct Fixture {
        let folder: TemporaryFolder
        let server: RawServer

        static let long = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

        init() throws {
            folder = try TemporaryFolder()
            server = try RawServer { head in
                let path = head.split(separator: " ").dropFirst().first ?? ""
                let isKnown = head.lowercased().contains("if-none-match: \"1\"")
                switch path {
                case "/etag", "/fresh", "/etag?b":
                    if isKnown { return .init("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n") }
                    let fields = ["ETag: \"1\"", "Content-Type: text/plain"]
                    return .init(
                        "200 OK", fields + (path == "/fresh" ? ["Cache-Control: max-age=600"] : []),
                        body: Array("the body".utf8))
                case "/long": return .init("200 OK", ["ETag: \"1\""], body: Fixture.long)
                case "/short": return .init("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
                case "/moved": return .init("302 Found", ["Location: /etag"], body: [])
                case "/loop": return .init("302 Found", ["Location: /loop"], body: [])
                case "/silent": return .init("", end: .silence)
                case "/echo":
                    let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("x-said") } ?? "-"
                    return .init("200 OK", body: Array(field.utf8))
                default: return .init("404 Not Found", body: Array("nothing\n".utf8))
                }
            }
        }

        func run(_ arguments: String...) async throws -> CommandResult {
            try await CommandRunner().run(["http"] + arguments + ["--db", folder.path("a.db")])
        }

        func get(_ path: String, _ options: String...) async throws -> CommandResult {
            try await CommandRunner().run(["http", "get", server.url + path, "--db", folder.path("a.db")] + options)
        }

        func json(_ result: CommandResult) throws -> ReferenceJSON {
            #expect(result.status == 0, "\(result.errorText)")
            return try ReferenceJSONParser.parse(Array(result.outputText.utf8.dropLast()))
        }
    }

    private func text(_ value: ReferenceJSON?) -> String { String(decoding: value?.written ?? [], as: UTF8.self) }

    @Test func `get prints the body, and then the stored one after a 304`() async throws {
        let fixture = try Fixture()
        defer { fixture.server.stop() }
        for _ in 0..<2 {
            let result = try await fixture.get("/etag")
            #expect(result.status == 0 && result.outputText == "the body" && result.errorText.isEmpty)
        }
        #expect(fixture.server.requests.map { $0.lowercased().contains("if-none-match") } == [false, true])
        let shown = try await fixture.get("/etag", "-i")
        #expect(shown.outputText.hasPrefix("HTTP 200 OK\n") && shown.outputText.hasSuffix("\n\nthe body"))
        #expect(shown.outputText.contains("\nETag: \"1\"\n"))
        #expect(shown.outputText.contains("\nCache-Status: tidemark; fwd=stale; fwd-status=304\n"))
    }

    @Test func `get with --json prints the result of http_fetch`() async throws {
        let fixture = try Fixture()
        defer { fixture.server.stop() }
        let first = try fixture.json(try await fixture.get("/etag", "--json"))
        #expect(text(first.member("status")) == "200" && text(first.member("body")) == "\"the body\"")
        #expect(text(first.member("from_cache")) == "false" && text(first.member("stored")) == "true")
        let second = try fixture.json(try await fixture.get("/etag", "--json"))
        #expect(text(second.member("revalidated")) == "true")
        #expect(text(second.member("cache_status")) == "\"tidemark; fwd=stale; fwd-status=304\"")
    }

    @Test func `the policies decide whether the server is asked`() async throws {
        let fixture = try Fixture()
        defer { fixture.server.stop() }
        for (options, askedCount) in [
            (["--policy", "standard"], 1), (["--policy", "standard"], 1), (["--policy", "enabled"], 1),
            (["--policy", "etag,maxAge"], 1), (["--policy", "timeout", "--timeout", "600"], 1),
            (["--policy", "etag"], 2), (["--policy", "none"], 3), (["--storage", "session"], 4),
            (["--storage", "disabled"], 5), (["--policy", "enabled"], 6),
            (["--library", "b", "--policy", "enabled"], 7),
            (["--method", "HEAD"], 8),
        ] {
            let result = try await CommandRunner().run(
                ["http", "get", fixture.server.url + "/fresh", "--db", fixture.folder.path("a.db")] + options)
            let isHead = options.first == "--method"
            #expect(result.status == 0 && result.outputText == (isHead ? "" : "the body"), "\(options)")
            #expect(fixture.server.requests.count == askedCount, "\(options)")
        }
    }

    @Test func `a redirect is followed, fields are sent, and an error status is an answer`() async throws {
        let fixture = try Fixture()
        defer { fixture.server.stop() }
        #expect(try await fixture.get("/moved").outputText == "the body")
        let said = try await fixture.get("/echo", "--header", "X-Said: a, b", "--policy", "none")
        #expect(said.outputText == "X-Said: a, b")
        let missing = try await fixture.get("/nowhere")
        #expect(missing.status == 0 && missing.outputText == "nothing\n")
    }

    @Test func `a failure prints its code and nothing else`() async throws {
        let fixture = try Fixture()
        for (path, code, options) in [
            ("/short", "truncated", []), ("/loop", "redirect_failed", []),
            ("/silent", "timed_out", ["--request-timeout", "0.3"]), ("/etag", "offline", ["--offline"]),
        ] {
            let result = try await CommandRunner().run(
                ["http", "get", fixture.server.url + path, "--db", fixture.folder.path("a.db")] + options)
            #expect(result.status == 69 && result.output.isEmpty, "\(path)")
            #expect(result.errorText.contains(code), "\(result.errorText)")
        }
        #expect(try await fixture.get("/etag").status == 0)
        fixture.server.stop()
        let gone = try await fixture.get("/etag")
        #expect(gone.status == 69 && gone.output.isEmpty && gone.errorText.contains("offline"))
        let seen = try await fixture.get("/etag", "--policy", "etag,loadIfOffline", "-i")
        #expect(seen.status == 0 && seen.outputText.hasSuffix("the body"))
        #expect(seen.outputText.contains("Cache-Status: tidemark; fwd=stale; detail=offline"))
    }

    @Test(arguments: [
        ["ftp://a.test/"], ["http://u:p@a.test/"], ["http://a.test/", "--policy", "sometimes"],
        ["http://a.test/", "--policy", "timeout"], ["http://a.test/", "--header", "no colon"],
        ["http://a.test/", "--header", "A: b\r\nC: d"], ["http://a.test/", "--storage", "elsewhere"],
        ["http://a.test/", "--method", "POST"], ["http://a.test/", "--request-timeout", "0"],
        ["http://a.test/", "--timeout", "-1"],
    ])
    func `wrong arguments are usage`(arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let result = try await CommandRunner().run(["http", "get", "--db", folder.path("a.db")] + arguments)
        #expect(result.status == 64 && result.output.isEmpty, "\(result.errorText)")
    }

    @Test func `a long body is printed as it comes, stored, and shown from the disk`() async throws {
        let fixture = try Fixture()
        defer { fixture.server.stop() }
        #expect(try await fixture.get("/long").output == Fixture.long)
        #expect(try await fixture.get("/long", "--policy", "enabled").output == Fixture.long)
        let part = try await fixture.get("/long", "--policy", "enabled", "--header", "Range: bytes=1048570-1048581")
        #expect(part.output == Array(Fixture.long[1_048_570...1_048_581]))
        #expect(fixture.server.requests.count == 1)
    }

    @Test func `list, show and invalidate`() async throws {
        let fixture = try Fixture()
        defer { fixture.server.stop() }
        for path in ["/etag", "/etag?b", "/fresh"] { _ = try await fixture.get(path, "--header", "Cookie: secret") }
        let list = try await fixture.run("list")
        #expect(list.outputLines.count == 4 && list.outputText.contains("GET \(fixture.server.url)/fresh"))
        #expect(!list.outputText.contains("secret"))
        let entries = try await fixture.run("list", "--json", "--prefix", fixture.server.url + "/etag").outputLines
        #expect(entries.count == 2)
        let entry = try ReferenceJSONParser.parse(Array(entries[0].utf8))
        #expect(text(entry.member("size")) == "8" && text(entry.member("status")) == "200")
        #expect(text(entry.member("validators")?.member("etag")) == #""\"1\"""#)
        let shown = try await fixture.run("show", fixture.server.url + "/etag")
        #expect(shown.outputText.hasPrefix("HTTP 200 OK\n") && shown.outputText.contains("the body"))
        let whole = try fixture.json(try await fixture.run("show", fixture.server.url + "/etag", "--json"))
        #expect(text(whole.member("body")) == "\"the body\"" && text(whole.member("hits")) == "0")
        #expect(text(whole.member("headers")).contains(#"["ETag","\"1\""]"#))
        #expect(try await fixture.run("show", fixture.server.url + "/none").status == 66)
        #expect(try await fixture.run("invalidate").status == 64)
        let named = try await fixture.run("invalidate", fixture.server.url + "/etag?b")
        #expect(named.outputText == "1 removed\n")
        #expect(try await fixture.get("/etag?b").status == 0)
        let url = try await fixture.run("invalidate", "--url", fixture.server.url + "/fresh")
        #expect(url.outputText == "1 removed\n")
        let prefix = try await fixture.run("invalidate", "--prefix", fixture.server.url, "--json")
        #expect(prefix.outputText == "{\"removed\":2}\n")
        #expect(try await fixture.run("invalidate", "--all").outputText == "0 removed\n")
        #expect(try await fixture.run("list").outputText == "No stored answers.\n")
        let missing = try await CommandRunner().run(
            ["http", "invalidate", "--all", "--db", fixture.folder.path("none.db")])
        #expect(missing.status == 66)
    }

    @Test func `stats, doctor, verify and its repair know the answers`() async throws {
        let fixture = try Fixture()
        defer { fixture.server.stop() }
        _ = try await fixture.get("/etag")
        func run(_ arguments: String...) async throws -> CommandResult {
            try await CommandRunner().run(arguments + ["--db", fixture.folder.path("a.db")])
        }
        let stats = try fixture.json(try await run("stats", "--json"))
        #expect(text(stats.member("http_answers")) == "1" && text(stats.member("http_bytes")) != "0")
        #expect(try await run("stats").outputText.contains("HTTP answers"))
        #expect(try await run("doctor").outputText.contains("1 HTTP answer is stored"))
        #expect(try await run("verify").status == 0)
        let repaired = try await run("verify", "--repair")
        #expect(repaired.status == 0, "\(repaired.errorText)")
        #expect(try await run("verify").status == 0)
    }

    @Test func `no environment names a proxy, and no cookie is kept`() async throws {
        let folder = try TemporaryFolder()
        let server = try RawServer(
            always: .init("200 OK", ["Set-Cookie: a=b; Path=/", "ETag: \"1\""], body: Array("x".utf8)))
        defer { server.stop() }
        let proxies = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].map { ($0, "http://127.0.0.1:1") }
        for _ in 0..<2 {
            let result = try await CommandRunner().run(
                ["http", "get", server.url, "--db", folder.path("a.db")],
                environment: Dictionary(uniqueKeysWithValues: proxies))
            #expect(result.status == 0 && result.outputText == "x")
        }
        #expect(server.requests.count == 2 && server.requests.allSatisfy { !$0.lowercased().contains("cookie") })
    }

    /// Asks a session for some answers, one after another.
    ///
    /// - Returns: The lines of the answers, and what was written to standard error.
    private func session(
        _ arguments: [String], _ requests: [String], between: () -> Void = {}
    ) throws -> (answers: [String], errors: String) {
        let live = try LiveCommand(["run", "--upstream", "none"] + arguments)
        var answers: [String] = []
        for request in requests {
            if !answers.isEmpty { between() }
            live.write(Array((request + "\n").utf8))
            while case .line(let line) = live.next(seconds: 60) {
                let text = String(decoding: line, as: UTF8.self)
                guard text.hasPrefix(#"{"jsonrpc":"2.0","id":"#) else { continue }
                answers.append(text)
                break
            }
        }
        let end = live.finish(seconds: 60)
        #expect(end.status == 0 && answers.count == requests.count, "\(end.errors)")
        return (answers, end.errors)
    }

    /// A line of a session holds 11 MiB of a body.
    @Test func `a body that no line holds is limit_exceeded in a session, and stored all the same`() async throws {
        let folder = try TemporaryFolder()
        let body = [UInt8](repeating: 7, count: 12 << 20)
        let server = try RawServer(always: .init("200 OK", ["ETag: \"1\""], body: body))
        defer { server.stop() }
        let request = #"{"jsonrpc":"2.0","id":1,"method":"http.fetch","params":{"url":"\#(server.url)/"}}"#
        let answers = try session(["--db", folder.path("a.db")], [request]).answers
        #expect(answers.first?.contains("limit_exceeded") == true)
        let list = try await CommandRunner().run(["http", "list", "--json", "--db", folder.path("a.db")])
        #expect(list.outputText.contains(#""size":12582912"#), "\(list.outputText)")
    }

    @Test func `the bounds of a session's answers come from its options`() async throws {
        let folder = try TemporaryFolder()
        // Bytes that do not compress.
        var random = SeededGenerator(seed: 1)
        let body = (0..<(1 << 20)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let server = try RawServer { head in
            let path = head.split(separator: " ").dropFirst().first ?? ""
            if path == "/silent" { return .init("", end: .silence) }
            return .init("200 OK", ["ETag: \"1\""], body: path == "/long" ? body : Array(body.prefix(60_000)))
        }
        defer { server.stop() }
        let paths = ["/silent", "/long", "/1", "/2"]
        // The time of the option is too short for a long body on a slow machine: those that come have their own.
        let requests = paths.enumerated().map { id, path in
            let time = path == "/silent" ? "" : #","request_timeout":300"#
            let params = #"{"url":"\#(server.url)\#(path)"\#(time)}"#
            return #"{"jsonrpc":"2.0","id":\#(id + 1),"method":"http.fetch","params":\#(params)}"#
        }
        let answers = try session(
            [
                "--db", folder.path("a.db"), "--http-request-timeout", "0.3", "--http-body-limit-kb", "1000",
                "--http-limit-kb", "100",
            ], requests
        ).answers
        #expect(answers[0].contains(#""code":"timed_out""#))
        #expect(answers[1].contains(#""status":200"#) && answers[1].contains(#""stored":false"#))
        #expect(answers[2].contains(#""stored":true"#) && answers[3].contains(#""stored":true"#))
        let list = try await CommandRunner().run(["http", "list", "--json", "--db", folder.path("a.db")])
        #expect(list.outputLines.count == 1 && list.outputText.contains("/2"), "\(list.outputText)")
    }

    @Test func `credentials are in no recording, no message and no file`() throws {
        let folder = try TemporaryFolder()
        let server = try RawServer(always: .init("200 OK", ["ETag: \"1\""], body: Array(#"{"id":"1"}"#.utf8)))
        let secret = "s3cr3t-of-a-user"
        func request(_ id: Int) -> String {
            #"{"jsonrpc":"2.0","id":\#(id),"method":"http.fetch","params":{"url":"\#(server.url)/","#
                + #""headers":{"Authorization":"\#(secret)","Cookie":"\#(secret)"},"#
                + #""normalize":{"resource_type":"file"}}}"#
        }
        let (answers, errors) = try session(
            ["--db", folder.path("a.db"), "--record", folder.path("a.rec")], [request(1), request(2)],
            between: { server.stop() })
        #expect(answers.last?.contains("offline") == true, "\(answers)")
        #expect(!errors.contains(secret) && !answers.contains { $0.contains(secret) })
        for name in ["a.db", "a.rec"] {
            let bytes = try folder.read(name)
            #expect(!bytes.isEmpty && !bytes.contains(secret.utf8), "\(name)")
        }
    }

    @Test func `a recording holds no field of a host's answer`() async throws {
        let folder = try TemporaryFolder()
        let live = try LiveCommand([
            "run", "--upstream", "none", "--http", "host", "--db", folder.path("a.db"), "--record",
            folder.path("a.rec"),
        ])
        live.write(
            Array(
                #"{"jsonrpc":"2.0","id":1,"method":"http.fetch","params":{"url":"http://a.test/?token=s3cr3t"}}"#.utf8)
                + [0x0A])
        while case .line(let line) = live.next(seconds: 60) {
            let message = try ReferenceJSONParser.parse(line)
            if text(message.member("method")) == #""http.exchange""# {
                let answer =
                    #"{"jsonrpc":"2.0","id":\#(text(message.member("id"))),"result":{"status":200,"#
                    + #""headers":[["Set-Cookie","s3cr3t"]],"body_base64":"AA=="}}"#
                live.write(Array((answer + "\n").utf8))
            } else if message.member("result") != nil {
                break
            }
        }
        #expect(live.finish(seconds: 60).status == 0)
        let recording = String(decoding: try folder.read("a.rec"), as: UTF8.self)
        #expect(!recording.contains("s3cr3t"), "\(recording)")
        #expect(recording.contains(#"{"jsonrpc":"2.0","id":1,"method":"http.fetch"}"#))
        #expect(try await CommandRunner().run(["replay", folder.path("a.rec")]).status == 0)
    }
}
