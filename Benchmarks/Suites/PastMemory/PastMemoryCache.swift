import Foundation
import Tidemark
import TidemarkModel
import TidemarkSQLite

/// Tidemark as the suite measures it: the engine, its journal and nothing else.
final class PastMemoryCache: PastMemoryStore, Sendable {
    let folder: String
    private let cache: SyncCache

    /// Opens a cache in a folder.
    ///
    /// - Parameters:
    ///   - memoryByteCount: The limit of the memory for entities; nil for the default.
    ///   - entityCountMax: The most entities in memory and on the disk together; nil for no limit.
    ///   - movesToBlocks: Whether the journal moves entities to blocks once there are many, as it does by default.
    init(
        folder: String, memoryByteCount: Int? = PastMemorySizes.memoryByteCount, entityCountMax: Int64? = nil,
        movesToBlocks: Bool = true
    ) async throws {
        self.folder = folder
        var configuration = CacheConfiguration()
        if let memoryByteCount { configuration.memoryByteCountMax = memoryByteCount }
        configuration.eviction.entityCountMax = entityCountMax
        configuration.flush = .bulk
        // One flush is written while the next one fills.
        configuration.flush.startCount = PastMemorySizes.batchLineCount
        configuration.flush.changeCountMax = 2 * PastMemorySizes.batchLineCount
        var file = SQLiteJournal.Configuration(path: PastMemoryCache.path(in: folder))
        if !movesToBlocks { file.blockEntityCountMin = nil }
        cache = try await SyncCache.open(configuration: configuration, journal: try await SQLiteJournal.open(file))
    }

    /// Returns the path of the database in a folder.
    static func path(in folder: String) -> String { folder + "/cache.db" }

    func feed(_ path: String, fed: (Int64) -> Void) async throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer {
            do { try file.close() } catch { print("not closed: \(error)") }
        }
        let stream = try await IngestStream(of: try DescriptorInput(file.fileDescriptor), into: cache)
        while try await stream.next() { fed(stream.byteCount) }
        try await stream.finish()
    }

    /// Flushes the cache, which leaves no work for the background. After an opening, this also waits for the index.
    func settle() async throws { try await cache.flush() }

    func read(_ entity: Int) async throws -> Int {
        guard case .found(let found) = try await cache.entity(PastMemoryLines.key(of: entity)) else { return 0 }
        return found.bytes.count
    }

    func prepare(_ stage: PastMemoryStage, entityCount: Int) async throws {
        switch stage {
        case .load, .uniform, .skewed, .steady, .cold, .merging: return
        case .listed: try await putLists(entityCount)
        case .layered: try await begin(entityCount)
        }
    }

    /// Stores lists of a hundred entities each, without an observer.
    private func putLists(_ entityCount: Int) async throws {
        let elementCount = 100
        for list in 0..<PastMemoryStage.markedCount / elementCount {
            var resources: [[UInt8]] = []
            for number in list * elementCount..<(list + 1) * elementCount {
                let key = PastMemoryLines.key(of: PastMemoryLines.marked(number, of: entityCount))
                guard case .found(let found) = try await cache.entity(key) else { continue }
                resources.append(found.bytes)
            }
            let query = QueryKey(
                library: ByteString(PastMemoryLines.library), method: "bench.list",
                canonicalInput: ByteString("{\"n\":\(list)}"))
            try await cache.store(
                QueryResult(resourceType: ByteString(PastMemoryLines.type), resources: resources), for: query)
        }
    }

    /// Begins an edit of each entity that the stage updates.
    private func begin(_ entityCount: Int) async throws {
        for number in 0..<PastMemoryStage.markedCount {
            let key = PastMemoryLines.key(of: PastMemoryLines.marked(number, of: entityCount) + 1)
            try await cache.update(
                OptimisticUpdate(
                    pendingID: ByteString("edit-\(number)"), library: key.library,
                    operations: [
                        .patch(type: key.type, id: key.id, fields: Array(#"{"favorite":true}"#.utf8), unset: [])
                    ]))
        }
    }

    /// Rolls the edits back, because an opening loads the entity of every pending edit.
    func cleanUp(after stage: PastMemoryStage) async throws {
        guard stage == .layered else { return }
        for number in 0..<PastMemoryStage.markedCount { try await cache.rollBack(ByteString("edit-\(number)")) }
    }

    func entityCount() async -> Int64 { await cache.entityCount() }

    func close() async throws { try await cache.close() }
}
