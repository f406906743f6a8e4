import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The paths that show what is stored, over real sockets.
@Suite(.pooled, .tags(.process)) struct EntityRouteTests {
    @Test func `an entity comes as entity get gives it, with its checksum`() async throws {
        try await onThread {
            let server = try ServedCommand()
            try server.feed(ServedCommand.event("a/b c", "Été", sequence: 1))
            let path = "/entities/file/a%2Fb%20c?library_id=home"
            let answer = try server.ask("GET", path)
            #expect(answer.status == 200)
            let got = try server.call(
                #"{"jsonrpc":"2.0","id":1,"method":"entity.get","params":{"library_id":"home","resource_type":"file","id":"a/b c"}}"#
            )
            #expect(got.text == #"{"jsonrpc":"2.0","id":1,"result":"# + answer.text.dropLast() + "}\n")
            let tag = try #require(answer.field("ETag"))
            #expect(tag.wholeMatch(of: /"[0-9a-f]{16}"/) != nil)
            for field in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let again = try server.ask("GET", path, ["If-None-Match: \(field)"])
                #expect(again.status == 304 && again.body.isEmpty && again.field("ETag") == tag, "\(field)")
            }
            try server.feed(ServedCommand.event("a/b c", "Hiver", sequence: 2))
            let changed = try server.ask("GET", path, ["If-None-Match: \(tag)"])
            #expect(changed.status == 200 && changed.text.contains("Hiver") && changed.field("ETag") != tag)
            #expect(server.stop().status == 0)
        }
    }

    @Test func `a miss is 404 with the same body`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let miss = try server.ask("GET", "/entities/file/1")
            #expect(miss.status == 404)
            #expect(
                miss.text == #"{"entity":null,"pending":false,"sequence":null,"stale":false,"miss":"absent"}"# + "\n")
            #expect(try server.ask("GET", "/entities/no%20type/1").status == 400)
            #expect(server.stop().status == 0)
        }
    }

    @Test func `pages follow each other`() async throws {
        try await onThread {
            let server = try ServedCommand()
            try server.feed((1...5).map { ServedCommand.event("\($0)") }.joined())
            var after: String?
            var pages: [String] = []
            repeat {
                let query = "?limit=2" + (after.map { "&after=\($0.replacing(":", with: "%3A"))" } ?? "")
                let page = try server.ask("GET", "/entities/file\(query)")
                #expect(page.field("ETag") != nil)
                pages.append(page.text)
                after = page.text.firstMatch(of: /"next":"([^"]+)"/).map { String($0.1) }
            } while after != nil
            #expect(pages.count == 3 && pages[2] == #"{"entities":[{"id":"5","name":"a"}],"next":null}"# + "\n")
            #expect(server.stop().status == 0)
        }
    }

    @Test func `an export is that of the command, of one moment, while writing goes on`() async throws {
        let server = try await onThread { SendableServer(try ServedCommand()) }
        try await onThread {
            let name = String(repeating: "x", count: 4_000)
            try server.value.feed((1...3_000).map { ServedCommand.event("\($0 + 10_000)", name) }.joined())
            // The reader takes nothing yet: 12 MB are more than the server and the system hold.
            let slow = try server.value.connect(receiveByteCount: 4_096)
            slow.write(server.value.request("GET", "/export"))
            #expect(try slow.head().status == 200)
            try server.value.feed((1...3_000).map { ServedCommand.event("\($0 + 10_000)", "new") }.joined())
            let rest = try slow.text(through: "\r\n0\r\n\r\n", seconds: 60)
            #expect(!rest.contains("\"new\""))
            #expect(rest.matches(of: /"resource_type":"file"/).count == 3_000)
            let now = try server.value.ask("GET", "/export")
            #expect(now.field("Content-Type") == "application/x-ndjson")
            #expect(now.text.matches(of: /"name":"new"/).count == 3_000)
            #expect(try server.value.ask("GET", "/export?type=none").text.isEmpty)
        }
        let path = server.value.folder.path("cache.db")
        let export = try await onThread { try server.value.ask("GET", "/export").text }
        #expect(try await CommandRunner().run(["export", "--db", path]).outputText == export)
        #expect(try await onThread { server.value.stop().status } == 0)
    }

    @Test func `metrics name every counter of cache stats, in the form of Prometheus`() async throws {
        try await onThread {
            let server = try ServedCommand()
            try server.feed(ServedCommand.event("1", sequence: 1) + "broken\n")
            let answer = try server.ask("GET", "/metrics")
            #expect(answer.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
            var named: Set<String> = []
            for line in answer.text.split(separator: "\n") {
                if line.hasPrefix("#") {
                    #expect(line.wholeMatch(of: /# (HELP|TYPE) tidemark_[a-z_]+ .+/) != nil, "\(line)")
                } else {
                    let match = try #require(
                        line.wholeMatch(of: /tidemark_([a-z_]+)(\{([a-z_]+="([^"\\\n]|\\.)*",?)+\})? -?[0-9.]+/),
                        "\(line)")
                    named.insert(String(match.1))
                }
            }
            let stats = try server.call(#"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"#)
            let object = try JSONSerialization.jsonObject(with: Data(stats.body)) as? [String: Any]
            let result = try #require(object?["result"] as? [String: Any])
            for name in result.keys where !["libraries", "storage", "ignored_kinds"].contains(name) {
                #expect(named.contains(name), "\(name)")
            }
            for name in [
                "event_lag", "flush_seconds_bucket", "storage_ok", "library_sequence", "connections", "streams",
            ] {
                #expect(named.contains(name), "\(name)")
            }
            #expect(answer.text.contains("tidemark_events{bin=\"quarantined\"} 1\n"))
            #expect(answer.text.contains("tidemark_library_sequence{library_id=\"home\"} 1\n"))
            #expect(server.stop().status == 0)
        }
    }
}
