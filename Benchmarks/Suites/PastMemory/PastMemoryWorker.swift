import ArgumentParser
import Foundation
import TidemarkSQLite
import TidemarkTesting

/// The hidden command that measures one store in a process of its own, so that memory and writes are only that store's.
/// It prints each figure as a line: the name, a tab and the value.
struct PastMemoryWorker: AsyncParsableCommand {
    /// What the process measures.
    enum Role: String, ExpressibleByArgument {
        /// All stages, one after the other.
        case stages
        /// The load alone. The process prints its progress.
        case fill
        /// Opening a store that another process filled, and the first read from it.
        case open
        /// The load, into a cache that may hold only 1,000 entities.
        case held
        /// The load, and as many uniform updates as there are entities, in a cache that holds them all in memory.
        case fits
    }

    /// The store that the process measures.
    enum Kind: String, ExpressibleByArgument {
        case tidemark, rocks
        /// The block store alone, without the engine and its data file.
        case blocks
        /// The engine over a data file whose entities stay rows.
        case rows
    }

    static let name = "past-memory"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Measure one store past memory.", shouldDisplay: false)

    @Argument var role: Role
    @Option var store = Kind.tidemark
    @Option var folder: String
    @Option var entities: Int

    func run() async throws {
        let storeFolder = folder + "/" + store.rawValue
        try FileManager.default.createDirectory(atPath: storeFolder, withIntermediateDirectories: true)
        switch role {
        case .stages:
            let input = folder + "/input-\(store.rawValue)"
            var stages = try await PastMemoryRun(entityCount: entities, input: input, measuresFiles: true) {
                try await open(storeFolder)
            }
            let isCache = store == .tidemark || store == .rows
            try await stages.run(PastMemoryStage.allCases.filter { isCache || $0.isCompared })
            if let cache = stages.store as? PastMemoryCache { try await stages.loadWhileReading(cache) }
            try await stages.store.close()
            switch store {
            case .tidemark:
                try await readFromDisk(try await PastMemoryCache(folder: storeFolder, memoryByteCount: 0))
                try readAll(storeFolder)
            case .blocks: try await readFromDisk(try PastMemoryBlocks(folder: storeFolder))
            case .rows:
                try await readFromDisk(
                    try await PastMemoryCache(folder: storeFolder, memoryByteCount: 0, movesToBlocks: false))
            case .rocks: break
            }
        case .fill:
            let subject = try await open(storeFolder)
            var lines = PastMemoryLines(entityCount: entities)
            let input = folder + "/input-\(store.rawValue)"
            _ = try lines.write(.load, to: input)
            try await subject.feed(input) { PastMemoryFigures.write("fed", $0) }
            PastMemoryFigures.write("fed", Int64.max)
            try await subject.close()
        case .open:
            let clock = ContinuousClock()
            let start = clock.now
            let subject = try await open(storeFolder)
            // The first entity was written by the first batch.
            _ = try await subject.read(0)
            PastMemoryFigures.write("first answer", (clock.now - start).inSeconds)
            // A flush waits for the index.
            try await subject.settle()
            PastMemoryFigures.write("whole index", (clock.now - start).inSeconds)
            try await subject.close()
        case .held:
            let subject = try await PastMemoryCache(folder: storeFolder, entityCountMax: 1_000)
            var lines = PastMemoryLines(entityCount: entities)
            _ = try lines.write(.load, to: folder + "/input-held")
            try await subject.feed(folder + "/input-held") { _ in }
            PastMemoryFigures.write("entities", await subject.entityCount())
            try await subject.close()
            PastMemoryFigures.write("file", ProcessUse.byteCount(of: storeFolder))
        case .fits:
            let input = folder + "/input-fits"
            var stages = try await PastMemoryRun(entityCount: entities, input: input, measuresFiles: false) {
                try await PastMemoryCache(folder: storeFolder, memoryByteCount: nil)
            }
            try await stages.run([.load, .steady])
            try await stages.store.close()
        }
    }

    /// Opens the store of this process.
    private func open(_ folder: String) async throws -> any PastMemoryStore {
        switch store {
        case .tidemark: try await PastMemoryCache(folder: folder)
        case .rocks: try PastMemoryRocks(folder: folder)
        case .blocks: try PastMemoryBlocks(folder: folder)
        case .rows: try await PastMemoryCache(folder: folder, movesToBlocks: false)
        }
    }

    /// Measures reads of random entities from a store without entities in memory, one read at a time.
    private func readFromDisk(_ subject: any PastMemoryStore) async throws {
        var random = SeededGenerator(seed: 20_260_303)
        let latencies = try await PastMemoryRun.latencies(of: subject, count: min(20_000, entities)) {
            random.below(entities)
        }
        PastMemoryFigures.write("read p50", PastMemoryRun.share(0.5, of: latencies))
        PastMemoryFigures.write("read p99", PastMemoryRun.share(0.99, of: latencies))
        try await subject.close()
    }

    /// Measures verifying all entities, and walking over them as an export does.
    private func readAll(_ folder: String) throws {
        let reader = try SQLiteReader(path: PastMemoryCache.path(in: folder))
        let clock = ContinuousClock()
        let start = clock.now
        let report = try reader.verify()
        guard report.isSound else { throw BenchmarkError("the store is damaged: \(report.problems)") }
        let middle = clock.now
        var count: Int64 = 0
        try reader.walk { step in
            if case .entity = step { count += 1 }
            return true
        }
        guard count == report.entityCount else { throw BenchmarkError("\(count) of \(report.entityCount) were read") }
        PastMemoryFigures.write("verify", (middle - start).inSeconds)
        PastMemoryFigures.write("export", (clock.now - middle).inSeconds)
        PastMemoryFigures.write("stored", count)
    }
}
