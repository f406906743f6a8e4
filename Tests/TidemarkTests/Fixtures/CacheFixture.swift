import Foundation
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// A cache and its model, fed with the same bytes and compared as a whole.
struct CacheFixture {
    let cache: SyncCache
    let countsBefore: EventCounts

    static func open(
        _ journal: any Journal, _ configuration: CacheConfiguration, upstream: (any Upstream)?, clock: any CacheClock
    ) async throws -> CacheFixture {
        let cache = try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: upstream, clock: clock)
        return CacheFixture(cache: cache, countsBefore: await cache.counts())
    }

    /// Feeds a stream. Unless the input ends, gaps stay open and only applied events become durable.
    ///
    /// - Parameter usesLibrary: False to decode without simdjson.
    func ingest(_ stream: [UInt8], seed: UInt64, endsInput: Bool, usesLibrary: Bool = true) async throws {
        let input = ChunkInput(stream, seed: seed, chunkByteCountMax: 3_000)
        let ingest = try await IngestStream(of: input, into: cache, chunkByteCount: 4_096, usesLibrary: usesLibrary)
        while try await ingest.next() {}
        if endsInput { try await ingest.finish() } else { try await cache.flush() }
    }

    func summary() async -> ReferenceSummary {
        var counts = await cache.counts() - countsBefore
        counts.held += Int64(await cache.openUnitEventCount)
        return ReferenceSummary(
            counts: counts, entityCount: await cache.entityCount(),
            libraries: await cache.libraries())
    }

    /// The differences between the cache and the model; empty when there are none.
    func differences(from model: ReferenceModel) async throws -> [String] {
        var problems: [String] = []
        let (own, wanted) = (await summary(), model.summary)
        if own != wanted {
            problems.append(
                "\(String(decoding: own.line, as: UTF8.self)), not \(String(decoding: wanted.line, as: UTF8.self))")
        }
        for (key, entity) in model.store.entities {
            let answer = try await cache.entity(CacheFixture.key(key))
            guard case .found(let resource) = answer else {
                problems.append("\(CacheFixture.key(key)) is \(answer)")
                continue
            }
            if resource.bytes != entity.json.written || resource.sequence?.rawValue != entity.sequence {
                problems.append(
                    "\(CacheFixture.key(key)) is \(String(decoding: resource.bytes, as: UTF8.self)) of "
                        + "\(String(describing: resource.sequence)), not \(entity.json) of "
                        + "\(String(describing: entity.sequence))")
            }
        }
        for key in model.store.tombstones.keys {
            let answer = try await cache.entity(CacheFixture.key(key))
            if answer != .missing(.deleted) { problems.append("\(CacheFixture.key(key)) is \(answer), not deleted") }
        }
        return problems
    }

    private static func key(_ key: ReferenceKey) -> EntityKey {
        EntityKey(library: ByteString(key.library), type: ByteString(key.type), id: ByteString(key.id))
    }
}

/// Cuts a stream after whole lines.
func runs(of stream: [UInt8], count: Int, _ random: inout SeededGenerator) -> [[UInt8]] {
    let lines = stream.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) + [0x0A] }
    var cuts = (1..<max(2, count)).map { _ in random.below(lines.count) }.sorted()
    cuts = [0] + cuts + [lines.count]
    return zip(cuts, cuts.dropFirst()).map { [UInt8](joining: Array(lines[$0..<$1])) }
}
