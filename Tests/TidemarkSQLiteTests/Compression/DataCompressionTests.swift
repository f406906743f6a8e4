import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Files with data of one codec, or of both.
@Suite(.pooled) struct DataCompressionTests {
    private let folder: TemporaryFolder
    private let entities = MovedEntities(seed: 21, flushCount: 6, changeCount: 80)

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.file() }

    private func open(_ compression: DataCompression, _ layout: EntityLayout) async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.compression = compression
        configuration.layout = layout
        configuration.blockEntityCountMin = nil
        configuration.dictionarySampleCountMin = 40
        return try await SQLiteJournal.open(configuration)
    }

    private func storedVersion() throws -> Int32 {
        let connection = try ReadConnection(path: path, isImmutable: false)
        return try withExtendedLifetime(connection) { try DataFileSchema.storedVersion(connection.handle) }
    }

    private func codecs(_ layout: EntityLayout) throws -> Set<PayloadCodec.Codec> {
        let connection = try ReadConnection(path: path, isImmutable: false)
        var found: Set<PayloadCodec.Codec> = []
        if layout == .blocks {
            try BlockBlob.forEachHead(connection.handle) { found.insert($0.codec) }
        } else {
            try PreparedStatement(connection.handle, "SELECT body FROM entities").forEachRow { row in
                found.insert(
                    try #require(PayloadCodec.Codec(rawValue: row.borrowedBytes(0)[4] & PayloadCodec.codecMask)))
            }
        }
        withExtendedLifetime(connection) {}
        return found.subtracting([.raw])
    }

    @Test(arguments: EntityLayout.allCases)
    func `a file that deflate wrote is marked, read, verified and repaired`(layout: EntityLayout) async throws {
        let journal = try await open(.deflate, layout)
        for flush in entities.flushes { try await journal.commit(flush) }
        try await journal.close()
        #expect(try storedVersion() == (layout == .rows ? 247 : 249))
        #expect(try codecs(layout) == [.deflate])
        #expect(try MovedEntities.read(path) == entities.states.last)
        let report = try SQLiteReader(path: path).verify()
        #expect(report.problems == [])

        SQLiteShell.run(path, ["DELETE FROM tombstones", "UPDATE queries SET method = 'x'"])
        SQLiteShell.run(path, ["UPDATE counters SET value = -1 WHERE name = 'lines'"])
        SQLiteShell.run(
            path,
            [
                layout == .rows
                    ? "UPDATE entities SET body = x'00' WHERE \"row\" = (SELECT min(\"row\") FROM entities)"
                    : "UPDATE blocks SET body = x'00' WHERE number = (SELECT min(number) FROM blocks)"
            ])
        let repaired = try DataFileRepair.run(path: path, now: 1_700_000_000_000) { $0.first == UInt8(ascii: "{") }
        #expect(repaired.after.problems == [])
        #expect(try #require(FileFormat(version: try storedVersion())).compressions.contains(.deflate))
    }

    /// Each flush is written by the other codec, after the file was opened again.
    @Test(
        .enabled(if: DataCompression.available.count == 2), arguments: EntityLayout.allCases,
        DataCompression.allCases)
    func `a file that one codec wrote is continued by the other`(
        layout: EntityLayout, first: DataCompression
    ) async throws {
        var compression = first
        for (flush, state) in zip(entities.flushes, entities.states.dropFirst()) {
            let journal = try await open(compression, layout)
            try await journal.commit(flush)
            try await journal.close()
            #expect(try MovedEntities.read(path) == state)
            compression = compression == .zstd ? .deflate : .zstd
        }
        #expect(try storedVersion() == (layout == .rows ? 55 : 57))
        #expect(try codecs(layout).contains(.deflate))
        #expect(try !codecs(layout).isSubset(of: [.deflate]))
        #expect(try SQLiteReader(path: path).verify().problems == [])
        let follower = try await SQLiteFollower.open(path: path)
        #expect(try await follower.recover().libraries.count == 2)
        try await follower.close()
    }

    @Test func `rows of deflate become blocks of deflate`() async throws {
        let journal = try await open(.deflate, .rows)
        for flush in entities.flushes { try await journal.commit(flush) }
        try await journal.close()
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.compression = .deflate
        configuration.blockEntityCountMin = 1
        try await SQLiteJournal.open(configuration).close()
        #expect(try storedVersion() == 249)
        #expect(try codecs(.blocks) == [.deflate])
        #expect(try MovedEntities.read(path) == entities.states.last)
    }

    @Test func `a file of the standard codec keeps the number of its format`() async throws {
        try await open(.standard, .rows).close()
        #expect(try storedVersion() == (DataCompression.standard == .zstd ? DataFile.rowFormatVersion : 247))
    }

    @Test(.enabled(if: DataCompression.available.count == 1))
    func `a build without zstd refuses to write it, and to open a file that has it`() async throws {
        await #expect { try await open(.zstd, .rows) } throws: { ($0 as? StorageError)?.code == .codecMissing }
        #expect(try folder.names.filter { $0.hasSuffix(".db") } == [])
        try await open(.deflate, .rows).close()
        SQLiteShell.run(path, ["PRAGMA user_version = 7"])
        let before = try DamageFixture.contents(path)
        await #expect { try await open(.deflate, .rows) } throws: { ($0 as? StorageError)?.code == .codecMissing }
        #expect { try SQLiteReader(path: path) } throws: { ($0 as? StorageError)?.code == .codecMissing }
        #expect(try DamageFixture.contents(path) == before)
    }

    @Test func `a dictionary that was trained here counts as sound, and other bytes do not`() throws {
        let segments = PayloadDictionary(number: 1, type: 0, bytes: try FileResources.segments.get())
        #expect(segments.isTrained)
        #expect(!PayloadDictionary(number: 1, type: 0, bytes: Array("any bytes".utf8)).isTrained)
    }
}
