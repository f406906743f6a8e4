import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkTestKit
import TidemarkTesting

/// HEAD is GET without a body, on every path.
@Suite(.pooled) struct HeadTests {
    @Test func `HEAD has the head of GET, and the next answer on the connection is whole`() async throws {
        let served = try await ServedCache()
        try await served.cache.ingest(
            Array(#"{"library_id":"","sequence":1,"event":{"ResourceChanged":{"resource_type":"file","#.utf8)
                + Array(#""resource":{"id":"f1"}}}}"#.utf8) + [0x0A])
        for path in [
            "/entities/file/f1", "/entities/file/none", "/entities/file", "/export", "/metrics", "/healthz", "/",
            "/inspector.js", "/recording", "/nowhere",
        ] {
            let requests = ["GET", "HEAD", "HEAD", "GET"].map { served.request($0, path) }
            let (whole, heads, last) = try await onThread {
                let connection = try served.connect()
                connection.write(requests[0])
                let whole = try connection.answer()
                // Two at once: each answer ends where its head ends.
                connection.write(requests[1] + requests[2] + requests[3])
                let heads = [try connection.head(), try connection.head()]
                return (whole, heads, try connection.answer())
            }
            for head in heads {
                #expect(head.status == whole.status, "\(path)")
                for name in ["Content-Length", "Content-Type", "ETag", "Cache-Control", "Content-Security-Policy"]
                where path != "/metrics" || name != "Content-Length" {
                    #expect(head.field(name) == whole.field(name), "\(path): \(name)")
                }
            }
            #expect(last.status == whole.status && (path == "/metrics" || last.body == whole.body), "\(path)")
        }
        try await served.stop()
    }

    @Test func `HEAD begins no stream, and needs the token`() async throws {
        let served = try await ServedCache()
        let head = served.request("HEAD", "/stream")
        let after = served.request("GET", "/metrics")
        let bare = "HEAD /stream HTTP/1.1\r\nHost: 127.0.0.1:\(served.port)\r\n\r\n"
        let (answer, metrics, refused) = try await onThread {
            let connection = try served.connect()
            connection.write(head + after)
            let answer = try connection.head()
            let metrics = try connection.answer()
            connection.write(bare)
            return (answer, metrics, try connection.head())
        }
        #expect(answer.status == 200 && answer.field("Content-Type") == "text/event-stream")
        #expect(metrics.text.contains("streams 0\n"))
        #expect(refused.status == 401)
        try await served.stop()
    }

    @Test func `HEAD on a path without GET is not allowed, and has no body`() async throws {
        let served = try await ServedCache()
        let requests = served.request("HEAD", "/rpc") + served.request("GET", "/healthz")
        let (refused, health) = try await onThread {
            let connection = try served.connect()
            connection.write(requests)
            return (try connection.head(), try connection.answer())
        }
        #expect(refused.status == 405 && refused.field("Allow") == "POST")
        #expect(health.text == "ok\n")
        try await served.stop()
    }
}
