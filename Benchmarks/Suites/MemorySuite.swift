import CReference
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// Lines to events, events to state: everything that happens before a disk.
enum MemorySuite {
    static func run(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        let onDemand = {
            workload.bytes.withUnsafeBufferPointer { reference_on_demand($0.baseAddress, workload.byteCount) }
        }
        report.add(
            try await Measurement.compare(
                "ingest to memory", count: workload.lineCount, runs: runs, goal: 2.3, referenceName: "on-demand parse",
                reference: onDemand,
                subject: {
                    var state = CacheState(
                        configuration: CacheStateConfiguration(), recovered: RecoveredState(), seed: 1)
                    try workload.decode { state.apply($0, at: 1) }
                    return digest(state)
                }))
        try await apply(workload, runs: runs, into: &report)
        try overhead(workload, into: &report)
    }

    static func parse(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        let blocks = workload.blocks()
        let pool = BatchPool()
        let decoder = try EventDecoder(pool: pool)
        report.add(
            try await Measurement.compare(
                "validated parse", count: workload.lineCount, runs: runs, goal: 1.2, referenceName: "DOM parse",
                reference: {
                    var sum: UInt64 = 0
                    for block in blocks {
                        block.lines.withUnsafeBytes { lines in
                            let spans = lines.bindMemory(to: UInt32.self)
                            sum &+= reference_dom(block.bytes, spans.baseAddress, block.lines.count)
                        }
                    }
                    return sum
                },
                subject: {
                    var hash: UInt64 = 0
                    for block in blocks {
                        let batch = try decoder.decode(block)
                        for event in batch.events { hash &+= UInt64(event.sequence?.rawValue ?? 0) }
                        for member in batch.members { hash &+= UInt64(member.resource.count) &* 31 }
                    }
                    return hash
                }))
    }

    /// Decoded batches into a state, beside copying the same payloads to the places of their entities.
    private static func apply(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        var batches: [EventBatch] = []
        try workload.decode { batches.append($0) }
        var entities: [UInt32] = []
        var offsets: [UInt64] = []
        var counts: [UInt32] = []
        var source: [UInt8] = []
        var indexes: [UUIDValue: UInt32] = [:]
        for batch in batches {
            let base = source.count
            source += batch.block
            for member in batch.members {
                let next = UInt32(indexes.count)
                entities.append(indexes[member.uuid, default: next])
                if entities[entities.count - 1] == next { indexes[member.uuid] = next }
                offsets.append(UInt64(base) + UInt64(member.resource.offset))
                counts.append(member.resource.count)
            }
        }
        let blockByteCount = Int(counts.max() ?? 1)
        let blocks = (0..<indexes.count).map { _ in
            UnsafeMutablePointer<UInt8>.allocate(capacity: blockByteCount) as UnsafeMutablePointer<UInt8>?
        }
        for block in blocks { block?.initialize(repeating: 0, count: blockByteCount) }
        defer { for block in blocks { block?.deallocate() } }
        report.add(
            await Measurement.compare(
                "apply", count: workload.lineCount, runs: runs, goal: 9, referenceName: "payload memcpy",
                reference: { reference_copy(source, entities, offsets, counts, entities.count, blocks) },
                subject: {
                    var state = CacheState(
                        configuration: CacheStateConfiguration(), recovered: RecoveredState(), seed: 1)
                    for batch in batches { state.apply(batch, at: 1) }
                    return digest(state)
                }))
    }

    /// Heap that a state takes for each entity beside the entity's own bytes.
    private static func overhead(_ workload: Workload, into report: inout Report) throws {
        let before = reference_heap_byte_count()
        var state = CacheState(configuration: CacheStateConfiguration(), recovered: RecoveredState(), seed: 1)
        try workload.decode { state.apply($0, at: 1) }
        // What waits for a flush is not part of an entity's price.
        _ = state.takeFlush()
        let after = reference_heap_byte_count()
        var payloadByteCount: UInt64 = 0
        state.forEachEntity { _, payload, _ in payloadByteCount += UInt64(payload.count) }
        guard after > 0 else { return }
        let overhead = Double(after - before - payloadByteCount) / Double(workload.entityCount)
        report.add(name: "overhead an entity", value: overhead, unit: "bytes", goal: 110, hash: digest(state))
    }

    /// Depends on every entity, not on their order.
    static func digest(_ state: borrowing CacheState) -> UInt64 {
        UInt64(bitPattern: state.entityCount) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: state.counts.applied)
    }
}
