import Foundation
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel

@testable import TidemarkSession

/// The output queue with a host that reads late, or never. Laws: L6, L8.
@Suite(.pooled) struct OutputQueueTests {
    private let pipe = PipeLines()

    private func notification(_ number: Int, byteCount: Int = 1_000) -> CacheNotification {
        let entity = Array(#"{"id":"\#(number)","x":"\#(String(repeating: "x", count: byteCount))"}"#.utf8)
        return .entity(
            EntityNotification(subscription: SubscriptionID(Int64(number)), entity: entity, changedFields: ["x"]))
    }

    private func status(_ library: ByteString, _ cursor: Int64) -> LibraryStatus {
        LibraryStatus(library: library, epoch: "", cursor: EventSequence(cursor), phase: .live, lost: [])
    }

    private func place(_ library: ByteString, _ sequence: Int64) -> DurablePlace {
        DurablePlace(library: library, epoch: "", sequence: EventSequence(sequence))
    }

    /// Returns the number in `"name":number`.
    private func number(_ name: String, _ line: String) -> Int? {
        guard let range = line.range(of: "\"\(name)\":") else { return nil }
        return Int(line[range.upperBound...].prefix { $0.isNumber })
    }

    @Test func `lines are written in the order in which they came`() async {
        let outputQueue = OutputQueue(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        var lines = pipe.lines().makeAsyncIterator()
        for number in 0..<2_000 {
            if number.isMultiple(of: 3) {
                outputQueue.append(answer: Array("{\"subscription\":\(number)}\n".utf8))
            } else {
                #expect(outputQueue.offer(notification(number, byteCount: number.isMultiple(of: 50) ? 300_000 : 10)))
                if outputQueue.byteCounts.notifications > 500_000 { await outputQueue.drain() }
            }
        }
        for wanted in 0..<2_000 { #expect(await lines.next().flatMap { number("subscription", $0) } == wanted) }
        await outputQueue.drain()
        #expect(outputQueue.byteCounts == (0, 0))
    }

    @Test func `a host that never reads costs only bounded memory, and gets the newest lines when it does read`() async
    {
        let roomCount = Mutex(0)
        let outputQueue = OutputQueue(pipe.writeEnd, hasRoom: { roomCount.withLock { $0 += 1 } }, isAbandoned: {})
        var takenCount = 0
        for number in 0..<20_000 where outputQueue.offer(notification(number)) { takenCount += 1 }
        let line = OutputQueue.line(of: notification(20_000)).count
        #expect(outputQueue.byteCounts.notifications <= outputQueue.bounds.notificationByteCountMax + line)
        #expect(takenCount < 2_000)
        for round in 0..<1_000 {
            outputQueue.notifyDurable([place("a", Int64(round)), place("b", Int64(round))])
            #expect(outputQueue.offer(.library(status("a", Int64(round)))))
        }
        #expect(outputQueue.byteCounts.notifications <= outputQueue.bounds.notificationByteCountMax + line)
        #expect(outputQueue.byteCounts.answers == 0)
        #expect(roomCount.withLock { $0 } == 0)

        var lines = pipe.lines().makeAsyncIterator()
        for _ in 0..<takenCount { #expect(await lines.next()?.contains("entity.changed") == true) }
        var rest: [String] = []
        for _ in 0..<3 { rest.append(await lines.next() ?? "") }
        #expect(
            rest == [
                #"{"jsonrpc":"2.0","method":"durable","params":{"library_id":"a","epoch":"","sequence":999}}"#,
                #"{"jsonrpc":"2.0","method":"durable","params":{"library_id":"b","epoch":"","sequence":999}}"#,
                #"{"jsonrpc":"2.0","method":"library.state","params":{"library_id":"a","state":"live","cursor":999,"lost":[]}}"#,
            ])
        #expect(await eventually { roomCount.withLock { $0 } == 1 })
        #expect(outputQueue.offer(notification(1)))
    }

    @Test func `an answer is written after the lines that found no room before it`() async {
        let outputQueue = OutputQueue(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        while outputQueue.offer(notification(0)) {}
        outputQueue.notifyDurable([place("a", 7)])
        outputQueue.deliver(notification(1))
        outputQueue.append(answer: Array("answer\n".utf8))
        var lines = pipe.lines().makeAsyncIterator()
        var order: [String] = []
        while let line = await lines.next() {
            if line.contains("\"subscription\":0") { continue }
            order.append(line == "answer" ? line : line.contains("durable") ? "durable" : "delivered")
            if line == "answer" { break }
        }
        #expect(order == ["delivered", "durable", "answer"])
    }

    @Test func `unwritten answers delay further requests until the host reads`() async {
        let outputQueue = OutputQueue(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        await outputQueue.waitForRoom()
        let answer = [UInt8](repeating: UInt8(ascii: "x"), count: (1 << 20) - 1) + [0x0A]
        for _ in 0..<16 { outputQueue.append(answer: answer) }
        let isThrough = Mutex(false)
        let waiting = Task {
            await outputQueue.waitForRoom()
            isThrough.withLock { $0 = true }
        }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(isThrough.withLock { $0 } == false)
        #expect(outputQueue.byteCounts.answers == 16 << 20)
        let lines = pipe.lines()
        await waiting.value
        #expect(outputQueue.byteCounts.answers <= 8 << 20)
        withExtendedLifetime(lines) {}
    }

    @Test func `at the end no request waits`() async {
        let outputQueue = OutputQueue(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        outputQueue.append(answer: [UInt8](repeating: 0x0A, count: outputQueue.bounds.answerByteCountMax))
        let waiting = Task { await outputQueue.waitForRoom() }
        outputQueue.letThrough()
        await waiting.value
        await outputQueue.waitForRoom()
        pipe.closeReading()
    }

    @Test func `writing to a host that is gone ends without an error`() async {
        let abandonedCount = Mutex(0)
        let outputQueue = OutputQueue(
            pipe.writeEnd, hasRoom: {}, isAbandoned: { abandonedCount.withLock { $0 += 1 } })
        pipe.closeReading()
        outputQueue.append(answer: Array("x\n".utf8))
        await outputQueue.drain()
        #expect(await eventually { abandonedCount.withLock { $0 } == 1 })
        #expect(outputQueue.failure == nil)
        outputQueue.append(answer: [UInt8](repeating: 0x0A, count: 2 * outputQueue.bounds.answerByteCountMax))
        #expect(outputQueue.offer(notification(1)))
        await outputQueue.waitForRoom()
        await outputQueue.drain()
        #expect(outputQueue.byteCounts == (0, 0))
    }

    @Test func `an unwritten call without a waiting caller is withdrawn`() async {
        let outputQueue = OutputQueue(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        outputQueue.append(answer: [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20) + [0x0A])
        for number in 1...3 { outputQueue.append(call: Array("call \(number)\n".utf8), number: Int64(number)) }
        outputQueue.withdraw(call: 2)
        outputQueue.withdraw(call: 9)
        outputQueue.append(answer: Array("end\n".utf8))
        var found: [String] = []
        for await line in pipe.lines() {
            if !line.hasPrefix("x") { found.append(line) }
            if line == "end" { break }
        }
        #expect(found == ["call 1", "call 3", "end"])
    }
}
