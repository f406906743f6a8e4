import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Proxies, by the built command; the server of the test is the proxy.
@Suite(.pooled, .tags(.process)) struct ProxyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let answer: String = {
        let body = #"{"data":{"hero":{"__typename":"Droid","id":"1","name":"R2"}}}"#
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(body)"
    }()

    private func query(
        _ endpoint: String, _ more: [String] = [], environment: [String: String] = [:]
    ) async throws -> CommandResult {
        var none = Dictionary(uniqueKeysWithValues: ["http", "https", "all", "no"].map { ("\($0)_proxy", "") })
        for name in ["HTTPS", "ALL", "NO"] { none["\(name)_PROXY"] = "" }
        return try await CommandRunner().run(
            [
                "graphql", "query", "--db", folder.path("cache.db"), "--endpoint", endpoint, "--query",
                "{ hero { name } }", "--policy", "networkOnly", "--header", "Authorization: Bearer s3cr3t",
            ] + more, environment: none.merging(environment) { $1 })
    }

    @Test func `the proxy that the environment names is asked`() async throws {
        let proxy = try ScriptedServer([Self.answer])
        defer { proxy.stop() }
        let result = try await query(
            "http://graph.invalid/graphql", environment: ["http_proxy": "http://user:pa55word@127.0.0.1:\(proxy.port)"])
        #expect(result.status == 0 && result.outputText.contains(#""name":"R2""#), "\(result.errorText)")
        let request = try #require(proxy.requests.first)
        #expect(request.hasPrefix("POST http://graph.invalid/graphql HTTP/1.1\r\n"))
        #expect(request.contains("\r\nProxy-Authorization: Basic dXNlcjpwYTU1d29yZA==\r\n"))
    }

    @Test func `the environment's exceptions, this machine and a wish for none are asked without a proxy`() async throws
    {
        let server = try ScriptedServer([Self.answer])
        defer { server.stop() }
        let nobody = "http://127.0.0.1:1"
        let direct = try await query(
            "http://127.0.0.1:\(server.port)/graphql", environment: ["http_proxy": nobody, "all_proxy": nobody])
        #expect(direct.status == 0, "\(direct.errorText)")
        let proxy = try ScriptedServer([Self.answer])
        defer { proxy.stop() }
        let environment = ["http_proxy": "http://127.0.0.1:\(proxy.port)"]
        let excepted = try await query(
            "http://graph.invalid/graphql", environment: environment.merging(["no_proxy": "graph.invalid"]) { $1 })
        let unwanted = try await query(
            "http://graph.invalid/graphql", ["--proxy", "none"], environment: environment)
        for result in [excepted, unwanted] { #expect(result.status == 69, "\(result.errorText)") }
        #expect(proxy.requests.isEmpty)
    }

    @Test func `a proxy is named by an option, and sees no credential of the server behind a tunnel`() async throws {
        let proxy = try ScriptedServer(["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n"])
        defer { proxy.stop() }
        let option = "http://user:pa55word@127.0.0.1:\(proxy.port)"
        for _ in 0..<2 {
            let result = try await query("https://graph.invalid/graphql", ["--proxy", option])
            #expect(result.status == 69, "\(result.errorText)")
            for secret in ["pa55word", "s3cr3t", "dXNlcj"] {
                #expect(!result.errorText.contains(secret) && !result.outputText.contains(secret))
            }
        }
        #expect(proxy.requests.count == 2)
        for request in proxy.requests {
            #expect(request.hasPrefix("CONNECT graph.invalid:443 HTTP/1.1\r\n"))
            #expect(!request.contains("s3cr3t"))
        }
    }

    @Test func `a session has the same option, and a text that is no proxy is refused without repeating it`()
        async throws
    {
        let proxy = try ScriptedServer([Self.answer])
        defer { proxy.stop() }
        let live = try LiveCommand([
            "run", "--db", folder.path("session.db"), "--graphql-endpoint", "http://graph.invalid/graphql",
            "--graphql-proxy", "http://127.0.0.1:\(proxy.port)",
        ])
        live.write(
            Array(
                (#"{"jsonrpc":"2.0","id":1,"method":"graphql.read","params":{"document":"{ hero { name } }"}}"# + "\n")
                    .utf8))
        while case .line(let line) = live.next(seconds: 240) {
            let text = String(decoding: line, as: UTF8.self)
            guard text.hasPrefix(#"{"jsonrpc":"2.0","id":1,"#) else { continue }
            #expect(text.contains(#""data":{"hero":{"name":"R2"}}"#), "\(text)")
            break
        }
        #expect(live.finish(seconds: 60).status == 0)
        #expect(proxy.requests.first?.hasPrefix("POST http://graph.invalid/graphql HTTP/1.1\r\n") == true)
        let refused = try await query("http://graph.invalid/graphql", ["--proxy", "user:pa55word@proxy"])
        #expect(refused.status == 64 && !refused.errorText.contains("pa55word"), "\(refused.errorText)")
    }
}
