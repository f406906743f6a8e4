import Logging
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// A stream with its faults, ingested part by part with a log that fills its gaps, and the state of the model after
/// each part. It has batches, merges, deletes, gaps, reconciliation, bad lines and a dictionary; at the end all but a
/// few entities are evicted.
struct StreamOnDisk {
    /// The number of entities that stay when the others are evicted.
    static let keptEntityCount: Int64 = 40

    /// The stored form of one entity.
    struct Stored: Equatable {
        var payload: [UInt8]
        var sequence: Int64?
    }

    private let logFolder: TemporaryFolder
    private let parts: [[String]]
    /// The expected entities by cursor: key to payload and sequence.
    private(set) var wanted: [Int64: [EntityKey: Stored]] = [0: [:]]
    /// The cursors after each part.
    private(set) var cursors: [Int64] = []

    init() async throws {
        logFolder = try TemporaryFolder()
        var settings = SyntheticSettings()
        settings.entityCount = 160
        settings.updatesPerEntity = 1
        settings.deleteShare = Share(partsPerMillion: 30_000)
        settings.mergeShare = Share(partsPerMillion: 100_000)
        settings.batchShare = Share(partsPerMillion: 20_000)
        settings.batchMemberCount = 10
        settings.gapRate = Share(partsPerMillion: 20_000)
        settings.disorderRate = Share(partsPerMillion: 20_000)
        settings.duplicateRate = Share(partsPerMillion: 20_000)
        settings.badLineRate = Share(partsPerMillion: 20_000)
        var generator = SyntheticStream(settings)
        var (stream, log): ([UInt8], [UInt8]) = ([], [])
        while let chunk = generator.nextChunk(includingLog: true) {
            stream += chunk.stream
            log += chunk.log
        }
        try logFolder.write(log, to: "log")
        let lines = stream.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        let step = lines.count / 4 + 1
        parts = stride(from: 0, to: lines.count, by: step).map { Array(lines[$0..<min($0 + step, lines.count)]) }
        try await computeWanted(log)
    }

    /// Computes the expected states: a cache in memory gives the cursor after each part, the model gives the entities.
    private mutating func computeWanted(_ log: [UInt8]) async throws {
        let journal = MemoryJournal()
        let cache = try await open(journal)
        let input = try await HandInput(into: cache)
        for part in parts {
            try await feed(part, input)
            cursors.append(try #require(await cache.libraries().first?.cursor?.rawValue))
        }
        try await cache.close()
        // Line n of the log is sequence n.
        let lines = log.split(separator: 0x0A).map { Array($0) + [0x0A] }
        var model = ReferenceModel(configuration: ReferenceConfiguration())
        var done = 0
        for cursor in cursors {
            model.ingest([UInt8](joining: Array(lines[done..<max(done, Int(cursor))])))
            done = max(done, Int(cursor))
            var entities: [EntityKey: Stored] = [:]
            for (key, entity) in model.store.entities {
                let name = EntityKey(
                    library: ByteString(key.library), type: ByteString(key.type), id: ByteString(key.id))
                entities[name] = Stored(payload: entity.json.written, sequence: entity.sequence)
            }
            wanted[cursor] = entities
        }
    }

    var partCount: Int { parts.count }

    func open(
        _ journal: any Journal, _ change: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.reorderWindow = .milliseconds(1 << 40)
        // Flushes begin when the test asks for one, and pauses before another attempt cost nothing.
        configuration.flush.interval = .milliseconds(1 << 40)
        configuration.flush.attemptCountMax = 1
        change(&configuration)
        return try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: FileUpstream(path: logFolder.path("log")),
            clock: ManualClock(skipsUpTo: 60_000))
    }

    static func journal(_ folder: TemporaryFolder) async throws -> SQLiteJournal {
        try await journal(path: folder.path("cache.db"))
    }

    static func journal(path: String) async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.dictionarySampleCountMin = 100
        return try await SQLiteJournal.open(configuration)
    }

    /// Feeds a part's lines, and lets the gaps between them be filled.
    func feed(part: Int, _ input: HandInput) async throws { try await feed(parts[part], input) }

    private func feed(_ lines: [String], _ input: HandInput) async throws {
        try await input.feed(lines)
        try await input.cache.endOfInput()
    }

    /// Ingests everything, then evicts, until a call fails.
    ///
    /// - Parameter partCount: The number of acknowledged parts; one more when everything was to be evicted.
    func run(_ folder: TemporaryFolder, _ partCount: inout Int) async throws {
        try await run(path: folder.path("cache.db")) { partCount += 1 }
    }

    /// Ingests everything, then evicts, in a process that may end meanwhile.
    ///
    /// - Parameter acknowledge: Called as soon as a part is acknowledged, and when everything is to be evicted.
    func run(path: String, acknowledge: () -> Void) async throws {
        let cache = try await open(try await Self.journal(path: path))
        do {
            let input = try await HandInput(into: cache)
            for part in parts.indices {
                try await feed(part: part, input)
                try await cache.flush()
                acknowledge()
            }
        } catch {
            await abandon(cache)
            throw error
        }
        try await cache.close()
        acknowledge()
        let small = try await open(try await Self.journal(path: path)) {
            $0.eviction.entityCountMax = Self.keptEntityCount
        }
        do {
            try await small.enforceLimits()
        } catch {
            await abandon(small)
            throw error
        }
        try await small.close()
    }

    private func abandon(_ cache: SyncCache) async {
        do { try await cache.close() } catch {}
    }

    /// Compares the content of a folder with the model.
    ///
    /// - Parameters:
    ///   - acknowledged: The number of parts, as from ``run(_:_:)``.
    ///   - mayLack: Whether entities may be missing though nothing was evicted.
    /// - Returns: The differences in words; empty when there are none.
    func problems(in folder: TemporaryFolder, acknowledged: Int, mayLack: Bool = false) async throws -> [String] {
        let journal = try await Self.journal(folder)
        let report = await journal.openingReport
        try await journal.close()
        switch report {
        case .reopened: break
        case .created where acknowledged == 0: return []
        default: return ["it was \(report)"]
        }
        let reader = try SQLiteReader(path: folder.path("cache.db"))
        var problems = try reader.verify().problems.map { "verify: \($0)" }
        let cursor = try reader.libraries().first?.status.cursor?.rawValue ?? 0
        let least = acknowledged == 0 ? 0 : cursors[min(acknowledged, cursors.count) - 1]
        guard cursor >= least else { return problems + ["the cursor is \(cursor), and \(least) was acknowledged"] }
        guard let wanted = wanted[cursor] else { return problems + ["the cursor is \(cursor), inside of a flush"] }
        var count: Int64 = 0
        try reader.walk { step in
            guard case .entity(let entity) = step else {
                problems.append("\(step)")
                return true
            }
            count += 1
            let found = Stored(payload: entity.payload, sequence: entity.sequence?.rawValue)
            if wanted[entity.key] != found { problems.append("\(entity.key) is not what was sent") }
            return true
        }
        let isEvicting = acknowledged > parts.count
        let countMin = isEvicting ? min(Self.keptEntityCount, Int64(wanted.count)) : Int64(wanted.count)
        if count < countMin, !mayLack { problems.append("there are \(count) entities, not \(countMin)") }
        return problems
    }
}
