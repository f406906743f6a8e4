import TestTraits
import Testing
import TidemarkServer
import TidemarkTesting
import TidemarkTestKit

/// The connections of streams beside those of other requests, by raw sockets.
@Suite(.pooled) struct StreamConnectionTests {
    @Test func `a connection that has had other answers takes a stream`() async throws {
        let served = try await ServedCache()
        let health = served.request("GET", "/healthz")
        let stream = served.request("GET", "/stream")
        let feed = served.request(
            "POST", "/events", ["Content-Type: application/x-ndjson"], body: ServedCommand.event("1", sequence: 1))
        try await onThread {
            let connection = try served.connect()
            for _ in 0..<3 {
                connection.write(health)
                #expect(try connection.answer().text == "ok\n")
            }
            connection.write(stream)
            let head = try connection.head()
            #expect(head.status == 200 && head.field("Content-Type") == "text/event-stream")
            #expect(head.field("Transfer-Encoding") == "chunked" && head.field("Cache-Control") == "no-store")
            #expect(head.field("Date")?.hasSuffix(" GMT") == true)
            _ = try connection.text(through: "\"}\n\n")
            let other = try served.connect()
            other.write(feed)
            #expect(try other.answer().status == 200)
            let state = try connection.text(through: "\"method\":\"library.state\"")
            #expect(state.contains("id: 1\ndata: "))
        }
        try await served.stop()
    }

    @Test func `a stream that is asked for behind another request comes after its answer`() async throws {
        let served = try await ServedCache()
        let text = served.request("GET", "/healthz") + served.request("GET", "/stream")
        try await onThread {
            let connection = try served.connect()
            connection.write(text)
            #expect(try connection.answer().text == "ok\n")
            #expect(try connection.head().field("Content-Type") == "text/event-stream")
            _ = try connection.text(through: "event: hello\n")
        }
        try await served.stop()
    }

    @Test func `a connection goes on after a stream was refused`() async throws {
        var limits = ServerLimits()
        limits.streamCountMax = 1
        let served = try await ServedCache(limits)
        let stream = served.request("GET", "/stream")
        let (health, unknown) = (served.request("GET", "/healthz"), served.request("GET", "/stream?x=1"))
        try await onThread {
            let first = try served.connect()
            first.write(stream)
            _ = try first.text(through: "\"}\n\n")
            let second = try served.connect()
            for (request, status) in [(stream, 429), (health, 200), (unknown, 400), (stream, 429), (health, 200)] {
                second.write(request)
                #expect(try second.answer().status == status)
            }
        }
        try await served.stop()
    }

    @Test func `a request behind a stream is not answered, and the connection ends with the stream`() async throws {
        let served = try await ServedCache()
        let text = served.request("GET", "/stream") + served.request("GET", "/healthz")
        let connection = try await onThread {
            let connection = try served.connect()
            connection.write(text)
            _ = try connection.text(through: "\"}\n\n")
            return SendableConnection(connection)
        }
        try await served.stop()
        try await onThread {
            let last = try connection.value.text(through: "0\r\n\r\n")
            #expect(last.contains("event: bye\n"))
            #expect(connection.value.isClosed())
        }
    }

    @Test func `the refusal of a stream ends a connection on which more was asked behind it`() async throws {
        let served = try await ServedCache()
        let text = served.request("GET", "/stream?x=1") + served.request("GET", "/healthz")
        try await onThread {
            let connection = try served.connect()
            connection.write(text)
            let refusal = try connection.answer()
            #expect(refusal.status == 400 && refusal.field("Connection") == "close")
            #expect(connection.isClosed())
        }
        try await served.stop()
    }

    @Test func `a client that writes no more has no stream any more`() async throws {
        let served = try await ServedCache()
        let text = served.request("GET", "/stream")
        try await onThread {
            let connection = try served.connect()
            connection.write(text)
            _ = try connection.text(through: "\"}\n\n")
            connection.finishWriting()
            #expect(connection.isClosed())
        }
        let metrics = served.request("GET", "/metrics")
        try await onThread {
            while true {
                let connection = try served.connect()
                connection.write(metrics)
                if try connection.answer().text.contains("tidemark_streams_connected 0\n") { break }
            }
        }
        try await served.stop()
    }

    @Test func `a second connection of a stream ends the first`() async throws {
        let served = try await ServedCache()
        let text = served.request("GET", "/stream")
        let (id, first) = try await onThread {
            let connection = try served.connect()
            connection.write(text)
            let hello = try connection.text(through: "\"}\n\n")
            return (String(hello.suffix(36).prefix(32)), SendableConnection(connection))
        }
        let again = served.request("GET", "/stream?stream=\(id)", ["Last-Event-ID: 0"])
        try await onThread {
            let second = try served.connect()
            second.write(again)
            let hello = try second.text(through: "\"}\n\n")
            #expect(hello.contains("event: hello\ndata: {\"stream\":\"\(id)\"}"))
            let last = try first.value.text(through: "0\r\n\r\n")
            #expect(!last.contains("event: "))
            #expect(first.value.isClosed())
        }
        try await served.stop()
    }
}
