// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkEncryption
import TidemarkModel
import TidemarkSQLite

/// The example in Sources/TidemarkEncryption/FileEncryption.swift.
func exampleTidemarkEncryption1(cache: SyncCache) async throws {
    var configuration = SQLiteJournal.Configuration(path: "cache.db")
    configuration.encryption = try FileEncryption(key: [UInt8](repeating: 7, count: 32))
    let journal = try await SQLiteJournal.open(configuration)
    try await journal.close()
}
