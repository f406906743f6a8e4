import CReference
import TidemarkModel
import TidemarkStore

/// The cost of an event in relation to the number of stored entities, and to the event's size.
enum ScalingSuite {
    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        try await entities(isSmoke ? [1_000, 5_000] : [10_000, 100_000, 1_000_000], isSmoke, runs, into: &report)
        try await payloads(isSmoke ? [300, 3_000] : [300, 1_000, 10_000, 100_000], isSmoke, runs, into: &report)
    }

    /// Measures updates of stored entities; the reference is the state with the fewest entities.
    private static func entities(
        _ counts: [Int], _ isSmoke: Bool, _ runs: Int, into report: inout Report
    ) async throws {
        let eventCount = isSmoke ? 2_000 : 50_000
        let decoder = try SampleDecoder()
        for count in counts {
            let reference = try EntityFixture(entityCount: counts[0], decoder)
            let subject = try EntityFixture(entityCount: count, decoder)
            let referenceSets = try (0...runs).map { _ in try reference.updates(eventCount) }
            let sets = try (0...runs).map { _ in try subject.updates(eventCount) }
            var (referenceRun, run) = (0, 0)
            report.add(
                await Measurement.compare(
                    "event among \(count) entities", count: eventCount, runs: runs,
                    goal: count == counts[0] ? nil : 1.3,
                    referenceName: "among \(counts[0])",
                    reference: {
                        defer { referenceRun += 1 }
                        return reference.apply(referenceSets[referenceRun])
                    },
                    subject: {
                        defer { run += 1 }
                        return subject.apply(sets[run])
                    }),
                place: Figure.Place(curve: "event", parameter: "entities", size: Double(count)))
        }
        for count in counts {
            let workload = Workload(entityCount: count, eventsPerEntity: 1)
            guard let overhead = try ApplySuite.overheadByteCount(workload) else { break }
            report.add(
                name: "overhead among \(count) entities", value: overhead, unit: "bytes", goal: 75, hash: UInt64(count),
                place: Figure.Place(curve: "overhead", parameter: "entities", size: Double(count)))
        }
    }

    /// Measures decoding and applying lines with resources of different sizes, per kilobyte of lines.
    private static func payloads(
        _ byteCounts: [Int], _ isSmoke: Bool, _ runs: Int, into report: inout Report
    ) async throws {
        for byteCount in byteCounts {
            let lineCount = (isSmoke ? 1_000_000 : 100_000_000) / (byteCount + 150)
            let entityCount = max(1, lineCount / 5)
            let workload = Workload(
                entityCount: entityCount, eventsPerEntity: 5, resourceByteCount: byteCount)
            report.add(
                try await Measurement.compare(
                    "resources of \(byteCount) bytes", unit: "KB", count: workload.byteCount / 1_000, runs: runs,
                    goal: nil, referenceName: "on-demand parse",
                    reference: {
                        workload.bytes.withUnsafeBufferPointer {
                            reference_on_demand($0.baseAddress, workload.byteCount)
                        }
                    },
                    subject: {
                        var state = ApplySuite.emptyState()
                        try workload.decode { state.apply($0, at: 1) }
                        return ApplySuite.digest(state)
                    }),
                place: Figure.Place(curve: "lines to state", parameter: "bytes of a resource", size: Double(byteCount)))
        }
    }
}

/// A state with entities, some of which change.
final class EntityFixture {
    private var state = ApplySuite.emptyState()
    private let entityCount: Int
    private let decoder: SampleDecoder
    private var sequence = 0

    init(entityCount: Int, _ decoder: SampleDecoder) throws {
        self.entityCount = entityCount
        self.decoder = decoder
        let stepCount = 10_000
        for start in stride(from: 0, to: entityCount, by: stepCount) {
            _ = apply(try batches(of: Array(start..<min(start + stepCount, entityCount))))
        }
    }

    /// Returns events that change entities all over the state, and that continue its log.
    func updates(_ eventCount: Int) throws -> [EventBatch] {
        try batches(of: (0..<eventCount).map { ($0 &* 1_000_003) % entityCount })
    }

    private func batches(of indexes: [Int]) throws -> [EventBatch] {
        var lines: [UInt8] = []
        for index in indexes {
            sequence += 1
            Sample.appendChange(of: index, version: sequence, sequence: sequence, to: &lines)
        }
        return try decoder.batches(of: lines)
    }

    /// Applies batches. The flush is taken each time, so that written changes do not accumulate.
    func apply(_ batches: [EventBatch]) -> UInt64 {
        let before = state.counts.applied
        for batch in batches { state.apply(batch, at: 1) }
        _ = state.takeFlush()
        state.flushCommitted()
        return UInt64(state.counts.applied - before)
    }
}
