import TestTraits
import Testing
import TidemarkModel
import TidemarkSession
import TidemarkTesting

@testable import TidemarkServer

/// One bound for all streams of a server together, given back by those that end.
@Suite(.pooled) struct StreamShareTests {
    private func line(_ byteCount: Int) -> [UInt8] { Array(repeating: 0x78, count: byteCount - 1) + [0x0A] }

    @Test func `a few streams have their own bounds, many share one`() {
        let limits = ServerLimits()
        for count in [0, 1, 16] {
            #expect(limits.shared(among: count).sentByteCountMax == 2 << 20)
            #expect(limits.shared(among: count).waitingByteCountMax == 1 << 20)
        }
        for count in [17, 95, 100, 10_000] {
            let share = limits.shared(among: count)
            #expect(share.sentByteCountMax * count <= 32 << 20 && share.waitingByteCountMax * count <= 16 << 20)
            #expect(share.sentByteCountMax > 0 && share.waitingByteCountMax > 0)
        }
    }

    @Test func `a smaller share releases what was sent, and what waits is still sent`() throws {
        let state = StreamBox()
        let connection = try #require(state.attach(after: 0))
        for _ in 0..<100 { #expect(state.offer(line(1_000))) }
        while case .send = state.step(connection, byteCountMax: 10_000) {}
        for _ in 0..<10 { #expect(state.offer(line(1_000))) }
        #expect(state.byteCount == 110_000)
        var limits = ServerLimits()
        limits.sentByteCountMax = 5_000
        limits.waitingByteCountMax = 4_000
        state.limit(limits)
        #expect(state.byteCount == 15_000)
        #expect(!state.offer(line(1_000)))
        // What is missing cannot be resumed, what is kept can.
        #expect(state.attach(after: 94) == nil)
        let next = try #require(state.attach(after: 95))
        var sent = 0
        while case .send(let text, _) = state.step(next, byteCountMax: 10_000) { sent += text.count }
        #expect(sent > 15_000 && state.byteCount == 5_000)
    }

    @Test func `late answers of all streams have one bound, and the stream that passes it ends`() {
        var limits = ServerLimits()
        limits.lateAnswerByteCountMax = 30_000
        limits.streamByteCountMax = 80_000
        let answers = StreamAnswers(limits)
        var streams = (0..<3).map { NotificationStream(id: "\($0)", limits: limits, answers: answers) }
        for stream in streams { stream.append(answer: line(20_000)) }
        #expect(streams.map(\.isOver) == [false, false, true] && answers.byteCount == 40_000)
        #expect(streams.map(\.byteCount) == [20_000, 20_000, 0])
        // One that ends gives its bytes back, one that is dropped too.
        streams[0].finish(.bye)
        #expect(answers.byteCount == 20_000)
        streams = []
        #expect(answers.byteCount == 0)
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `the count of late answers is the sum of what waits`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var limits = ServerLimits()
        limits.lateAnswerByteCountMax = 4_000
        limits.streamByteCountMax = 20_000
        let answers = StreamAnswers(limits)
        var streams: [(stream: NotificationStream, connection: Int)] = []
        for number in 0..<200 {
            switch random.below(6) {
            case 0:
                let stream = NotificationStream(id: "\(number)", limits: limits, answers: answers)
                if let connection = stream.attach(after: 0) { streams.append((stream, connection)) }
            case 1 where !streams.isEmpty: streams.remove(at: random.below(streams.count))
            case 2 where !streams.isEmpty: random.pick(streams.map(\.stream)).finish(.gone)
            case 3, 4: if !streams.isEmpty { random.pick(streams.map(\.stream)).append(answer: line(500)) }
            default:
                guard !streams.isEmpty else { continue }
                let (stream, connection) = streams[random.below(streams.count)]
                _ = stream.nextStep(connection, wake: {})
                // A client that comes back takes again what it has not seen.
                if random.chance(300), let again = stream.attach(after: 0),
                    let index = streams.firstIndex(where: { $0.stream === stream })
                {
                    streams[index].connection = again
                }
            }
            #expect(answers.byteCount <= 10_000, "seed \(seed)")
            if streams.isEmpty { #expect(answers.byteCount == 0, "seed \(seed)") }
        }
    }
}
