import Foundation
import Tidemark
import TidemarkEncryption
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTesting

/// What an encrypted data file costs, beside a plain one in the same run.
enum EncryptionSuite {
    static func run(
        updates: Workload, distinct: Workload, runs: Int, into report: inout Report
    ) async throws {
        let folder = try ScratchFolder()
        let key = try FileEncryption(key: (0..<UInt8(FileEncryption.keyByteCount)).map { $0 })
        func open(_ name: String, _ encryption: FileEncryption?) async throws -> SQLiteJournal {
            var configuration = SQLiteJournal.Configuration(path: folder.path(name))
            configuration.encryption = encryption
            return try await SQLiteJournal.open(configuration)
        }
        for (title, workload) in [("updates", updates), ("distinct ids", distinct)] {
            let input = try Ingest.write(workload, to: folder)
            func ingest(_ name: String, _ encryption: FileEncryption?) async throws -> UInt64 {
                try folder.removeDatabase(name)
                return try await Ingest.run(input, into: try await open(name, encryption))
            }
            report.add(
                try await Measurement.compare(
                    "durable ingest, \(title), encrypted", count: workload.lineCount, runs: runs, goal: 1.25,
                    referenceName: "plain",
                    reference: { try await ingest("plain.db", nil) },
                    subject: { try await ingest("sealed.db", key) }))
        }
        report.add(
            name: "database, encrypted / plain",
            value: Double(try folder.byteCount("sealed.db")) / Double(try folder.byteCount("plain.db")), unit: "",
            goal: 1.05, hash: UInt64(distinct.lineCount))
        try await read(distinct, runs: runs, into: &report) { name in
            try await open(name, name == "sealed.db" ? key : nil)
        }
    }

    /// Reads entities by key in random order, with nothing of them in the cache's memory.
    private static func read(
        _ workload: Workload, runs: Int, into report: inout Report,
        _ open: (String) async throws -> SQLiteJournal
    ) async throws {
        var state = ApplySuite.emptyState()
        var keys: [EntityKey] = []
        try workload.decode { state.apply($0, at: 1) }
        state.forEachEntity { key, _, _ in keys.append(key) }
        keys.sort()
        var random = SeededGenerator(seed: 20_261_130)
        let order = (0..<min(20_000, keys.count)).map { _ in keys[random.below(keys.count)] }
        var configuration = CacheConfiguration()
        configuration.memoryByteCountMax = 0
        let plain = try await SyncCache.open(configuration: configuration, journal: try await open("plain.db"))
        let sealed = try await SyncCache.open(configuration: configuration, journal: try await open("sealed.db"))
        func read(_ cache: SyncCache) async throws -> UInt64 {
            var byteCount: UInt64 = 0
            for key in order {
                guard case .found(let found) = try await cache.entity(key) else { continue }
                byteCount += UInt64(found.bytes.count)
            }
            return byteCount
        }
        report.add(
            try await Measurement.compare(
                "get from the disk, encrypted", unit: "read", count: order.count, runs: runs, goal: 1.1,
                referenceName: "plain",
                reference: { try await read(plain) }, subject: { try await read(sealed) }))
        try await plain.close()
        try await sealed.close()
    }
}
