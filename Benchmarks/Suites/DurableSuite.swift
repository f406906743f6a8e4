import CReference
import Foundation
import Tidemark
import TidemarkModel
import TidemarkSQLite

/// From a file of lines to a database on disk, through the engine.
enum DurableSuite {
    static func run(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tidemark-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
        }
        let input = folder.appending(path: "input.ndjson")
        try Data(workload.bytes[..<workload.byteCount]).write(to: input)
        report.add(
            try await Measurement.compare(
                "ingest to memory, engine", count: workload.lineCount, runs: runs, goal: 2.3,
                referenceName: "on-demand parse",
                reference: {
                    workload.bytes.withUnsafeBufferPointer { reference_on_demand($0.baseAddress, workload.byteCount) }
                },
                subject: { try await ingest(input, into: ForgetfulJournal()) }))
        var databaseByteCount: Int64 = 0
        report.add(
            try await Measurement.compare(
                "durable ingest", count: workload.lineCount, runs: runs, goal: 7, referenceName: "on-demand parse",
                reference: {
                    workload.bytes.withUnsafeBufferPointer { reference_on_demand($0.baseAddress, workload.byteCount) }
                },
                subject: {
                    let database = folder.appending(path: "cache.db")
                    for suffix in ["", "-wal", "-shm", "-lock"] {
                        let path = database.path + suffix
                        if FileManager.default.fileExists(atPath: path) {
                            try FileManager.default.removeItem(atPath: path)
                        }
                    }
                    let hash = try await ingest(input, into: database)
                    databaseByteCount = Int64(try Data(contentsOf: database, options: .alwaysMapped).count)
                    return hash
                }))
        var payloadByteCount = 0
        var lengths: [UUIDValue: Int] = [:]
        try workload.decode { batch in
            for member in batch.members { lengths[member.uuid] = Int(member.resource.count) }
        }
        payloadByteCount = lengths.values.reduce(0, +)
        report.add(
            name: "database / raw payload", value: Double(databaseByteCount) / Double(payloadByteCount), unit: "",
            goal: 0.42, hash: UInt64(payloadByteCount))
    }

    private static func ingest(_ input: URL, into database: URL) async throws -> UInt64 {
        try await ingest(input, into: try await SQLiteJournal.open(path: database.path))
    }

    private static func ingest(_ input: URL, into journal: any Journal) async throws -> UInt64 {
        let file = try FileHandle(forReadingFrom: input)
        defer {
            do { try file.close() } catch { print("not closed: \(error)") }
        }
        var configuration = CacheConfiguration()
        configuration.flush = .bulk
        let cache = try await SyncCache.open(configuration: configuration, journal: journal)
        let stream = try await IngestStream(of: try DescriptorInput(file.fileDescriptor), into: cache)
        while try await stream.next() {}
        try await stream.finish()
        let counts = await cache.counts()
        let entities = await cache.entityCount()
        try await cache.close()
        return UInt64(counts.applied) &* 31 &+ UInt64(entities)
    }
}
