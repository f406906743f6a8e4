import Foundation
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkWire

/// What a build without simdjson and zstd costs, beside one with them. Where the build has neither, both are the same.
enum PortableSuite {
    static func run(
        updates: Workload, distinct: Workload, runs: Int, into report: inout Report
    ) async throws {
        try await parse(updates, runs: runs, into: &report)
        let folder = try ScratchFolder()
        let input = try Ingest.write(updates, to: folder)
        report.add(
            try await Measurement.compare(
                "ingest to memory, portable", count: updates.lineCount, runs: runs, goal: 1.15,
                referenceName: "with simdjson",
                reference: { try await Ingest.run(input, into: ForgetfulJournal()) },
                subject: { try await Ingest.run(input, into: ForgetfulJournal(), usesLibrary: false) }))
        try await store(distinct, folder, runs: runs, into: &report)
    }

    private static func parse(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        let blocks = workload.blocks()
        func decode(with decoder: EventDecoder) throws -> UInt64 {
            var hash: UInt64 = 0
            for block in blocks {
                let batch = try decoder.decode(block)
                for event in batch.events { hash &+= UInt64(event.sequence?.rawValue ?? 0) }
                for member in batch.members { hash &+= UInt64(member.resource.count) &* 31 }
            }
            return hash
        }
        let library = try EventDecoder(pool: BatchPool())
        let portable = try EventDecoder(pool: BatchPool(), usesLibrary: false)
        report.add(
            try await Measurement.compare(
                "validated parse, portable", count: workload.lineCount, runs: runs, goal: 1 / 0.6,
                referenceName: "with simdjson",
                reference: { try decode(with: library) }, subject: { try decode(with: portable) }))
    }

    private static func store(
        _ workload: Workload, _ folder: ScratchFolder, runs: Int, into report: inout Report
    ) async throws {
        let input = try Ingest.write(workload, to: folder)
        func ingest(_ name: String, _ compression: DataCompression) async throws -> UInt64 {
            try folder.removeDatabase(name)
            var configuration = SQLiteJournal.Configuration(path: folder.path(name))
            configuration.compression = compression
            return try await Ingest.run(input, into: try await SQLiteJournal.open(configuration))
        }
        func scan(_ name: String) throws -> UInt64 {
            var hash: UInt64 = 0
            try SQLiteReader(path: folder.path(name)).walk { step in
                if case .entity(let entity) = step { hash &+= UInt64(entity.payload.count) }
                return true
            }
            return hash
        }
        let standard = DataCompression.standard
        report.add(
            try await Measurement.compare(
                "durable ingest, deflate", unit: "entity", count: workload.lineCount, runs: runs, goal: nil,
                referenceName: standard.rawValue,
                reference: { try await ingest("standard.db", standard) },
                subject: { try await ingest("deflate.db", .deflate) }))
        report.add(
            try await Measurement.compare(
                "read all, deflate", unit: "entity", count: workload.lineCount, runs: runs, goal: nil,
                referenceName: standard.rawValue,
                reference: { try scan("standard.db") }, subject: { try scan("deflate.db") }))
        report.add(
            name: "database, deflate / \(standard.rawValue)",
            value: Double(try folder.byteCount("deflate.db")) / Double(try folder.byteCount("standard.db")), unit: "",
            goal: nil, hash: UInt64(workload.lineCount))
    }
}
