import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkEncryption
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Data files that are encrypted with a key of the program.
@Suite(.pooled) struct SealedFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file() }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in try folder.names { contents[name] = try DamageFixture.contents(folder.file(name)) }
        return contents
    }

    private func refusal(_ body: () async throws -> Void) async -> StorageError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    @Test(arguments: EntityLayout.allCases, FileEncryption.Cipher.allCases)
    func `an encrypted file keeps what was written`(layout: EntityLayout, cipher: FileEncryption.Cipher) async throws {
        let journal = try await SealedFixture.open(path, layout, cipher)
        let cache = try await SyncCache.open(journal: journal)
        try await cache.ingest(Array(SealedFixture.line("f1", "one").utf8))
        try await cache.close()
        let again = try await SealedFixture.open(path, layout, cipher)
        #expect(await again.openingReport == .reopened)
        try await again.close()
        let reader = try SQLiteReader(path: path, encryption: try SealedFixture.key(7, cipher))
        #expect(try reader.verify().problems == [])
        #expect(try reader.libraries().map(\.entityCount) == [1])
    }

    @Test func `a reader beside the writer sees each commit, in the log too`() async throws {
        let cache = try await SealedFixture.cache(path)
        for number in 0..<3 {
            try await cache.ingest(Array(SealedFixture.line("f\(number)", "text").utf8))
            try await cache.flush()
            #expect(try SealedFixture.payloads(path).count == number + 1)
        }
        #expect(DataFilePath.byteCount(path + "-wal") ?? 0 > 0)
        try await cache.close()
    }

    @Test func `a file without its key, with another key, and a plain file with a key are refused unchanged`()
        async throws
    {
        let cache = try await SealedFixture.cache(path)
        try await cache.ingest(Array(SealedFixture.line("f1", "one").utf8))
        try await cache.close()
        let before = try contents()
        #expect(await refusal { _ = try await SQLiteJournal.open(path: path) } == .keyNeeded)
        #expect(await refusal { _ = try await SealedFixture.open(path, key: 8) } == .wrongKey)
        #expect(await refusal { _ = try SQLiteReader(path: path) } == .keyNeeded)
        #expect(await refusal { _ = try SealedFixture.payloads(path, key: 8) } == .wrongKey)
        #expect(await refusal { _ = try DataFileRepair.run(path: path, now: 0) { _ in true } } == .keyNeeded)
        #expect(Examination.of(path).holds(.keyNeeded))
        #expect(Examination.of(path, encryption: try SealedFixture.key(8)).holds(.wrongKey))
        #expect(try contents() == before)
        let plain = folder.file("plain.db")
        try await SyncCache.open(path: plain).close()
        let plainBefore = try contents()
        #expect(await refusal { _ = try await SealedFixture.open(plain) } == .notEncrypted)
        #expect(await refusal { _ = try SealedFixture.payloads(plain) } == .notEncrypted)
        #expect(try contents() == plainBefore)
    }

    @Test func `a reader without the key is refused beside a writer of the same process`() async throws {
        let cache = try await SealedFixture.cache(path)
        #expect(await refusal { _ = try SQLiteReader(path: path) } == .keyNeeded)
        #expect(await refusal { _ = try SealedFixture.payloads(path, key: 8) } == .wrongKey)
        try await cache.close()
    }

    @Test func `a plain file is opened as before while an encrypted one is open`() async throws {
        let sealed = try await SealedFixture.cache(path)
        let plain = try await SyncCache.open(path: folder.file("plain.db"))
        try await plain.ingest(Array(SealedFixture.line("f1", "plain text").utf8))
        try await plain.close()
        try await sealed.close()
        let bytes = try DamageFixture.contents(folder.file("plain.db"))
        #expect(bytes.starts(with: Array("SQLite format 3\0".utf8)))
        #expect(try SQLiteReader(path: folder.file("plain.db")).verify().problems == [])
    }

    @Test func `any changed byte of the first two pages is damage or mended, and never another value`() async throws {
        let cache = try await SealedFixture.cache(path)
        try await cache.ingest(Array(SealedFixture.line("f1", "one").utf8))
        try await cache.close()
        let sound = try DamageFixture.contents(path)
        let expected = try SealedFixture.payloads(path)
        let end = SealedHeader.byteCount + 2 * (DataFile.pageByteCount + 28)
        // Every byte of the header that is used, and a part of the others.
        for offset in (0..<min(end, sound.count)) where offset % 4_096 < 150 || offset % 61 == 0 {
            var bytes = sound
            bytes.flip(bit: offset % 8, at: offset)
            try DamageFixture.write(bytes, to: path)
            do {
                #expect(try SealedFixture.payloads(path) == expected, "byte \(offset)")
            } catch let error as StorageError {
                #expect(error.code == .damaged, "byte \(offset): \(error)")
            }
        }
    }

    @Test func `one damaged copy of the header is mended by the next writer`() async throws {
        try await SealedFixture.cache(path).close()
        let sound = try DamageFixture.contents(path)
        for copy in 0..<2 {
            var bytes = sound
            for offset in 0..<256 { bytes[copy * SealedHeader.copyByteCount + offset] = 0xAA }
            try DamageFixture.write(bytes, to: path)
            #expect(await refusal { _ = try SQLiteReader(path: path) } == .keyNeeded)
            #expect(await refusal { _ = try await SealedFixture.open(path, key: 8) } == .wrongKey)
            try await SealedFixture.cache(path).close()
            let after = try DamageFixture.contents(path)
            #expect(after.prefix(SealedHeader.byteCount) == sound.prefix(SealedHeader.byteCount))
        }
    }

    @Test func `pages of another place, of another file, and missing pages are damage`() async throws {
        for name in ["cache.db", "other.db"] {
            let cache = try await SealedFixture.cache(folder.file(name))
            let lines = (0..<200).map { SealedFixture.line("f\($0)", "\(name) \($0)") }
            try await cache.ingest(Array(lines.joined(separator: "\n").utf8))
            try await cache.close()
        }
        let sound = try DamageFixture.contents(path)
        let other = try DamageFixture.contents(folder.file("other.db"))
        let expected = try SealedFixture.payloads(path)
        let size = DataFile.pageByteCount + 28
        let pageCount = (sound.count - SealedHeader.byteCount) / size
        func page(_ number: Int) -> Range<Int> {
            SealedHeader.byteCount + number * size..<SealedHeader.byteCount + (number + 1) * size
        }
        var changed: [[UInt8]] = []
        for number in 0..<pageCount {
            var bytes = sound
            bytes.replaceSubrange(page(number), with: sound[page((number + 1) % pageCount)])
            changed.append(bytes)
            guard page(number).upperBound <= other.count else { continue }
            bytes = sound
            bytes.replaceSubrange(page(number), with: other[page(number)])
            changed.append(bytes)
            changed.append(Array(sound[..<(page(number).lowerBound + 100)]))
        }
        for bytes in changed {
            try DamageFixture.write(bytes, to: path)
            do {
                let found = try SealedFixture.payloads(path)
                #expect(found.allSatisfy { expected[$0.key] == $0.value })
            } catch let error as StorageError {
                #expect(error.code == .damaged, "\(error)")
            }
        }
    }

    @Test func `a file with a damaged page is repaired with its key, and stays encrypted`() async throws {
        let cache = try await SealedFixture.cache(path)
        let lines = (0..<500).map { SealedFixture.line("f\($0)", "marker-\($0) \(UUID().uuidString)") }
        try await cache.ingest(Array(lines.joined(separator: "\n").utf8))
        try await cache.close()
        let expected = try SealedFixture.payloads(path)
        var bytes = try DamageFixture.contents(path)
        bytes.flip(bit: 0, at: bytes.count - 1_000)
        try DamageFixture.write(bytes, to: path)
        let report = try DataFileRepair.run(path: path, encryption: try SealedFixture.key(), now: 1_700_000_000_000) {
            $0.first == UInt8(ascii: "{")
        }
        #expect(!report.before.isSound && report.after.isSound, "\(report.after.problems)")
        let found = try SealedFixture.payloads(path)
        #expect(!found.isEmpty && found.allSatisfy { expected[$0.key] == $0.value })
        #expect(try SealedFixture.leaks(of: ["marker-", "SQLite format"], in: folder.path) == [:])
    }

    @Test func `an encrypted file is at most a twentieth larger`() async throws {
        let lines = (0..<5_000).map { SealedFixture.line("f\($0)", UUID().uuidString) }
        for (name, key) in [("plain.db", nil), ("sealed.db", try SealedFixture.key())] {
            var configuration = SQLiteJournal.Configuration(path: folder.file(name))
            configuration.encryption = key
            let cache = try await SyncCache.open(journal: try await SQLiteJournal.open(configuration))
            try await cache.ingest(Array(lines.joined(separator: "\n").utf8))
            try await cache.close()
        }
        let plain = try #require(DataFilePath.byteCount(folder.file("plain.db")))
        let sealed = try #require(DataFilePath.byteCount(folder.file("sealed.db")))
        #expect(sealed <= plain + plain / 20, "\(sealed) bytes for \(plain)")
    }
}
