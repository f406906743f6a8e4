import TestTraits
import Testing
import TidemarkTesting

@testable import Tidemark

@Suite(.pooled) struct ExpiryQueueTests {
    @Test func `due entries come out, the earliest first, as from a sorted list`() {
        for seed in UInt64(1)...30 {
            var random = SeededGenerator(seed: seed)
            var queue = ExpiryQueue<UInt32>()
            var model: [(moment: Int64, query: UInt32)] = []
            var now: Int64 = 0
            for query in UInt32(0)..<300 {
                switch random.below(10) {
                case 0..<7:
                    // All moments differ, so that the order is known.
                    let entry = (moment: now + Int64(random.below(50)) * 1_000 + Int64(query), query: query)
                    queue.insert(.init(moment: entry.moment, target: entry.query))
                    model.append(entry)
                case 7:
                    queue.keep { $0.target % 3 != 0 }
                    model.removeAll { $0.query % 3 == 0 }
                default:
                    now += Int64(random.below(10_000))
                    let due = model.filter { $0.moment <= now }.sorted { $0.moment < $1.moment }
                    #expect(queue.takeDue(at: now).map(\.target) == due.map(\.query), "seed \(seed)")
                    model.removeAll { $0.moment <= now }
                }
                #expect(queue.first == model.map(\.moment).min(), "seed \(seed)")
                #expect(queue.count == model.count, "seed \(seed)")
            }
        }
    }
}
