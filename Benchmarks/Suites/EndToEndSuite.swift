import CReference
import Foundation
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkStore

/// The cost of turning a file of lines into readable entities, in memory and on disk.
enum EndToEndSuite {
    static func run(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        let onDemand = {
            workload.bytes.withUnsafeBufferPointer { reference_on_demand($0.baseAddress, workload.byteCount) }
        }
        report.add(
            try await Measurement.compare(
                "lines to state", count: workload.lineCount, runs: runs, goal: nil, referenceName: "on-demand parse",
                reference: onDemand,
                subject: {
                    var state = ApplySuite.emptyState()
                    try workload.decode { state.apply($0, at: 1) }
                    return ApplySuite.digest(state)
                }))
        let folder = try ScratchFolder()
        let input = try Ingest.write(workload, to: folder)
        report.add(
            try await Measurement.compare(
                "ingest to memory", count: workload.lineCount, runs: runs, goal: 1.7, referenceName: "on-demand parse",
                reference: onDemand,
                subject: { try await Ingest.run(input, into: ForgetfulJournal()) }))
        report.add(
            try await Measurement.compare(
                "durable ingest", count: workload.lineCount, runs: runs, goal: 4.3, referenceName: "on-demand parse",
                reference: onDemand,
                subject: {
                    try folder.removeDatabase("cache.db")
                    return try await Ingest.run(
                        input, into: try await SQLiteJournal.open(path: folder.path("cache.db")))
                }))
        let payloadByteCount = try Payloads(of: workload, isDistinct: true).byteCount
        report.add(
            name: "database / raw payload",
            value: Double(try folder.byteCount("cache.db")) / Double(payloadByteCount), unit: "", goal: 0.36,
            hash: UInt64(payloadByteCount))
    }
}

/// Ingests a file of lines through the engine, as the command does.
enum Ingest {
    /// Writes a workload to a file in a folder.
    static func write(_ workload: Workload, to folder: ScratchFolder) throws -> URL {
        let input = folder.url.appending(path: "input.ndjson")
        try Data(workload.bytes[..<workload.byteCount]).write(to: input)
        return input
    }

    /// Ingests a file into a new cache over a journal.
    ///
    /// - Parameter usesLibrary: False to decode lines without simdjson.
    /// - Returns: A hash of the numbers of applied events and of entities.
    static func run(_ input: URL, into journal: any Journal, usesLibrary: Bool = true) async throws -> UInt64 {
        let file = try FileHandle(forReadingFrom: input)
        defer {
            do { try file.close() } catch { print("not closed: \(error)") }
        }
        var configuration = CacheConfiguration()
        configuration.flush = .bulk
        let cache = try await SyncCache.open(configuration: configuration, journal: journal)
        let stream = try await IngestStream(
            of: try DescriptorInput(file.fileDescriptor), into: cache, usesLibrary: usesLibrary)
        while try await stream.next() {}
        try await stream.finish()
        let counts = await cache.counts()
        let entities = await cache.entityCount()
        try await cache.close()
        return UInt64(counts.applied) &* 31 &+ UInt64(entities)
    }
}
