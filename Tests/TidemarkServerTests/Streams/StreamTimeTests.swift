import Foundation
import Testing
import TidemarkServer
import TidemarkTesting

/// The effect of time on streams, with limits that a test can wait for.
@Suite(.timeLimit(.minutes(10))) struct StreamTimeTests {
    @Test func `an idle stream has comments, by which a client that is gone is noticed`() async throws {
        var limits = ServerLimits()
        limits.commentInterval = 50
        let served = try await ServedCache(limits)
        let text = served.request("GET", "/stream")
        try await onThread {
            let connection = try served.connect()
            connection.write(text)
            _ = try connection.text(through: "event: hello\n")
            for _ in 0..<3 { _ = try connection.text(through: ":\n\n", seconds: 5) }
        }
        try await served.stop()
    }

    @Test func `the subscriptions of a client that is gone end after the time to come back`() async throws {
        var limits = ServerLimits()
        limits.resumeTimeout = 300
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
