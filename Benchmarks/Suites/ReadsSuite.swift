import CReference
import Foundation
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTesting

/// The cost of reading entities by key, from memory and from the disk.
enum ReadsSuite {
    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let entityCount = isSmoke ? 1_000 : 20_000
        let rounds = isSmoke ? 1 : 10
        let workload = Workload(entityCount: entityCount, eventsPerEntity: 1)
        let payloads = try Payloads(of: workload, isDistinct: true)
        guard
            let compressed = reference_compress(payloads.source, payloads.offsets, payloads.counts, payloads.count)
        else { throw BenchmarkError("the reference could not compress") }
        defer { reference_compressed_free(compressed) }
        var random = SeededGenerator(seed: 20_260_106)
        let order = (0..<entityCount * rounds).map { _ in UInt32(random.below(entityCount)) }
        var state = ApplySuite.emptyState()
        let wanted = try keys(of: workload, &state)
        func compare(
            _ name: String, goal: Double?, subject: () async throws -> UInt64
        ) async throws -> Measurement {
            try await Measurement.compare(
                name, unit: "read", count: order.count, runs: runs, goal: goal, referenceName: "warm decompress",
                reference: { reference_decompress(compressed, order, order.count) }, subject: subject)
        }
        report.add(
            try await compare("get from memory", goal: 0.35) {
                var byteCount: UInt64 = 0
                for index in order {
                    guard case .found(let found) = state.lookUp(wanted[Int(index)]) else { continue }
                    byteCount += UInt64(found.payload.count)
                }
                return byteCount
            })
        let folder = try ScratchFolder()
        for (name, byteCountMax) in [("get from the engine", 256 << 20), ("get from the disk", 0)] {
            try folder.removeDatabase("cache.db")
            var configuration = CacheConfiguration()
            configuration.memoryByteCountMax = byteCountMax
            let cache = try await SyncCache.open(path: folder.path("cache.db"), configuration: configuration)
            try await cache.ingest(Array(workload.bytes[..<workload.byteCount]))
            try await cache.flush()
            let reads = byteCountMax == 0 ? order.prefix(order.count / 10) : order[...]
            report.add(
                try await Measurement.compare(
                    name, unit: "read", count: reads.count, runs: runs, goal: byteCountMax == 0 ? 2 : nil,
                    referenceName: "warm decompress",
                    reference: {
                        Array(reads).withUnsafeBufferPointer {
                            reference_decompress(compressed, $0.baseAddress, reads.count)
                        }
                    },
                    subject: {
                        var byteCount: UInt64 = 0
                        for index in reads {
                            guard case .found(let found) = try await cache.entity(wanted[Int(index)]) else { continue }
                            byteCount += UInt64(found.bytes.count)
                        }
                        return byteCount
                    }))
            try await cache.close()
        }
        try await decode(isSmoke: isSmoke, runs: runs, into: &report)
    }

    /// Reads of entities in memory, for ``CountedWork``.
    static func counted(readCount: Int) throws -> CountedRounds {
        var state = ApplySuite.emptyState()
        let keys = try keys(of: CountedWork.workload, &state)
        return CountedRounds {
            var byteCount: UInt64 = 0
            for index in 0..<readCount {
                guard case .found(let found) = state.lookUp(keys[index &* 7_919 % keys.count]) else { continue }
                byteCount += UInt64(found.payload.count)
            }
            return byteCount
        }
    }

    /// Reads of entities that only the data file has, for ``CountedWork``.
    static func countedFromDisk(readCount: Int) async throws -> CountedRounds {
        let folder = try ScratchFolder()
        var state = ApplySuite.emptyState()
        let keys = try keys(of: CountedWork.workload, &state)
        var configuration = CacheConfiguration()
        configuration.memoryByteCountMax = 0
        let cache = try await SyncCache.open(path: folder.path("cache.db"), configuration: configuration)
        try await cache.ingest(Array(CountedWork.workload.bytes[..<CountedWork.workload.byteCount]))
        try await cache.flush()
        return CountedRounds(end: { try await cache.close() }) {
            _ = folder
            var byteCount: UInt64 = 0
            for index in 0..<readCount {
                guard case .found(let found) = try await cache.entity(keys[index &* 7_919 % keys.count]) else {
                    continue
                }
                byteCount += UInt64(found.bytes.count)
            }
            return byteCount
        }
    }

    /// Applies a workload to a state, and returns the keys of its entities, ascending.
    private static func keys(of workload: Workload, _ state: inout CacheState) throws -> [EntityKey] {
        var keys: [EntityKey] = []
        try workload.decode { state.apply($0, at: 1) }
        state.forEachEntity { key, _, _ in keys.append(key) }
        return keys.sorted()
    }

    /// Measures decoding resources into their Swift type; the reference is Foundation's decoder with the same strategy
    /// for dates.
    private static func decode(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let resources = DecodedFile.resources(count: isSmoke ? 200 : 10_000)
        let foundation = JSONDecoder()
        foundation.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            for style in [Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle()] {
                do { return try style.parse(text) } catch { continue }
            }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date")
        }
        let coder = ResourceCoder()
        report.add(
            try await Measurement.compare(
                "decode a resource", unit: "resource", count: resources.count, runs: runs, goal: 0.35,
                referenceName: "JSONDecoder",
                reference: {
                    try resources.reduce(0) {
                        $0 &+ (try foundation.decode(DecodedFile.self, from: Data($1)).hash)
                    }
                },
                subject: {
                    try resources.reduce(0) { $0 &+ (try coder.value(DecodedFile.self, $1).hash) }
                }))
    }
}
