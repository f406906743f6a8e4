import TidemarkModel
import TidemarkStore

/// The cost of evictions.
enum EvictionSuite {
    /// The number of entities that one step examines at most, as in the engine with its default policy.
    private static let sliceCount = 64
    /// The number of evictions between two flushes, as in the engine with its default policy.
    private static let flushedCount = 2_048

    static func run(isSmoke: Bool, runs: Int, into report: inout Report) throws {
        let entityCount = isSmoke ? 2_000 : 200_000
        var lines: [UInt8] = []
        for index in 0..<entityCount { Sample.appendChange(of: index, version: 0, sequence: index + 1, to: &lines) }
        let batches = try SampleDecoder().batches(of: lines)
        try add("eviction from memory", batches, entityCount, runs, into: &report) { state in
            let slice = state.evict(toByteCount: 0, seenCountMax: sliceCount, at: 1)
            return slice.evictedCount
        }
        try add("eviction from both tiers", batches, entityCount, runs, into: &report) { state in
            state.evictResident(countMax: sliceCount, seenCountMax: sliceCount, isForDisk: false, at: 1)
                .evictedCount
        }
    }

    /// Evicts everything, slice by slice, from states without unwritten changes. The flushes that evictions need are
    /// part of the cost.
    private static func add(
        _ name: String, _ batches: [EventBatch], _ entityCount: Int, _ runs: Int, into report: inout Report,
        evict: (inout CacheState) -> Int
    ) throws {
        let clock = ContinuousClock()
        var prices: [Double] = []
        var slices: [Double] = []
        for run in 0...runs {
            var state = CacheState(configuration: CacheStateConfiguration(), recovered: RecoveredState(), seed: 1)
            for batch in batches { state.apply(batch, at: 1) }
            _ = state.takeFlush()
            state.flushCommitted()
            var evictedCount = 0
            var roundCount = 0
            var rowCount = 0
            let start = clock.now
            while evictedCount < entityCount {
                let begin = clock.now
                let count = evict(&state)
                precondition(count > 0, "\(evictedCount) of \(entityCount) entities went")
                if run > 0 { slices.append((clock.now - begin).inSeconds * 1e6) }
                evictedCount += count
                roundCount += count
                guard roundCount >= flushedCount || evictedCount == entityCount else { continue }
                roundCount = 0
                rowCount += state.takeFlush().rows.count
                state.flushCommitted()
            }
            if run > 0 { prices.append((clock.now - start).inSeconds * 1e6 / Double(entityCount)) }
            blackHole(UInt64(rowCount))
        }
        slices.sort()
        let hash = UInt64(entityCount)
        report.add(name: "\(name), an entity", values: prices, unit: "µs", goal: 1.5, hash: hash)
        report.add(
            name: "\(name), a step, p99", value: slices[slices.count * 99 / 100], unit: "µs", goal: 1_000, hash: hash
        )
    }
}
