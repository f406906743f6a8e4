import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

@testable import TidemarkServer

/// The intake of a body of events.
@Suite(.pooled) struct EventIntakeTests {
    @Test func `a client that sends faster than lines are applied has to wait`() async throws {
        let intake = EventIntake()
        let isPut = Mutex(false)
        let line = Array(ServedCommand.event("1").utf8)
        let many = Array(repeatElement(line, count: (1 << 20) / line.count + 1).joined())
        let putting = Task {
            await intake.put(many)
            isPut.withLock { $0 = true }
            await intake.put(line)
            intake.end(isWhole: true)
        }
        // Nobody takes: however often the other task runs, it does not get on.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(!isPut.withLock { $0 })
        let cache = try await SyncCache.open(journal: MemoryJournal())
        let applied = try await intake.apply(to: cache)
        await putting.value
        #expect(applied.counts.lines == Int64(many.count / line.count + 1))
        try await cache.close()
    }

    @Test func `bytes may be cut anywhere`() async throws {
        let text = Array((ServedCommand.event("Été") + "\r\n" + ServedCommand.event("2")).utf8)
        for size in 1...7 {
            let intake = EventIntake()
            let putting = Task {
                var rest = text[...]
                while !rest.isEmpty {
                    await intake.put(Array(rest.prefix(size)))
                    rest = rest.dropFirst(size)
                }
                intake.end(isWhole: true)
            }
            let cache = try await SyncCache.open(journal: MemoryJournal())
            let applied = try await intake.apply(to: cache)
            await putting.value
            #expect(applied.counts.lines == 3 && applied.counts.blank == 1)
            #expect(await cache.entityCount() == 2)
            try await cache.close()
        }
    }
}
