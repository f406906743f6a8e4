import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting

@testable import TidemarkJetStream

/// The heartbeats of a stream that is quiet, by a real server.
@Suite(
    .pooled, .tags(.process), .ownThreads,
    .enabled(if: NatsServer.program != nil, NatsServer.advice))
struct TailTests {
    private let server: NatsServer
    /// A moment at which a round has begun for readers that were made before.
    private let later = ContinuousClock.now + .seconds(60)

    init() throws { server = try NatsServer() }

    private func body(_ number: Int) -> String { EventLine.change(#"{"id":"1","n":\#(number)}"#) }

    /// Makes a reader, and reads until it has made some lines.
    private func reader(_ known: [LibraryStatus] = [], count: Int) throws -> StreamReader {
        var reader = StreamReader(try JetStreamAddress(server.address("EVENTS")), ReadingSettings(), known: known)
        var lines = StreamLines()
        try reader.prepare(&lines)
        try waitUntil("\(count) lines") {
            try reader.read(timeout: 100, &lines)
            return lines.bytes.count { $0 == UInt8(ascii: "\n") } == count
        }
        return reader
    }

    private func tails(_ reader: inout StreamReader, at now: ContinuousClock.Instant) -> String {
        var lines = StreamLines()
        reader.appendTails(at: now, &lines)
        return String(decoding: lines.bytes, as: UTF8.self)
    }

    private func heartbeat(_ library: String, _ epoch: ByteString, _ last: Int) -> String {
        #"{"library_id":"\#(library)","epoch":"\#(epoch)","event":{"Heartbeat":{"last_sequence":\#(last)}}}"# + "\n"
    }

    @Test func `a last message that was not read is told, once in a round`() throws {
        try server.makeStream("EVENTS")
        try server.publish([body(1), body(2)], to: "tidemark.me")
        var reader = try reader(count: 2)
        let epoch = try #require(reader.tracelessEpoch)
        #expect(tails(&reader, at: later) == "")
        try server.publish([body(3)], to: "tidemark.me")
        #expect(tails(&reader, at: later + .seconds(10)) == heartbeat("a", epoch, 3))
        #expect(tails(&reader, at: later + .seconds(11)) == "")
        var lines = StreamLines()
        try waitUntil("the third message") {
            try reader.read(timeout: 100, &lines)
            return !lines.isEmpty
        }
        #expect(tails(&reader, at: later + .seconds(20)) == "")
    }

    @Test func `a library that the cache knows is looked up though nothing of it was read`() throws {
        try server.makeStream("EVENTS")
        try server.publish([body(1)], to: "tidemark.me")
        try server.publish([body(1)], to: "tidemark.mi")
        let epoch = try #require(try reader(count: 2).tracelessEpoch)
        func status(_ library: ByteString, _ epoch: ByteString, _ cursor: Int64) -> LibraryStatus {
            LibraryStatus(library: library, epoch: epoch, cursor: EventSequence(cursor), phase: .live, lost: [])
        }
        // The last one is of another log, whose numbers say nothing here.
        var reader = try reader([status("a", epoch, 1), status("b", epoch, 2), status("c", "other", 9)], count: 0)
        #expect(tails(&reader, at: later) == "")
        try server.publish([body(2)], to: "tidemark.mi")
        #expect(tails(&reader, at: later + .seconds(10)) == heartbeat("b", epoch, 3))
    }

    @Test func `nothing is looked up in a stream without direct gets`() throws {
        try server.makeStream("EVENTS", more: #""allow_direct":false"#)
        try server.publish([body(1)], to: "tidemark.me")
        var reader = try reader(count: 1)
        try server.publish([body(2)], to: "tidemark.me")
        #expect(tails(&reader, at: later) == "")
    }

    @Test func `libraries are looked up a few at a time, once in an interval`() {
        let places = (0..<80).map { TailRound.Place(library: ByteString("\($0)"), sequence: 0) }
        let start = ContinuousClock.now
        var round = TailRound(at: start)
        var beginCount = 0
        func next(_ milliseconds: Int) -> [TailRound.Place] {
            Array(
                round.next(at: start + .milliseconds(milliseconds)) {
                    beginCount += 1
                    return places
                })
        }
        #expect(next(4_999) == [])
        #expect(next(5_000) == Array(places[..<32]))
        #expect(next(5_001) == Array(places[32..<64]))
        #expect(next(9_000) == Array(places[64...]))
        #expect(next(9_999) == [])
        #expect(next(10_000) == Array(places[..<32]) && beginCount == 2)
        round.end()
        #expect(next(20_000) == [] && round.hasEnded)
    }
}
