import CReference
import TidemarkModel
import TidemarkSQLite

/// The cost of storing by itself: every entity is written once, so that no row is overwritten.
enum JournalSuite {
    static func run(_ workload: Workload, runs: Int, into report: inout Report) async throws {
        let folder = try ScratchFolder()
        let input = try Ingest.write(workload, to: folder)
        let payloads = try Payloads(of: workload, isDistinct: true)
        report.add(
            try await Measurement.compare(
                "durable ingest, distinct ids", unit: "entity", count: payloads.count, runs: runs, goal: 0.8,
                referenceName: "bare zstd and SQLite",
                reference: {
                    try folder.removeDatabase("bare.db")
                    return reference_store(
                        folder.path("bare.db"), payloads.source, payloads.offsets, payloads.counts, payloads.count)
                },
                subject: {
                    try folder.removeDatabase("cache.db")
                    return try await Ingest.run(
                        input, into: try await SQLiteJournal.open(path: folder.path("cache.db")))
                }))
        report.add(
            name: "database / raw payload, distinct ids",
            value: Double(try folder.byteCount("cache.db")) / Double(payloads.byteCount), unit: "", goal: 0.36,
            hash: UInt64(payloads.byteCount))
    }
}
