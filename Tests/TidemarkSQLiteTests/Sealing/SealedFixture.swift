import Foundation
import Tidemark
import TidemarkEncryption
import TidemarkModel
import TidemarkStore

@testable import TidemarkSQLite

/// Encrypted data files for tests.
enum SealedFixture {
    /// A key that consists of one repeated byte.
    static func key(_ byte: UInt8 = 7, _ cipher: FileEncryption.Cipher = .aes256GCM) throws -> FileEncryption {
        try FileEncryption(key: [UInt8](repeating: byte, count: FileEncryption.keyByteCount), cipher: cipher)
    }

    static func open(
        _ path: String, key: UInt8 = 7, _ layout: EntityLayout = .rows, _ cipher: FileEncryption.Cipher = .aes256GCM
    ) async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.encryption = try self.key(key, cipher)
        configuration.layout = layout
        return try await SQLiteJournal.open(configuration)
    }

    /// Opens a cache on an encrypted file.
    static func cache(_ path: String, key: UInt8 = 7, _ layout: EntityLayout = .rows) async throws -> SyncCache {
        try await SyncCache.open(journal: try await open(path, key: key, layout))
    }

    static func line(_ id: String, _ text: String, library: String = "") -> String {
        let place = library.isEmpty ? "" : #""library_id":"\#(library)","#
        return #"{"ResourceChanged":{\#(place)"resource_type":"file","resource":{"id":"\#(id)","text":"\#(text)"}}}"#
    }

    /// Returns the payloads in a file, by id.
    static func payloads(_ path: String, key: UInt8 = 7) throws -> [ByteString: ByteString] {
        var found: [ByteString: ByteString] = [:]
        try SQLiteReader(path: path, encryption: try self.key(key)).walk { step in
            if case .entity(let entity) = step { found[entity.key.id] = ByteString(entity.payload) }
            return true
        }
        return found
    }

    /// Returns the files of a folder that have any of the texts, with the first text that each has.
    static func leaks(of texts: [String], in folder: String) throws -> [String: String] {
        var found: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            if let text = texts.first(where: { bytes.range(of: Data($0.utf8)) != nil }) { found[name] = text }
        }
        return found
    }
}
