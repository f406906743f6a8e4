import Foundation
import Synchronization
import Testing
import Tidemark
import TidemarkModel

@testable import TidemarkSession

/// The outbox with a host that reads late, or never. Laws: L6, L8.
@Suite(.timeLimit(.minutes(30))) struct OutboxTests {
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
        let outbox = Outbox(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        var lines = pipe.lines().makeAsyncIterator()
        for number in 0..<2_000 {
            if number.isMultiple(of: 3) {
                outbox.append(answer: Array("{\"subscription\":\(number)}\n".utf8))
            } else {
                #expect(outbox.offer(notification(number, byteCount: number.isMultiple(of: 50) ? 300_000 : 10)))
                if outbox.byteCounts.notifications > 500_000 { await outbox.drain() }
            }
        }
        for wanted in 0..<2_000 { #expect(await lines.next().flatMap { number("subscription", $0) } == wanted) }
        await outbox.drain()
        #expect(outbox.byteCounts == (0, 0))
    }

    @Test func `a host that never reads costs only bounded memory, and gets the newest lines when it does read`() async
    {
        let roomCount = Mutex(0)
        let outbox = Outbox(pipe.writeEnd, hasRoom: { roomCount.withLock { $0 += 1 } }, isAbandoned: {})
        var takenCount = 0
        for number in 0..<20_000 where outbox.offer(notification(number)) { takenCount += 1 }
        let line = Outbox.line(of: notification(20_000)).count
        #expect(outbox.byteCounts.notifications <= outbox.bounds.notificationByteCountMax + line)
        #expect(takenCount < 2_000)
        for round in 0..<1_000 {
            outbox.notifyDurable([place("a", Int64(round)), place("b", Int64(round))])
            #expect(outbox.offer(.library(status("a", Int64(round)))))
        }
        #expect(outbox.byteCounts.notifications <= outbox.bounds.notificationByteCountMax + line)
        #expect(outbox.byteCounts.answers == 0)
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
        #expect(outbox.offer(notification(1)))
    }

    @Test func `an answer is written after the lines that found no room before it`() async {
        let outbox = Outbox(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        while outbox.offer(notification(0)) {}
        outbox.notifyDurable([place("a", 7)])
        outbox.deliver(notification(1))
        outbox.append(answer: Array("answer\n".utf8))
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
        let outbox = Outbox(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        await outbox.waitForRoom()
        let answer = [UInt8](repeating: UInt8(ascii: "x"), count: (1 << 20) - 1) + [0x0A]
        for _ in 0..<16 { outbox.append(answer: answer) }
        let isThrough = Mutex(false)
        let waiting = Task {
            await outbox.waitForRoom()
            isThrough.withLock { $0 = true }
        }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(isThrough.withLock { $0 } == false)
        #expect(outbox.byteCounts.answers == 16 << 20)
        let lines = pipe.lines()
        await waiting.value
        #expect(outbox.byteCounts.answers <= 8 << 20)
        withExtendedLifetime(lines) {}
    }

    @Test func `at the end no request waits`() async {
        let outbox = Outbox(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        outbox.append(answer: [UInt8](repeating: 0x0A, count: outbox.bounds.answerByteCountMax))
        let waiting = Task { await outbox.waitForRoom() }
        outbox.letThrough()
        await waiting.value
        await outbox.waitForRoom()
        pipe.closeReading()
    }

    @Test func `writing to a host that is gone ends without an error`() async {
        let abandonedCount = Mutex(0)
        let outbox = Outbox(
            pipe.writeEnd, hasRoom: {}, isAbandoned: { abandonedCount.withLock { $0 += 1 } })
        pipe.closeReading()
        outbox.append(answer: Array("x\n".utf8))
        await outbox.drain()
        #expect(await eventually { abandonedCount.withLock { $0 } == 1 })
        #expect(outbox.failure == nil)
        outbox.append(answer: [UInt8](repeating: 0x0A, count: 2 * outbox.bounds.answerByteCountMax))
        #expect(outbox.offer(notification(1)))
        await outbox.waitForRoom()
        await outbox.drain()
        #expect(outbox.byteCounts == (0, 0))
    }

    @Test func `an unwritten call without a waiting caller is withdrawn`() async {
        let outbox = Outbox(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        outbox.append(answer: [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20) + [0x0A])
        for number in 1...3 { outbox.append(call: Array("call \(number)\n".utf8), number: Int64(number)) }
        outbox.withdraw(call: 2)
        outbox.withdraw(call: 9)
        outbox.append(answer: Array("end\n".utf8))
        var found: [String] = []
        for await line in pipe.lines() {
            if !line.hasPrefix("x") { found.append(line) }
            if line == "end" { break }
        }
        #expect(found == ["call 1", "call 3", "end"])
    }
}
