import CReference
import TidemarkModel
import TidemarkStore

/// The cost of applying events to a state, and the memory of the state.
enum ApplySuite {
    static func run(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        var batches: [EventBatch] = []
        try workload.decode { batches.append($0) }
        try await apply(batches, workload, runs: runs, into: &report)
        try overhead(workload, into: &report)
    }

    /// Returns a state without entities, with the default configuration.
    static func emptyState() -> CacheState {
        CacheState(configuration: CacheStateConfiguration(), recovered: RecoveredState(), seed: 1)
    }

    /// Measures applying decoded batches to a state; the reference copies the same payloads to the places of their
    /// entities.
    private static func apply(
        _ batches: [EventBatch], _ workload: Workload, runs: Int, into report: inout Report
    ) async throws {
        let payloads = try Payloads(of: workload)
        let blockByteCount = Int(payloads.counts.max() ?? 1)
        let blocks = (0..<payloads.entityCount).map { _ in
            UnsafeMutablePointer<UInt8>.allocate(capacity: blockByteCount) as UnsafeMutablePointer<UInt8>?
        }
        for block in blocks { block?.initialize(repeating: 0, count: blockByteCount) }
        defer { for block in blocks { block?.deallocate() } }
        report.add(
            await Measurement.compare(
                "apply", count: workload.lineCount, runs: runs, goal: 5, referenceName: "payload memcpy",
                reference: {
                    reference_copy(
                        payloads.source, payloads.entities, payloads.offsets, payloads.counts, payloads.count, blocks)
                },
                subject: {
                    var state = emptyState()
                    for batch in batches { state.apply(batch, at: 1) }
                    return digest(state)
                }))
    }

    /// Measures the heap that a state takes for each entity in addition to the entity's own bytes.
    private static func overhead(_ workload: Workload, into report: inout Report) throws {
        guard let overhead = try overheadByteCount(workload) else { return }
        report.add(
            name: "overhead an entity", value: overhead, unit: "bytes", goal: 75, hash: UInt64(workload.entityCount))
    }

    /// Returns the overhead of an entity in bytes; nil when the allocator does not report its size.
    static func overheadByteCount(_ workload: Workload) throws -> Double? {
        let before = reference_heap_byte_count()
        var state = emptyState()
        try workload.decode { state.apply($0, at: 1) }
        // The rows that wait for a flush are not part of an entity's cost.
        _ = state.takeFlush()
        let after = reference_heap_byte_count()
        var payloadByteCount: UInt64 = 0
        state.forEachEntity { _, payload, _ in payloadByteCount += UInt64(payload.count) }
        guard after > 0 else { return nil }
        return (Double(after) - Double(before) - Double(payloadByteCount)) / Double(workload.entityCount)
    }

    /// Returns a hash that depends on the number of entities and of applied events.
    static func digest(_ state: borrowing CacheState) -> UInt64 {
        UInt64(bitPattern: state.entityCount) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: state.counts.applied)
    }
}
