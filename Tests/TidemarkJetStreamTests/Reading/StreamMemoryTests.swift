import CHeap
import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream

/// The memory of connections, by a process of its own: other tests allocate meanwhile.
@Suite(
    .pooled, .tags(.process), .ownThreads,
    .enabled(if: NatsServer.program != nil, NatsServer.advice))
struct StreamMemoryTests {
    @Test func `200 connections that end in the middle of their messages leave no memory`() async throws {
        let server = try NatsServer()
        try server.makeStream("EVENTS")
        try server.publish((1...50).map { change($0) }, to: "tidemark.me")
        let text = server.address("EVENTS")
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [text = text as String] in
            let address = try JetStreamAddress(text)
            for _ in 0..<50 { try Cycle.run(address) }
            // A leak grows in each round. A single round also grows by what threads of libnats, or the allocator, still
            // hold at its end.
            var growths: [Int] = []
            for _ in 0..<5 {
                let before = Cycle.byteCount()
                for _ in 0..<200 { try Cycle.run(address) }
                growths.append(Cycle.byteCount() - before)
                // 300 bytes a cycle: less than any part of a connection, a subscription or a message.
                if growths[growths.count - 1] < 60_000 { return }
            }
            preconditionFailure("200 cycles left \(growths) bytes")
        }
        if let result, result.exitStatus != .exitCode(EXIT_SUCCESS) {
            let words = String(decoding: result.standardErrorContent.suffix(2_000), as: UTF8.self)
            Issue.record("the process wrote: \(words)")
        }
    }
}

private enum Cycle {
    /// Connects, reads a part, and ends while the other messages wait or are on their way.
    static func run(_ address: JetStreamAddress) throws {
        var reader = StreamReader(address, ReadingSettings(), known: [])
        var lines = StreamLines()
        try reader.prepare(&lines)
        let deadline = TestPatience.deadline
        while lines.isEmpty {
            try reader.read(timeout: 100, &lines)
            precondition(ContinuousClock.now < deadline, "no message came")
        }
        let other = try NatsConnection(address)
        let api = JetStreamAPI(connection: other)
        var consumer = try PullConsumer(api, stream: address.stream, filter: "tidemark.*", from: 1)
        _ = try consumer.receive(timeout: 5_000) { _, _ in false }
        reader.end()
    }

    /// The bytes that are allocated and not freed; 0 under a sanitizer, which has its own allocator.
    static func byteCount() -> Int { Int(tidemark_heap_used()) }
}
