import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

/// A library with a log: its stream in parts, the lines that an upstream can give, and the state at the end.
struct SoakLibrary {
    let name: ByteString
    /// The stream with its faults, one part for each round.
    let parts: [[UInt8]]
    /// The lines of the log with their LF; line n is sequence n + 1.
    let log: [[UInt8]]
    /// The keys of all entities that exist at any time.
    let keys: [EntityKey]
    /// The state after the whole log.
    let model: ReferenceModel

    init(seed: UInt64, size: SoakSize) {
        var settings = SyntheticSettings()
        settings.seed = seed
        settings.entityCount = size.entityCount
        settings.updatesPerEntity = 4
        settings.popularity = .zipf
        settings.resourceByteCount = 300
        settings.deleteShare = Share(partsPerMillion: 50_000)
        settings.mergeShare = Share(partsPerMillion: 150_000)
        settings.batchShare = Share(partsPerMillion: 20_000)
        settings.batchMemberCount = 20
        settings.gapRate = Share(partsPerMillion: 10_000)
        settings.disorderRate = Share(partsPerMillion: 20_000)
        settings.duplicateRate = Share(partsPerMillion: 20_000)
        settings.badLineRate = Share(partsPerMillion: 10_000)
        settings.heartbeatInterval = 100
        var generator = SyntheticStream(settings)
        var (stream, log): ([UInt8], [UInt8]) = ([], [])
        while let chunk = generator.nextChunk(includingLog: true) {
            stream += chunk.stream
            log += chunk.log
        }
        let lines = stream.split(separator: 0x0A, omittingEmptySubsequences: false)
        let step = lines.count / size.roundCount + 1
        parts = (0..<size.roundCount).map { round in
            let lines = lines.dropFirst(round * step).prefix(step)
            return lines.reduce(into: []) { $0 += $1 + [0x0A] }
        }
        self.log = log.split(separator: 0x0A).map { Array($0) + [0x0A] }
        keys = (0..<settings.entityCount).map { generator.key(ofEntity: $0) }
        name = keys[0].library
        var model = ReferenceModel(configuration: ReferenceConfiguration())
        model.ingest(log)
        self.model = model
    }

    /// Checks a cache that read the whole stream.
    ///
    /// - Parameter mayLack: Whether entities may have been evicted.
    /// - Returns: The differences in words; empty when there are none.
    func problems(_ cache: SyncCache, mayLack: Bool) async throws -> [String] {
        var problems: [String] = []
        for (key, entity) in model.store.entities {
            let key = EntityKey(library: name, type: ByteString(key.type), id: ByteString(key.id))
            let answer = try await cache.entity(key)
            switch answer {
            case .found(let found)
            where found.bytes == entity.json.written && found.sequence?.rawValue == entity.sequence:
                break
            case .missing(.evicted) where mayLack: break
            default: problems.append("\(key.text) is \(answer), not \(entity.json) of \(entity.sequence ?? -1)")
            }
        }
        for key in model.store.tombstones.keys {
            let key = EntityKey(library: name, type: ByteString(key.type), id: ByteString(key.id))
            let answer = try await cache.entity(key)
            if answer != .missing(.deleted) { problems.append("\(key.text) is \(answer), not deleted") }
        }
        let status = await cache.libraries().first { $0.library == name }
        if status?.cursor?.rawValue != Int64(log.count) || status?.lost != [] {
            problems.append("the log of \(log.count) events ended as \(String(describing: status))")
        }
        return problems
    }
}
