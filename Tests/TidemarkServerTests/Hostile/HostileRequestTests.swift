import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Requests that nobody should send, by raw sockets, against a real server: each is refused with its status, and
/// nothing is changed by it.
@Suite(.pooled, .tags(.process)) struct HostileRequestTests {
    /// A request and the statuses that may answer it.
    struct Hostile: Sendable {
        var name: String
        /// The bytes, with `{port}` and `{token}` in place of those.
        var text: String
        var statuses: [Int]
        /// The `data.code`; nil: it is not compared.
        var code: String?
        /// Whether the client says that nothing more comes.
        var endsWriting = false
    }

    @Test func `every hostile request is refused with its status, and changes nothing`() async throws {
        try await onThread {
            let server = try ServedCommand(["--allow-origin", "https://app.example"])
            try server.feed(ServedCommand.event("1"))
            let before = try HostileRequestTests.state(of: server)
            let requests = HostileRequests.all
            #expect(Set(requests.map(\.name)).count == requests.count)
            for request in requests {
                let text = request.text.replacing("{port}", with: "\(server.port)")
                    .replacing("{token}", with: server.token)
                let connection = try server.connect()
                connection.write(text)
                if request.endsWriting { connection.finishWriting() }
                do {
                    let answer = try connection.answer(seconds: 20)
                    #expect(request.statuses.contains(answer.status), "\(request.name): \(answer.status)")
                    #expect(answer.field("X-Content-Type-Options") == "nosniff", "\(request.name)")
                    #expect(
                        answer.field("Content-Security-Policy") == "default-src 'self'; frame-ancestors 'none'",
                        "\(request.name)")
                    #expect(answer.field("Set-Cookie") == nil, "\(request.name)")
                    #expect(answer.field("Access-Control-Allow-Origin") == nil, "\(request.name)")
                    if let code = request.code { #expect(answer.code == code, "\(request.name): \(answer.text)") }
                    if answer.status == 401 { #expect(answer.field("WWW-Authenticate") == "Bearer", "\(request.name)") }
                    if answer.status == 405 { #expect(answer.field("Allow") != nil, "\(request.name)") }
                    #expect(!answer.text.contains(server.token), "\(request.name)")
                } catch {
                    Issue.record("\(request.name): \(error)")
                }
            }
            #expect(try HostileRequestTests.state(of: server) == before)
            let end = server.stop()
            #expect(end.status == 0, "\(end.errors)")
        }
    }

    @Test func `there are hostile requests of every kind, more than sixty together, each refused by its status`() {
        for (kind, countMin, requests) in HostileRequests.refused {
            #expect(requests.count >= countMin, "\(kind): \(requests.count)")
            for request in requests {
                #expect(!request.statuses.isEmpty && request.statuses.allSatisfy { $0 >= 400 }, "\(request.name)")
            }
        }
        #expect(HostileRequests.refused.flatMap(\.requests).count >= 60)
        #expect(HostileRequests.refused.map(\.countMin).reduce(0, +) >= 60)
    }

    @Test func `a script in an id and in a value is text in every answer`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let script = "<script>alert(1)</script>"
            try server.feed(ServedCommand.event(script, script, sequence: 1))
            let path = "/entities/file/%3Cscript%3Ealert(1)%3C%2Fscript%3E?library_id=home"
            let read =
                #"{"jsonrpc":"2.0","id":1,"method":"entity.get","params":{"library_id":"home","resource_type":"file","id":"\#(script)"}}"#
            for answer in [
                try server.ask("GET", path), try server.ask("GET", "/entities/file?library_id=home"),
                try server.ask("GET", "/export"), try server.call(read),
            ] {
                #expect(answer.status == 200 && answer.text.contains("alert(1)"))
                let type = answer.field("Content-Type") ?? ""
                #expect(["application/json", "application/x-ndjson"].contains(type), "\(type)")
                #expect(answer.field("X-Content-Type-Options") == "nosniff")
                #expect(
                    answer.field("Content-Security-Policy") == "default-src 'self'; frame-ancestors 'none'")
            }
            // The page does not differ by what the cache holds: values come into it by its own code alone.
            let page = try server.ask("GET", "/?x=%3Cscript%3E", hasToken: false)
            #expect(!page.text.contains("alert(1)"))
            #expect(server.stop().status == 0)
        }
    }

    /// Everything that a request could have changed.
    private static func state(of server: ServedCommand) throws -> [String] {
        let export = try server.ask("GET", "/export")
        let counters = try server.call(#"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"#).text
        // Reads are counted, and the size of the log differs from write to write.
        let stable = counters.replacing(/"(hits|misses|memory_bytes|disk_bytes)":(\{[^}]*\}|[0-9]+)/, with: "")
        return [export.text, stable]
    }

    @Test func `a request that hides behind another one is not performed`() async throws {
        try await onThread {
            let server = try ServedCommand()
            try server.feed(ServedCommand.event("1"))
            let hidden = String(
                decoding: server.request(
                    "POST", "/rpc", ["Content-Type: application/json"],
                    body: Array(#"{"jsonrpc":"2.0","id":1,"method":"cache.clear","params":{}}"#.utf8)), as: UTF8.self)
            let token = "Authorization: Bearer \(server.token)\r\n"
            let heads = [
                // Two lengths, a length and chunks, chunks that a careless reader does not see.
                "Content-Length: 3\r\nContent-Length: \(hidden.utf8.count)\r\n",
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: identity, chunked\r\n", "Transfer-Encoding: xchunked\r\n",
                "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                "Content-Length: +4\r\n", "Content-Length: 0x4\r\n", "Content-Length: 4, 4\r\n",
            ]
            for head in heads {
                let connection = try server.connect()
                connection.write(
                    "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(token)"
                        + "Content-Type: application/json\r\n\(head)\r\n0\r\n\r\n\(hidden)")
                let answer = try connection.answer()
                #expect(answer.status == 400, "\(head): \(answer.status)")
                #expect(connection.isClosed(), "\(head)")
            }
            #expect(try server.ask("GET", "/entities/file/1").status == 200)
            #expect(server.stop().status == 0)
        }
    }
}
