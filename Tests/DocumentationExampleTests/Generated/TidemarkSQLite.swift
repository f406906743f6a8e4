// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkEncryption
import TidemarkModel
import TidemarkSQLite

/// The example in Sources/TidemarkSQLite/Doctor/Examination.swift.
func exampleTidemarkSQLite1(cache: SyncCache) async throws {
    let examination = Examination.of("cache.db")
    for finding in examination.findings where finding.level >= .warning {
        print(finding.code.rawValue, finding.what, finding.advice)
    }
}

/// The example in Sources/TidemarkSQLite/Journal/SQLiteJournal+Rotation.swift.
func exampleTidemarkSQLite2(cache: SyncCache) async throws {
    let old = try FileEncryption(key: [UInt8](repeating: 7, count: 32))
    let new = try FileEncryption(key: [UInt8](repeating: 8, count: 32))
    try await SQLiteJournal.rotateKey(path: "cache.db", from: old, to: new)
}

/// The example in Sources/TidemarkSQLite/Journal/SQLiteJournal.swift.
func exampleTidemarkSQLite3(cache: SyncCache) async throws {
    var configuration = SQLiteJournal.Configuration(path: "cache.db")
    configuration.onDamagedRow = { print("left out: \($0)") }
    let journal = try await SQLiteJournal.open(configuration)
    if case .rebuilt(let path, let reason) = await journal.openingReport { print(path, reason) }
    let stored = try await SyncCache.open(journal: journal)
    try await stored.close()
}

/// The example in Sources/TidemarkSQLite/Opening/FileProtection.swift.
func exampleTidemarkSQLite4(cache: SyncCache) async throws {
    var configuration = SQLiteJournal.Configuration(path: "cache.db")
    configuration.fileProtection = .complete
    let journal = try await SQLiteJournal.open(configuration)
    let cached = try await SyncCache.open(journal: journal)
}

/// The example in Sources/TidemarkSQLite/Reader/SQLiteReader+Verify.swift.
func exampleTidemarkSQLite5(cache: SyncCache) async throws {
    let report = try SQLiteReader(path: "cache.db").verify()
    print(report.isSound ? "sound" : "\(report.problemCount) problems")
    for problem in report.problems { print(problem) }
}

/// The example in Sources/TidemarkSQLite/Reader/SQLiteReader.swift.
func exampleTidemarkSQLite6(cache: SyncCache) async throws {
    let reader = try SQLiteReader(path: "cache.db")
    for library in try reader.libraries() { print(library.status.library, library.entityCount) }
    try reader.walk(type: "photo", limit: 10) { step in
        if case .entity(let entity) = step { print(entity.key, entity.payload.count) }
        return true
    }
}

/// The example in Sources/TidemarkSQLite/Repair/DataFileRepair.swift.
func exampleTidemarkSQLite7(cache: SyncCache) async throws {
    let report = try DataFileRepair.run(path: "cache.db", now: 1_767_225_600_000) { bytes in
        bytes.first == UInt8(ascii: "{") && bytes.last == UInt8(ascii: "}")
    }
    for step in report.steps { print(step) }
    print(report.after.isSound, report.movedTo ?? "not moved")
}

/// The example in Sources/TidemarkSQLite/SQL/SQLiteAccounting.swift.
func exampleTidemarkSQLite8(cache: SyncCache) async throws {
    if !SQLiteAccounting.turnOff() { print("SQLite was already in use") }
}

/// The example in Sources/TidemarkSQLite/Sealing/DataFileEncryption.swift.
func exampleTidemarkSQLite9(cache: SyncCache) async throws {
    func configuration(_ encryption: any DataFileEncryption) -> SQLiteJournal.Configuration {
        var configuration = SQLiteJournal.Configuration(path: "cache.db")
        configuration.encryption = encryption
        return configuration
    }
}

/// The example in Sources/TidemarkSQLite/SyncCache+Open.swift.
func exampleTidemarkSQLite10(cache: SyncCache) async throws {
    let cache = try await SyncCache.open(path: "cache.db")
    try await cache.ingest(Array(#"{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}"#.utf8))
    let answer = try await cache.entity(EntityKey(type: "file", id: "1"))
    print(answer)
    try await cache.close()
}
