import Foundation
import TestTraits
import Testing
import TidemarkTesting
import TidemarkTestKit

/// Streams of notifications from the command, over real sockets.
@Suite(.pooled, .tags(.process)) struct StreamTests {
    private static let observe =
        #"{"jsonrpc":"2.0","id":1,"method":"entity.observe","params":{"library_id":"home","resource_type":"file","id":"1"}}"#

    @Test func `a change comes as a whole message with a number, and only to who observes`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let observer = try StreamReader(server)
            let other = try StreamReader(server)
            #expect(observer.id != other.id && observer.before.isEmpty)
            let answer = try server.call(StreamTests.observe, stream: observer.id)
            #expect(answer.text.contains("\"subscription\":1"))
            try server.feed(ServedCommand.event("1", sequence: 1))
            let change = try observer.next()
            #expect(change.number == 1 && change.name == nil)
            #expect(
                change.data
                    == #"{"jsonrpc":"2.0","method":"entity.changed","params":{"subscription":1,"entity":{"id":"1","name":"a"},"changed_fields":["id","name"]}}"#
            )
            // Everybody hears of libraries and of what is durable.
            for stream in [observer, other] {
                #expect(try stream.next("library.state").data.contains(#""library_id":"home","state":"live""#))
                let durable = try stream.next("durable")
                #expect(durable.data.contains(#""library_id":"home","epoch":"","sequence":1"#))
                #expect(durable.number == (stream === observer ? 3 : 2))
            }
            #expect(server.stop().status == 0)
        }
    }

    @Test func `a stream that was cut goes on without loss`() async throws {
        try await onThread {
            let server = try ServedCommand()
            var stream = try StreamReader(server)
            _ = try server.call(StreamTests.observe, stream: stream.id)
            var names: [String] = []
            var last = 0
            let id = stream.id
            for round in 0..<5 {
                for step in 1...20 {
                    let number = round * 20 + step
                    try server.feed(ServedCommand.event("1", "n\(number)", sequence: number))
                }
                // Half of the changes are read, then the connection breaks.
                while names.count < round * 20 + 10 {
                    let event = try stream.next()
                    last = event.number ?? last
                    if let match = event.data.firstMatch(of: /"name":"(n[0-9]+)"/) { names.append(String(match.1)) }
                }
                stream.connection.reset()
                stream = try StreamReader(server, query: "?stream=\(id)", lastEventID: "\(last)")
                #expect(stream.id == id && stream.before.isEmpty)
            }
            while names.count < 100 {
                if let match = try stream.next().data.firstMatch(of: /"name":"(n[0-9]+)"/) {
                    names.append(String(match.1))
                }
            }
            #expect(names == (1...100).map { "n\($0)" })
            #expect(server.stop().status == 0)
        }
    }

    @Test func `a stream that is not there any more is gone, and another begins`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let unknown = String(repeating: "0", count: 32)
            let stream = try StreamReader(server, query: "?stream=\(unknown)", lastEventID: "7")
            #expect(stream.before == ["gone"])
            #expect(stream.id != unknown)
            // A number that the stream never gave: something else is meant.
            let again = try StreamReader(server, query: "?stream=\(stream.id)", lastEventID: "99")
            #expect(again.before == ["gone"] && again.id != stream.id)
            let answer = try server.call(StreamTests.observe, stream: stream.id)
            #expect(answer.status == 200 && answer.code == "invalid_params")
            #expect(server.stop().status == 0)
        }
    }

    @Test func `a client that reads slowly hears of merged changes, and slows nobody`() async throws {
        try await onThread {
            let server = try ServedCommand()
            let slow = try StreamReader(server, receiveByteCount: 65_536)
            let fast = try StreamReader(server)
            let put =
                #"{"jsonrpc":"2.0","id":1,"method":"query.put","params":{"library_id":"home","method":"all","resource_type":"file","resources":[],"membership":{"resource_type":"file","order":[{"path":"/id"}]},"local":true}}"#
            #expect(try server.call(put).text.contains("\"result\""))
            let observe =
                #"{"jsonrpc":"2.0","id":1,"method":"query.observe","params":{"library_id":"home","method":"all","policy":"cacheOnly"}}"#
            for stream in [slow, fast] { #expect(try server.call(observe, stream: stream.id).code == nil) }
            // Far more than a stream keeps and the system buffers, while the slow client reads a tenth of it: one that
            // reads nothing at all for 15 s counts as gone.
            let name = String(repeating: "x", count: 40_000)
            for number in 1...300 {
                try server.feed(ServedCommand.event("\(number % 10)", "\(name)\(number)", sequence: number))
                let change = try fast.next("query.changed").data
                #expect(change.contains("x\(number)\"") && change.contains("\"missed\":0"), "\(number)")
                slow.connection.takeSome(byteCountMax: 4_096)
            }
            var missed = 0
            var lastOfSlow = ""
            while !lastOfSlow.contains("x300\"") {
                lastOfSlow = try slow.next("query.changed").data
                if let match = lastOfSlow.firstMatch(of: /"missed":([0-9]+)/) { missed += Int(match.1) ?? 0 }
            }
            #expect(missed > 0)
            #expect(server.stop().status == 0)
        }
    }

    @Test func `a later answer goes to the stream that asked, and nowhere else`() async throws {
        try await onThread {
            let upstream = try ScriptedUpstream { request in
                request.contains("query.fetch")
                    ? #"{"jsonrpc":"2.0","id":"1","result":{"resource_type":"file","resources":[{"id":"9"}]}}"# : ""
            }
            let server = try ServedCommand(["--upstream", upstream.address])
            let asker = try StreamReader(server)
            let other = try StreamReader(server)
            let put =
                #"{"jsonrpc":"2.0","id":1,"method":"query.put","params":{"method":"q","resource_type":"file","resources":[{"id":"1"}]}}"#
            _ = try server.call(put)
            let read =
                #"{"jsonrpc":"2.0","id":1,"method":"query.read","params":{"method":"q","policy":"cacheAndNetwork"}}"#
            #expect(try server.call(read, stream: asker.id).text.contains(#""entities":[{"id":"1"}]"#))
            #expect(try asker.next("query.result").data.contains(#""entities":[{"id":"9"}]"#))
            _ = try server.call(StreamTests.observe, stream: other.id)
            try server.feed(ServedCommand.event("1", sequence: 1))
            while true {
                let event = try other.next().data
                #expect(!event.contains("query.result"))
                if event.contains("entity.changed") { break }
            }
            #expect(server.stop().status == 0)
        }
    }

    @Test func `every stream hears the result of a mutation that waited, behind the changes that it made`() async throws
    {
        try await onThread {
            let endpoint = try ScriptedUpstream { _ in #"{"data":{"add":{"__typename":"Photo","id":"7","name":"sea"}}}"# }
            let server = try ServedCommand(["--graphql-endpoint", endpoint.address])
            let asker = try StreamReader(server)
            let other = try StreamReader(server)
            let observe =
                #"{"jsonrpc":"2.0","id":1,"method":"entity.observe","params":{"resource_type":"Photo","id":"7"}}"#
            #expect(try server.call(observe, stream: other.id).code == nil)
            let mutate =
                #"{"jsonrpc":"2.0","id":2,"method":"graphql.mutate","params":{"document":"mutation { add { __typename id name } }","#
                + #""pending_id":"p 1","optimistic":{"add":{"__typename":"Photo","id":"t","name":"sea"}},"send":true}}"#
            // Without a stream: the result is for whoever is there.
            #expect(try server.call(mutate).text.contains(#""result":{"pending_id":"p 1"}"#))
            for stream in [asker, other] {
                let result = try stream.next("graphql.result").data
                #expect(
                    result.contains(#""pending_id":"p 1","data":{"add":{"__typename":"Photo","id":"7","name":"sea"}}"#),
                    "\(result)")
            }
            #expect(endpoint.requests.count == 1)
            #expect(server.stop().status == 0)
        }
    }

    @Test func `the streams are counted, and one too many is refused`() async throws {
        try await onThread {
            let server = try ServedCommand(["--max-streams", "2", "--max-subscriptions", "1"])
            let first = try StreamReader(server)
            let second = try StreamReader(server)
            let third = try server.ask("GET", "/stream")
            #expect(third.status == 429 && third.code == "too_many_streams" && third.field("Retry-After") == "1")
            #expect(try server.call(StreamTests.observe, stream: first.id).text.contains("\"subscription\""))
            #expect(try server.call(StreamTests.observe, stream: second.id).code == "limit_exceeded")
            // One that was cut makes room.
            second.connection.reset()
            while try server.ask("GET", "/metrics").text.contains("tidemark_streams_connected 2") {}
            _ = try StreamReader(server)
            #expect(server.stop().status == 0)
        }
    }
}
