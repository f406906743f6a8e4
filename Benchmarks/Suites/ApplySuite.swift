import CReference
import TidemarkModel
import TidemarkStore

/// Events to state, and what the state takes.
enum ApplySuite {
    static func run(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        var batches: [EventBatch] = []
        try workload.decode { batches.append($0) }
        try await apply(batches, workload, runs: runs, into: &report)
        try overhead(workload, into: &report)
    }

    static func emptyState() -> CacheState {
        CacheState(configuration: CacheStateConfiguration(), recovered: RecoveredState(), seed: 1)
    }

    /// Decoded batches into a state, beside copying the same payloads to the places of their entities.
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

    /// Heap that a state takes for each entity beside the entity's own bytes.
    private static func overhead(_ workload: Workload, into report: inout Report) throws {
        guard let overhead = try overheadByteCount(workload) else { return }
        report.add(
            name: "overhead an entity", value: overhead, unit: "bytes", goal: 75, hash: UInt64(workload.entityCount))
    }

    /// nil where the allocator does not tell.
    static func overheadByteCount(_ workload: Workload) throws -> Double? {
        let before = reference_heap_byte_count()
        var state = emptyState()
        try workload.decode { state.apply($0, at: 1) }
        // What waits for a flush is not part of an entity's price.
        _ = state.takeFlush()
        let after = reference_heap_byte_count()
        var payloadByteCount: UInt64 = 0
        state.forEachEntity { _, payload, _ in payloadByteCount += UInt64(payload.count) }
        guard after > 0 else { return nil }
        return (Double(after) - Double(before) - Double(payloadByteCount)) / Double(workload.entityCount)
    }

    /// Depends on every entity, not on their order.
    static func digest(_ state: borrowing CacheState) -> UInt64 {
        UInt64(bitPattern: state.entityCount) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: state.counts.applied)
    }
}
