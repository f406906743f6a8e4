import CNats
import Foundation
import MetricsTestKit
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The metrics of a feed, and the progress that a user sees, with a real server.
@Suite(
    .pooled, .tags(.process), .ownThreads,
    .enabled(if: NatsServer.program != nil, NatsServer.advice))
struct FeedMetricsTests {
    private let backend = TestMetrics()
    private let server: NatsServer

    init() throws {
        server = try NatsServer()
        try server.makeStream("EVENTS")
    }

    private func total(_ name: String) throws -> Int64 {
        try backend.expectCounter("tidemark_stream_\(name)_total", [("stream", "EVENTS")]).totalValue
    }

    private func value(_ name: String) throws -> Double? {
        try backend.expectGauge("tidemark_stream_\(name)", [("stream", "EVENTS")]).lastValue
    }

    /// Waits until a feed has read a message, at most 30 seconds.
    private func wait(_ feed: JetStreamFeed, for sequence: Int64) async throws {
        let isThere = await eventually { feed.statistics.sequence >= sequence && feed.statistics.isConnected }
        try #require(isThere, "message \(sequence) was not read")
    }

    @Test func `messages, bytes, lag and lost connections are recorded`() async throws {
        try server.publish((1...10).map { change($0) }, to: "tidemark.me")
        // Messages of another library count too: they were read.
        try server.publish(["other"], to: "tidemark.mi")
        let cache = try await SyncCache.inMemory()
        let feed = JetStreamFeed(
            try JetStreamAddress(server.address("EVENTS", "shard=0/1")), metrics: backend)
        let running = Task { try await feed.run(into: cache) }
        try await wait(feed, for: 11)
        #expect(try total("messages") == 11 && total("redeliveries") == 0 && total("reconnects") == 0)
        #expect(try total("bytes") == (1...10).reduce(5) { $0 + Int64(change($1).utf8.count) })
        #expect(try total("consumers") == 1 && total("errors") == 0)
        #expect(try value("lag") == 0 && value("sequence") == 11 && value("connected") == 1)
        server.kill(SIGKILL)
        #expect(await eventually { !feed.statistics.isConnected })
        #expect(try value("connected") == 0)
        try server.start()
        try server.publish([change(11)], to: "tidemark.me")
        try await wait(feed, for: 12)
        #expect(try total("messages") == 12 && total("reconnects") == 1 && value("connected") == 1)
        #expect(try total("consumers") >= 2 && total("errors") >= 1)
        feed.stop()
        try await running.value
        #expect(feed.statistics.messageCount == 12)
    }

    @Test func `a message that comes again is dropped and counted`() throws {
        // A server refuses messages that look like those of a consumer, so the reader gets them by hand.
        var reader = StreamReader(try JetStreamAddress(server.address("EVENTS")), ReadingSettings(), known: [])
        var lines = StreamLines()
        try reader.prepare(&lines)
        for (delivery, sequence) in [1, 2, 1, 3].enumerated() {
            let place = try #require(
                "$JS.ACK.EVENTS.c.1.\(sequence).\(delivery + 1).0.0".withCString { text in
                    DeliveryPlace(reply: UnsafeRawBufferPointer(start: text, count: strlen(text)))
                })
            try "tidemark.me".withCString { subject in
                try Array(change(sequence).utf8).withUnsafeBufferPointer { bytes in
                    var message = tidemark_nats_message()
                    message.subject = subject
                    message.bytes = bytes.baseAddress
                    message.byte_count = bytes.count
                    try reader.append(NatsMessageView(message), place, &lines)
                }
            }
        }
        reader.end()
        #expect(reader.statistics.redeliveryCount == 1 && reader.statistics.messageCount == 3)
        let sequences = String(decoding: lines.bytes, as: UTF8.self).matches(of: /"sequence":([0-9]+)/).map { $0.1 }
        #expect(sequences == ["1", "2", "3"])
        var metrics = FeedMetrics(stream: "EVENTS", factory: backend)
        metrics.record(reader.statistics)
        #expect(try total("redeliveries") == 1 && total("messages") == 3)
    }

    #if os(Linux)
        @Test func `catching up shows rate, lag and the time that is left on a terminal`() async throws {
            // The first line is due after a while, and a machine may be done with any number of messages before: there
            // are twice as many until it is not.
            var count = 10_000
            var progress: [Substring] = []
            while progress.isEmpty {
                try #require(count <= 1_280_000, "no progress was shown")
                try server.publish([String](repeating: change(1), count: count), to: "tidemark.me")
                count *= 2
                let text = try catchUp()
                progress = text.matches(
                    of:
                        /\r\e\[K\S*?[0-9, ]+ lines?, [0-9, ]+\/s, [0-9, ]+ not yet durable, [0-9, ]+ behind, [0-9][0-9a-z. ]* left/
                ).map { $0.output }
                // The line is erased before the command ends.
                #expect(progress.isEmpty || text.hasSuffix("\r\u{1B}[K"), "\(text)")
            }
        }

        /// Reads the whole stream into a new cache.
        ///
        /// - Returns: What the command writes to a terminal.
        private func catchUp() throws -> String {
            let folder = try TemporaryFolder()
            let terminal = try PseudoTerminal()
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try CommandRunner().executable)
            process.arguments = [
                "ingest", "--db", folder.path("cache.db"), "--from", server.address("EVENTS"), "--until-caught-up",
            ]
            process.environment = ["TERM": "xterm", "TMPDIR": folder.path]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = terminal.writer
            try process.run()
            let text = terminal.text()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(text)")
            return text
        }
    #endif
}

/// A terminal that a test reads.
private struct PseudoTerminal {
    let writer: FileHandle
    private let reader: Int32

    init() throws {
        // The functions of libc for this are not imported; the requests are those of Linux.
        reader = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(reader >= 0)
        var (isLocked, number): (Int32, Int32) = (0, 0)
        try #require(ioctl(reader, 0x4004_5431, &isLocked) == 0 && ioctl(reader, 0x8004_5430, &number) == 0)
        var size = winsize(ws_row: 24, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(reader, UInt(TIOCSWINSZ), &size)
        let descriptor = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(descriptor >= 0)
        writer = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Closes this side of the terminal and reads what the command writes, to its end.
    func text() -> String {
        writer.closeFile()
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(reader, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        close(reader)
        return String(decoding: bytes, as: UTF8.self)
    }
}
