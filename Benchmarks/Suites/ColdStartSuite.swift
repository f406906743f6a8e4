import CReference
import Foundation
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit

/// The start of a cache that was filled before: the time to the first answer, and the time to read all entities.
enum ColdStartSuite {
    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let entityCount = isSmoke ? 5_000 : 1_000_000
        let folder = try ScratchFolder()
        let path = folder.path("cache.db")
        let key = try await fill(path, entityCount: entityCount)
        let select = {
            // Many entities are stored in blocks, few in rows.
            reference_select(
                path, isSmoke ? "SELECT \"row\", body FROM entities" : "SELECT number, body FROM blocks")
        }
        func compare(
            _ name: String, goal: Double?, subject: () async throws -> UInt64
        ) async throws -> Measurement {
            try await Measurement.compare(
                name, unit: "entity", count: entityCount, runs: runs, goal: goal, referenceName: "SELECT of all bodies",
                reference: select, subject: subject)
        }
        report.add(
            try await compare("open and answer once", goal: 2.1) {
                let cache = try await SyncCache.open(path: path)
                guard case .found(let found) = try await cache.entity(key) else {
                    throw BenchmarkError("\(key) is not in the database")
                }
                try await cache.close()
                return UInt64(found.bytes.count)
            })
        report.add(
            try await compare("every entity, read and checked", goal: 5) {
                var byteCount: UInt64 = 0
                try SQLiteReader(path: path).walk { step in
                    if case .entity(let entity) = step { byteCount += UInt64(entity.payload.count) }
                    return true
                }
                return byteCount
            })
        try firstAnswer(path, key, runs: isSmoke ? runs : 4 * runs, into: &report)
    }

    /// Measures the time from the start of a process to the end of its answer.
    private static func firstAnswer(_ path: String, _ key: EntityKey, runs: Int, into report: inout Report) throws {
        let command = try CommandRunner().executable
        for (name, executable, arguments, goal) in [
            ("a process that does nothing", "/bin/true", [], nil),
            (
                "first answer after exec", command,
                ["get", "--db", path, "--library", "\(key.library)", "\(key.type):\(key.id)"], 20
            ),
        ] as [(String, String, [String], Double?)] {
            var milliseconds: [Double] = []
            for run in 0...runs {
                let clock = ContinuousClock()
                let start = clock.now
                let process = try PipedProcess(executable, arguments)
                process.finish()
                if run > 0 { milliseconds.append((clock.now - start).inSeconds * 1e3) }
            }
            report.add(name: name, values: milliseconds, unit: "ms", goal: goal, hash: UInt64(runs))
        }
    }

    /// Fills a database.
    ///
    /// - Returns: The key of an entity in the middle of the key order.
    private static func fill(_ path: String, entityCount: Int) async throws -> EntityKey {
        var configuration = CacheConfiguration()
        configuration.flush = .bulk
        let cache = try await SyncCache.open(path: path, configuration: configuration)
        let stepCount = 10_000
        for start in stride(from: 0, to: entityCount, by: stepCount) {
            var lines: [UInt8] = []
            for index in start..<min(start + stepCount, entityCount) {
                Sample.appendChange(of: index, version: 0, sequence: index + 1, to: &lines)
            }
            try await cache.ingest(lines)
        }
        try await cache.close()
        return Sample.key(of: entityCount / 2)
    }
}
