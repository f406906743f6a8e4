import TestTraits
import Testing
import TidemarkModel
import TidemarkSession
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkServer

/// The stream of one client, as a value.
@Suite(.pooled) struct StreamStateTests {
    private func line(_ number: Int, byteCount: Int = 10) -> [UInt8] {
        Array(String(repeating: "x", count: max(0, byteCount - 1 - String(number).utf8.count)).utf8)
            + Array("\(number)\n".utf8)
    }

    private func numbers(in text: [UInt8]) -> [Int] {
        String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap {
            $0.hasPrefix("id: ") ? Int($0.dropFirst(4)) : nil
        }
    }

    @Test func `lines are sent once, in order, with their numbers`() throws {
        let state = StreamBox()
        let connection = try #require(state.attach(after: 0))
        #expect(state.offer(line(1)))
        #expect(state.offer(line(2)))
        #expect(
            state.step(connection, byteCountMax: 1_000)
                == .send(Array("id: 1\ndata: xxxxxxxx1\n\nid: 2\ndata: xxxxxxxx2\n\n".utf8), hasRoom: false))
        #expect(state.step(connection, byteCountMax: 1_000) == .wait)
    }

    @Test func `a carriage return within a line does not end it`() throws {
        let state = StreamBox()
        let connection = try #require(state.attach(after: 0))
        #expect(state.offer(Array("{\"a\":\r1}\n".utf8)))
        #expect(
            state.step(connection, byteCountMax: 100)
                == .send(Array("id: 1\ndata: {\"a\": 1}\n\n".utf8), hasRoom: false))
    }

    @Test func `past the bound notifications are refused, and there is room when half of it was sent`() throws {
        var limits = ServerLimits()
        limits.waitingByteCountMax = 100
        let state = StreamBox(limits)
        let connection = try #require(state.attach(after: 0))
        for number in 1...10 { #expect(state.offer(line(number))) }
        #expect(!state.offer(line(11)))
        #expect(state.byteCount == 100)
        guard case .send(let first, let hasRoom) = state.step(connection, byteCountMax: 60) else {
            Issue.record("nothing is sent")
            return
        }
        #expect(!first.isEmpty && !hasRoom)
        var sawRoom = false
        while case .send(_, let hasRoom) = state.step(connection, byteCountMax: 60) { sawRoom = sawRoom || hasRoom }
        #expect(sawRoom)
        #expect(state.offer(line(11)))
    }

    @Test func `the newest of a library's notifications is kept where there is no room`() throws {
        var limits = ServerLimits()
        limits.waitingByteCountMax = 10
        let state = StreamBox(limits)
        let connection = try #require(state.attach(after: 0))
        #expect(state.offer(line(1)))
        for number in 2...9 {
            state.keepNewest(.init(subject: .durable, name: "home", line: line(number)))
        }
        var text: [UInt8] = []
        while case .send(let part, _) = state.step(connection, byteCountMax: 1_000) { text += part }
        #expect(numbers(in: text) == [1, 2])
        #expect(String(decoding: text, as: UTF8.self).contains("xxxxxxxx9"))
    }

    @Test func `late answers past their bound end the stream`() throws {
        var limits = ServerLimits()
        limits.lateAnswerByteCountMax = 100
        let state = StreamBox(limits)
        let connection = try #require(state.attach(after: 0))
        for number in 1...10 { state.append(late: line(number)) }
        #expect(state.end == nil)
        state.append(late: line(11))
        #expect(state.step(connection, byteCountMax: 1_000) == .end(.gone))
        #expect(state.byteCount == 0)
        #expect(state.attach(after: 0) == nil)
    }

    @Test func `a second connection replaces the first`() throws {
        let state = StreamBox()
        let first = try #require(state.attach(after: 0))
        let second = try #require(state.attach(after: 0))
        #expect(state.step(first, byteCountMax: 100) == .replaced)
        #expect(!state.detach(first))
        #expect(state.detach(second))
    }

    @Test func `a number that was never given, or whose successor is forgotten, resumes nothing`() throws {
        var limits = ServerLimits()
        limits.sentByteCountMax = 25
        let state = StreamBox(limits)
        let connection = try #require(state.attach(after: 0))
        for number in 1...5 { #expect(state.offer(line(number))) }
        while case .send = state.step(connection, byteCountMax: 15) {}
        #expect(state.attach(after: 6) == nil)
        #expect(state.attach(after: 2) == nil)
        #expect(state.attach(after: 3) != nil)
    }

    /// A client that is cut off again and again, against a list of everything that was said.
    @Test(arguments: TestScale.seeds(20)) func `no cut loses or repeats a line`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var limits = ServerLimits()
        limits.waitingByteCountMax = 200
        limits.sentByteCountMax = 400
        var state = StreamBox(limits)
        var connection: Int? = state.attach(after: 0)
        var said = 0
        var seen: [Int] = []
        /// The lines that the broken connection had been given, and the client has not read.
        var inFlight: [Int] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 2_000) {
            switch random.next() % 6 {
            case 0, 1:
                if state.offer(line(said + 1, byteCount: 5 + Int(random.next() % 40))) { said += 1 }
            case 2:
                state.append(late: line(said + 1))
                said += 1
            case 3:
                guard let connection else { continue }
                if case .send(let text, _) = state.step(connection, byteCountMax: 80) { inFlight += numbers(in: text) }
            case 4:
                let count = inFlight.isEmpty ? 0 : Int(random.next() % UInt64(inFlight.count + 1))
                seen += inFlight.prefix(count)
                inFlight.removeFirst(count)
            default:
                if let connection { _ = state.detach(connection) }
                inFlight = []
                connection = state.attach(after: Int64(seen.last ?? 0))
                if connection == nil {
                    // More was sent than is kept: the client begins anew, and says so.
                    state = StreamBox(limits)
                    (said, seen) = (0, [])
                    connection = state.attach(after: 0)
                }
            }
            try walk.check(seen == Array(1..<(seen.count + 1)) ? [] : ["the client has read \(seen)"])
            #expect(state.byteCount <= 200 + 400 + limits.lateAnswerByteCountMax, "\(walk)")
        }
        connection = state.attach(after: Int64(seen.last ?? 0))
        if let connection {
            while case .send(let text, _) = state.step(connection, byteCountMax: 80) { seen += numbers(in: text) }
            #expect(seen == Array(1..<(said + 1)), "seed \(seed)")
        }
    }
}
