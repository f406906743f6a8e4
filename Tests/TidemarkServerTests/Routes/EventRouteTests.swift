import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

#if TIDEMARK_ZSTD
    import CZstd
#endif

/// `POST /events`, over real sockets.
@Suite(.pooled, .tags(.process)) struct EventRouteTests {
    private static let type = "Content-Type: application/x-ndjson"

    @Test func `the answer is the summary of this request, when all of it is on the disk`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let clear = #"{"jsonrpc":"2.0","id":1,"method":"cache.clear","params":{}}"#
            let first = try server.feed(
                ServedCommand.event("1", sequence: 1) + "\n" + "broken\n" + clear + "\n"
                    + ServedCommand.event("1", sequence: 1) + ServedCommand.event("2", sequence: 2).dropLast())
            #expect(first.status == 200 && first.field("Content-Type") == "application/json")
            #expect(
                first.text.hasPrefix(
                    #"{"lines":6,"events":{"applied":2,"duplicate":1,"ignored":0,"quarantined":1,"held":0},"members_quarantined":0,"reconciled":0,"late":0,"blank":1,"control":0,"messages":1,"entities":2,"libraries":{"home":{"epoch":"","sequence":2,"state":"live","lost":[]}},"seconds":"#
                ), "\(first.text)")
            // The next request counts its own lines.
            #expect(
                try server.feed(ServedCommand.event("3", sequence: 3)).text.contains(
                    #""lines":1,"events":{"applied":1,"#))
            // What was answered is there after the worst end.
            server.kill()
            let again = try ServedCommand(in: server.folder)
            #expect(try again.ask("GET", "/export").text.split(separator: "\n").count == 3)
            #expect(again.stop().status == 0)
        }
    }

    @Test func `the last events are kept with their content, and with what they changed, until the cache is cleared`()
        async throws
    {
        try await onThread {
            let server = try ServedCommand()
            func list(_ params: String) throws -> String {
                try server.call(#"{"jsonrpc":"2.0","id":1,"method":"log.list","params":\#(params)}"#).text
            }
            try server.feed(
                ServedCommand.event("1", sequence: 1) + ServedCommand.event("1", "b", sequence: 2) + "broken\n")
            let found = try list(#"{"library_id":"home","sequence":2}"#)
            #expect(
                found.contains(
                    #""writes":[{"key":"file:1","before":{"id":"1","name":"a"},"after":{"id":"1","name":"b"}}]"#),
                "\(found)")
            let line = ServedCommand.event("1", "b", sequence: 2).dropLast().replacing("\"", with: "\\\"")
            #expect(found.contains("\"text\":\"\(line)\""), "\(found)")
            #expect(found.contains(#""bytes_max":8388608}"#))
            #expect(try list(#"{"bins":["quarantined"]}"#).contains(#""text":"broken""#))
            let page = try list(#"{"key":"file:1","limit":1}"#)
            #expect(page.contains(#""number":2,"#) && page.contains(#""next":2,"#), "\(page)")
            #expect(try list(#"{"key":"file:1","limit":1,"before":2}"#).contains(#""next":null"#))
            _ = try server.call(#"{"jsonrpc":"2.0","id":1,"method":"cache.clear"}"#)
            #expect(try list("{}").contains(#""events":[],"next":null,"kept":{"events":0,"bytes":0,"#))
            #expect(server.stop().status == 0)
        }
    }

    @Test func `bodies may be compressed`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let lines = Array((1...5_000).map { (id: Int) in ServedCommand.event("\(id)", sequence: id) }.joined().utf8)
            var bodies = [
                ("gzip", try EventRouteTests.gzip(lines)),
                (
                    "x-gzip",
                    try EventRouteTests.gzip(Array(lines[..<1_000])) + EventRouteTests.gzip(Array(lines[1_000...]))
                ),
            ]
            #if TIDEMARK_ZSTD
                bodies.append(("zstd", EventRouteTests.zstd(lines)))
            #endif
            for (coding, body) in bodies {
                #expect(body.count < lines.count / 4)
                let answer = try server.ask(
                    "POST", "/events", [EventRouteTests.type, "Content-Encoding: \(coding)"], body: body)
                #expect(answer.status == 200 && answer.text.contains("\"lines\":5000"), "\(coding): \(answer.text)")
                let half = try server.ask(
                    "POST", "/events", [EventRouteTests.type, "Content-Encoding: \(coding)"],
                    body: Array(body[..<(body.count / 2)]))
                #expect(half.status == 400 && half.text.contains("\"incomplete\":true"), "\(coding): \(half.text)")
            }
            let broken = try server.ask(
                "POST", "/events", [EventRouteTests.type, "Content-Encoding: gzip"], body: Array("no gzip".utf8))
            #expect(broken.status == 400 && broken.text.contains("\"lines\":0"))
            #expect(server.stop().status == 0)
        }
    }

    #if TIDEMARK_ZSTD
        private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
            var compressed = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
            let count = ZSTD_compress(&compressed, compressed.count, bytes, bytes.count, 3)
            return Array(compressed[..<count])
        }
    #endif

    private static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try folder.write(bytes, to: "a")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/gzip")
        process.arguments = [folder.path("a")]
        try process.run()
        process.waitUntilExit()
        return try folder.read("a.gz")
    }

    @Test func `a body that breaks off keeps what was whole`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let whole = ServedCommand.event("1", sequence: 1)
            let half = String(ServedCommand.event("2", sequence: 2).dropLast(2))
            for (head, body) in [
                ("Content-Length: 10000", whole + half),
                (
                    "Transfer-Encoding: chunked",
                    "\(String((whole + half).utf8.count, radix: 16))\r\n\(whole + half)\r\n"
                ),
                (
                    "Transfer-Encoding: chunked",
                    "\(String((whole + half).utf8.count, radix: 16))\r\n\(whole + half)\r\nzz\r\n"
                ),
            ] {
                let connection = try server.connect()
                let request = String(
                    decoding: server.request("POST", "/events", [EventRouteTests.type, head]), as: UTF8.self)
                connection.write(request + body)
                connection.finishWriting()
                let answer = try connection.answer()
                #expect(answer.status == 400, "\(head)")
                #expect(
                    answer.text.contains("\"lines\":1,") && answer.text.contains("\"incomplete\":true"),
                    "\(answer.text)")
                #expect(answer.code == "bad_request")
            }
            #expect(try server.ask("GET", "/entities/file/2?library_id=home").status == 404)
            #expect(try server.ask("GET", "/entities/file/1?library_id=home").status == 200)
            #expect(server.stop().status == 0)
        }
    }

    @Test func `a client that waits for leave gets it, or the refusal alone`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let body = ServedCommand.event("1")
            let fields = [EventRouteTests.type, "Expect: 100-continue", "Content-Length: \(body.utf8.count)"]
            let connection = try server.connect()
            connection.write(server.request("POST", "/events", fields))
            #expect(try connection.text(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            connection.write(body)
            #expect(try connection.answer().status == 200)
            let refused = try server.connect()
            refused.write(server.request("POST", "/events", fields, hasToken: false))
            #expect(try refused.text(through: "\r\n").hasPrefix("HTTP/1.1 401 "))
            #expect(refused.isClosed())
            #expect(server.stop().status == 0)
        }
    }

    @Test func `a line past the limit is quarantined, and the rest is applied`() async throws {
        try await onThread {
            let server = try ServedCommand(["--max-line-kb", "1"])
            let long = ServedCommand.event("1", String(repeating: "x", count: 2_000))
            let answer = try server.feed(ServedCommand.event("0") + long + ServedCommand.event("2"))
            #expect(answer.text.contains(#""applied":2,"duplicate":0,"ignored":0,"quarantined":1"#), "\(answer.text)")
            let message =
                #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"host":"\#(String(repeating: "x", count: 2_000))"}}"#
            #expect(try server.call(message).status == 413)
            #expect(server.stop().status == 0)
        }
    }

    @Test func `two clients at once are told of their own lines`() async throws {
        let server = try await onThread { SendableServer(try ServedCommand()) }
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for client in 1...4 {
                group.addTask {
                    try await onThread {
                        let lines = (1...(client * 100)).map { ServedCommand.event("\(client)-\($0)") }.joined()
                        let broken = String(repeating: "broken\n", count: client)
                        return (client, try server.value.feed(lines + broken).text)
                    }
                }
            }
            for try await (client, text) in group {
                #expect(
                    text.hasPrefix(
                        #"{"lines":\#(client * 101),"events":{"applied":\#(client * 100),"duplicate":0,"ignored":0,"quarantined":\#(client),"held":0}"#
                    ), "\(text)")
            }
        }
        #expect(try await onThread { server.value.stop().status } == 0)
    }

    @Test func `an event behind a gap counts for the request that brought it`() async throws {
        try await onThread {
            // An upstream that does not answer: what is missing is not given up after a while.
            let upstream = try ScriptedUpstream { _ in "" }
            let server = try ServedCommand(["--upstream", upstream.address])
            try server.feed(ServedCommand.event("1", sequence: 1))
            let connection = try server.connect()
            let late = ServedCommand.event("3", sequence: 3)
            connection.write(server.request("POST", "/events", [EventRouteTests.type], body: Array(late.utf8)))
            while !(try server.ask("GET", "/metrics").text.contains("tidemark_held_events 1")) {}
            let filling = try server.feed(ServedCommand.event("2", sequence: 2))
            let held = try connection.answer()
            for answer in [filling, held] {
                #expect(answer.text.contains(#""lines":1,"events":{"applied":1,"#), "\(answer.text)")
            }
            #expect(server.stop().status == 0)
        }
    }
}

/// A server that several threads ask.
final class SendableServer: @unchecked Sendable {
    let value: ServedCommand

    init(_ value: ServedCommand) { self.value = value }
}
