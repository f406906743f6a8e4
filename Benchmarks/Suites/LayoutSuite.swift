import Foundation
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit

/// Small data files in both layouts: their size beside the JSON that they hold, and the time to open one and answer.
///
/// Blocks could be the only layout if a small file took no more than 0.6 of its JSON and opened no slower than rows.
enum LayoutSuite {
    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        for entityCount in isSmoke ? [1_000] : [100, 1_000, 10_000] {
            let folder = try ScratchFolder()
            var raw = 0
            for (layout, name) in [(EntityLayout.rows, "rows"), (.blocks, "blocks")] {
                raw = try await fill(folder.path("\(name).db"), layout, entityCount: entityCount)
                report.add(
                    name: "\(name) of \(entityCount) entities / their JSON",
                    value: Double(try folder.byteCount("\(name).db")) / Double(raw), unit: "",
                    goal: layout == .blocks ? 0.6 : nil, hash: UInt64(raw))
            }
            let key = Sample.key(of: entityCount / 2)
            report.add(
                try await Measurement.compare(
                    "open \(entityCount) entities and answer once", unit: "opening", count: 1, runs: runs, goal: 1,
                    referenceName: "rows", reference: { try await answer(folder.path("rows.db"), key) },
                    subject: { try await answer(folder.path("blocks.db"), key) }))
        }
    }

    private static func answer(_ path: String, _ key: EntityKey) async throws -> UInt64 {
        let cache = try await SyncCache.open(path: path)
        guard case .found(let found) = try await cache.entity(key) else {
            throw BenchmarkError("\(key) is not in the database")
        }
        try await cache.close()
        return UInt64(found.bytes.count)
    }

    /// Fills a file as a small application does: three versions of each entity, a commit after each 50 events.
    ///
    /// - Returns: The bytes of JSON of all entities.
    private static func fill(_ path: String, _ layout: EntityLayout, entityCount: Int) async throws -> Int {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.layout = layout
        let cache = try await SyncCache.open(journal: try await SQLiteJournal.open(configuration))
        let stepCount = 50
        for start in stride(from: 0, to: 3 * entityCount, by: stepCount) {
            var lines: [UInt8] = []
            for place in start..<min(start + stepCount, 3 * entityCount) {
                Sample.appendChange(
                    of: place % entityCount, version: place / entityCount, sequence: place + 1, to: &lines)
            }
            try await cache.ingest(lines)
            try await cache.flush()
        }
        try await cache.close()
        return (0..<entityCount).reduce(0) { $0 + Sample.resource($1, version: 2).count }
    }
}
