import Synchronization
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// The cost of a policy: for events, and for reads that check ages.
enum AgesSuite {
    private static let rules = """
        type file @cacheControl(maxAge: 3600) {
          id: ID sd_path: String album: String @cacheControl(maxAge: 900) size: Int notes: String
          favorite: Boolean @cacheControl(maxAge: 600)
        }
        """
    private static let entityCount = 10_000
    /// The time of the writes, in milliseconds since 1970.
    private static let writtenAt: Int64 = 1_700_000_000_000

    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let policy = try CachePolicy.read(Array(rules.utf8))
        let size = QueryFixture.Size.of(smoke: isSmoke)
        let eventCount = isSmoke ? 2_000 : 50_000
        let events = try QueryFixture.events(size, setCount: runs + 1, eventCount: eventCount)
        let plain = try QueryFixture(size, .lists, queryCount: 10)
        let aged = try QueryFixture(size, .lists, queryCount: 10, policy: policy)
        var (plainRun, agedRun) = (0, 0)
        report.add(
            try await Measurement.compare(
                "event, ages in force", count: eventCount, runs: runs, goal: 1.15, referenceName: "no policy",
                reference: {
                    defer { plainRun += 1 }
                    return plain.apply(events[plainRun])
                },
                subject: {
                    defer { agedRun += 1 }
                    return aged.apply(events[agedRun])
                }))
        // In the second case, a field that the read does not request is too old, so that the read has to check each
        // field.
        for (name, seconds, fields) in [
            ("read", 10, nil), ("read of fields beside an old one", 700, ["id", "size", "notes"] as [ByteString]),
        ] {
            let clock = FixedClock(time: writtenAt)
            let reference = try await cache(CachePolicy(), clock)
            let subject = try await cache(policy, clock)
            clock.time.withLock { $0 += Int64(seconds) * 1_000 }
            let keys = (0..<entityCount).map { Sample.key(of: $0) }
            report.add(
                try await Measurement.compare(
                    name, unit: "read", count: isSmoke ? entityCount : 20 * entityCount, runs: runs, goal: 1.2,
                    referenceName: "no policy",
                    reference: { try await read(keys, from: reference, fields: fields, rounds: isSmoke ? 1 : 20) },
                    subject: { try await read(keys, from: subject, fields: fields, rounds: isSmoke ? 1 : 20) }))
            try await reference.close()
            try await subject.close()
        }
    }

    private static func cache(_ policy: CachePolicy, _ clock: FixedClock) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.policy = policy
        let cache = try await SyncCache.open(configuration: configuration, journal: ForgetfulJournal(), clock: clock)
        var lines: [UInt8] = []
        for index in 0..<entityCount { Sample.appendChange(of: index, version: 0, sequence: index + 1, to: &lines) }
        try await cache.ingest(lines)
        return cache
    }

    /// Reads every entity, `rounds` times.
    private static func read(
        _ keys: [EntityKey], from cache: SyncCache, fields: [ByteString]?, rounds: Int
    ) async throws -> UInt64 {
        var byteCount = 0
        for _ in 0..<rounds {
            for key in keys { byteCount += try await cache.read(EntityRequest(key, fields: fields)).entity?.count ?? 0 }
        }
        return UInt64(byteCount)
    }
}
