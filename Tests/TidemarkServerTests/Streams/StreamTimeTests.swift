import Foundation
import TestTraits
import Testing
import TidemarkServer
import TidemarkTesting
import TidemarkTestKit

/// The effect of time on streams, with limits that a test can wait for.
@Suite(.pooled) struct StreamTimeTests {
    @Test func `an idle stream has comments, by which a client that is gone is noticed`() async throws {
        var limits = ServerLimits()
        limits.commentInterval = .milliseconds(50)
        let served = try await ServedCache(limits)
        let text = served.request("GET", "/stream")
        try await onThread {
            let connection = try served.connect()
            connection.write(text)
            _ = try connection.text(through: "event: hello\n")
            for _ in 0..<3 { _ = try connection.text(through: ":\n\n") }
        }
        try await served.stop()
    }

    @Test func `the subscriptions of a client that is gone end after the time to come back`() async throws {
        var limits = ServerLimits()
        limits.resumeTimeout = .milliseconds(300)
        let served = try await ServedCache(limits)
        let text = served.request("GET", "/stream")
        let (id, connection) = try await onThread {
            let connection = try served.connect()
            connection.write(text)
            let hello = try connection.text(through: "\"}\n\n")
            return (String(hello.suffix(36).prefix(32)), SendableConnection(connection))
        }
        let observe = #"{"jsonrpc":"2.0","id":1,"method":"entity.observe","params":{"resource_type":"file","id":"1"}}"#
        #expect(try await served.call(observe, stream: id).text.contains("subscription"))
        let stats = #"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"#
        #expect(try await served.call(stats).text.contains("\"observers\":1"))
        connection.value.reset()
        while try await served.call(stats).text.contains("\"observers\":1") {}
        let late = try await served.call(observe, stream: id)
        #expect(late.code == "invalid_params")
        try await served.stop()
    }

    @Test func `the time to send is within the range that the system knows`() {
        let values: [(timeout: Int64, option: Int32)] = [
            (.min, 0), (-1, 0), (0, 0), (15_000, 15_000), (1 << 31, .max), ((1 << 32) + 1, .max), (.max, .max),
        ]
        for (timeout, option) in values {
            var limits = ServerLimits()
            limits.sendTimeout = .milliseconds(timeout)
            #expect(limits.sendTimeoutOption == option)
        }
    }

    #if os(Linux)
        @Test func `a client that takes no byte while some wait is cut, and comes back without loss`() async throws {
            #expect(ServerLimits().sendTimeout == .seconds(15))
            var limits = ServerLimits()
            limits.sendTimeout = .seconds(2)
            let served = try await ServedCache(limits)
            let text = served.request("GET", "/stream")
            // One reads nothing, one reads all that comes, and one has nothing to read.
            let streams = try await onThread {
                try (0..<3).map { index in
                    let connection = try served.connect(receiveByteCount: index == 0 ? 65_536 : nil)
                    connection.write(text)
                    let hello = try connection.text(through: "\"}\n\n")
                    return (id: String(hello.suffix(36).prefix(32)), connection: SendableConnection(connection))
                }
            }
            for (index, id) in ["1", "1", "2"].enumerated() {
                let observe =
                    #"{"jsonrpc":"2.0","id":1,"method":"entity.observe","params":{"library_id":"home","resource_type":"file","id":"\#(id)"}}"#
                #expect(try await served.call(observe, stream: streams[index].id).text.contains("subscription"))
            }
            // More than the system takes for the first client, and less than a stream keeps.
            let name = String(repeating: "x", count: 1 << 20)
            let event = served.request(
                "POST", "/events", ["Content-Type: application/x-ndjson"],
                body: ServedCommand.event("1", name, sequence: 1))
            let metrics = served.request("GET", "/metrics")
            try await onThread {
                let other = try served.connect()
                other.write(event)
                // Read at once: who takes no byte for the time above is cut, too.
                _ = try streams[1].connection.value.text(through: "\"method\":\"durable\"")
                #expect(try other.answer().status == 200)
                let end = TestPatience.deadline
                var connected: String
                repeat {
                    other.write(metrics)
                    connected = try other.answer().text
                } while !connected.contains("tidemark_streams_connected 2\n") && .now < end
                #expect(connected.contains("tidemark_streams_connected 2\n"))
                #expect(streams[0].connection.value.isClosed())
            }
            let again = served.request("GET", "/stream?stream=\(streams[0].id)", ["Last-Event-ID: 0"])
            try await onThread {
                let connection = try served.connect()
                connection.write(again)
                let text = try connection.text(through: "\"method\":\"durable\"")
                #expect(text.contains("event: hello\ndata: {\"stream\":\"\(streams[0].id)\"}"))
                #expect(!text.contains("event: gone") && text.contains("id: 1\ndata: ") && text.contains(name))
            }
            try await served.stop()
        }
    #endif

    @Test func `at the end every stream hears bye`() async throws {
        let served = try await ServedCache()
        let text = served.request("GET", "/stream")
        let connection = try await onThread {
            let connection = try served.connect()
            connection.write(text)
            _ = try connection.text(through: "\"}\n\n")
            return SendableConnection(connection)
        }
        try await served.stop()
        try await onThread {
            let last = try connection.value.text(through: "\"}\n\n")
            #expect(last.contains("event: bye\n"))
            #expect(connection.value.isClosed())
        }
    }
}

/// A connection that one thread after another uses.
final class SendableConnection: @unchecked Sendable {
    let value: RawConnection

    init(_ value: RawConnection) { self.value = value }
}
