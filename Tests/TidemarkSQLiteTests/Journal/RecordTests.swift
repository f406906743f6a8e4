import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Records beside the entities: written with a flush, checked, kept through every form of the file.
@Suite(.pooled) struct RecordTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/records.db" }

    init() throws { folder = try TemporaryFolder() }

    private func open(movesFrom count: Int64? = nil) async throws -> (SyncCache, SQLiteJournal) {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.blockEntityCountMin = count
        let journal = try await SQLiteJournal.open(configuration)
        return (try await SyncCache.open(journal: journal), journal)
    }

    private func version() throws -> Int32 {
        let connection = try ReadConnection(path: path, isImmutable: false)
        return try withExtendedLifetime(connection) { try DataFileSchema.version(connection.handle) }
    }

    private static func change(_ key: String, _ body: String?, kind: String = "k") -> RecordChange {
        RecordChange(kind: ByteString(kind), key: ByteString(key), body: body.map { Array($0.utf8) })
    }

    @Test func `a file gets the format of records with the first one`() async throws {
        var (cache, journal) = try await open()
        try await cache.write([Self.change("a", nil)])
        #expect(try version() == DataFile.rowFormatVersion)
        try await cache.write([Self.change("a", "1"), Self.change("b", "2"), Self.change("a", "3", kind: "other")])
        #expect(try version() == DataFile.rowRecordFormatVersion)
        #expect(try await journal.records(of: "k") == ["a": Array("1".utf8), "b": Array("2".utf8)])
        try await cache.close()
        (cache, journal) = try await open()
        #expect(await journal.openingReport == .reopened)
        try await cache.write([Self.change("a", "4"), Self.change("b", nil)])
        #expect(try await journal.records(of: "k") == ["a": Array("4".utf8)])
        #expect(try SQLiteReader(path: path).records(of: "other") == ["a": Array("3".utf8)])
        try await cache.close()
        #expect(try SQLiteReader(path: path).verify().problems == [])
    }

    @Test func `records stay when rows become blocks, and a file of blocks takes its first record`() async throws {
        var (cache, _) = try await open()
        try await cache.write([Self.change("a", "1")])
        for id in 0..<40 { try await cache.ingest(Array(EventLine.change(#"{"id":"\#(id)"}"#, type: "t").utf8)) }
        try await cache.close()
        var journal: SQLiteJournal
        (cache, journal) = try await open(movesFrom: 10)
        try await cache.flush()
        try await cache.ingest(Array(EventLine.change(#"{"id":"x"}"#, type: "t").utf8))
        try await cache.flush()
        #expect(try await journal.records(of: "k") == ["a": Array("1".utf8)])
        try await cache.close()
        #expect(try version() == DataFile.blockRecordFormatVersion)
        #expect(try SQLiteReader(path: path).records(of: "k") == ["a": Array("1".utf8)])
        (cache, journal) = try await open(movesFrom: 10)
        try await cache.write([Self.change("b", "2")])
        #expect(try await journal.records(of: "k").count == 2)
        try await cache.close()
        #expect(try SQLiteReader(path: path).verify().problems == [])
    }

    @Test func `a record that fails its check is left out, and a repair keeps the others`() async throws {
        let (cache, _) = try await open()
        try await cache.write([Self.change("a", "1"), Self.change("b", "2")])
        try await cache.ingest(Array(EventLine.change(#"{"id":"1"}"#, type: "t").utf8))
        try await cache.close()
        folder.sqlite(["UPDATE records SET body = x'33' WHERE \"key\" = 'a'"], "records.db")
        #expect(try SQLiteReader(path: path).records(of: "k") == ["b": Array("2".utf8)])
        let finding = Examination.of(path).findings.first { $0.code == .recordDamaged }
        #expect(finding?.level == .problem && finding?.what == "a record of the kind k fails its check")
        let report = try DataFileRepair.run(path: path, now: 0) { $0.first == UInt8(ascii: "{") }
        #expect(report.steps.contains { $0.description.contains("the record a of k was removed") })
        #expect(try SQLiteReader(path: path).records(of: "k") == ["b": Array("2".utf8)])
        #expect(try version() == DataFile.rowRecordFormatVersion)
        #expect(try SQLiteReader(path: path).verify().problems == [])
    }
}
