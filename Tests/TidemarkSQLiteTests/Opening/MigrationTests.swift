import Foundation
import GRDBSQLite
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore

@testable import TidemarkSQLite

/// Files of formats 1 and 2, made by the SQL of those formats, with checksums that were computed without this code.
@Suite(.pooled) struct MigrationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static let version1 = [
        "PRAGMA page_size = 8192",
        "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
        "INSERT INTO grdb_migrations VALUES ('v1')",
        """
        CREATE TABLE libraries (library INTEGER PRIMARY KEY, name TEXT NOT NULL, epoch TEXT, \
        generation INTEGER NOT NULL, cursor INTEGER, is_stale INTEGER NOT NULL, \
        entity_count INTEGER NOT NULL, checksum INTEGER NOT NULL)
        """,
        """
        CREATE TABLE lost_ranges (library INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, \
        PRIMARY KEY (library, first)) WITHOUT ROWID
        """,
        "CREATE TABLE types (type INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum INTEGER NOT NULL)",
        """
        CREATE TABLE keys (library INTEGER NOT NULL, type INTEGER NOT NULL, id BLOB NOT NULL, \
        "row" INTEGER NOT NULL, PRIMARY KEY (library, type, id)) WITHOUT ROWID
        """,
        """
        CREATE TABLE entities ("row" INTEGER PRIMARY KEY, sequence INTEGER, generation INTEGER, \
        written_at INTEGER, body BLOB)
        """,
        """
        CREATE TABLE tombstones (library INTEGER NOT NULL, type INTEGER NOT NULL, id BLOB NOT NULL, \
        number INTEGER NOT NULL, sequence INTEGER, generation INTEGER NOT NULL, \
        deleted_at INTEGER NOT NULL, PRIMARY KEY (library, type, id)) WITHOUT ROWID
        """,
        """
        CREATE TABLE quarantine (number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, reason TEXT NOT NULL, \
        line INTEGER NOT NULL, "offset" INTEGER NOT NULL, library TEXT, sequence INTEGER, \
        received_at INTEGER NOT NULL, byte_count INTEGER NOT NULL, bytes BLOB NOT NULL)
        """,
        """
        CREATE TABLE dictionaries (dictionary INTEGER PRIMARY KEY, type INTEGER NOT NULL, \
        trained_at INTEGER NOT NULL, checksum INTEGER NOT NULL, body BLOB NOT NULL)
        """,
        "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE TABLE ignored_kinds (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID",
        "PRAGMA application_id = 1414087749",
        "PRAGMA user_version = 1",
        "INSERT INTO libraries VALUES (0, 'home', 'a', 0, 9, 1, 2, -6655894862593533720)",
        "INSERT INTO lost_ranges VALUES (0, 5, 6)",
        "INSERT INTO types VALUES (0, 'file', 5105848267479362404)",
        "INSERT INTO keys VALUES (0, 0, '1', 1), (0, 0, x'550e8400e29b41d4a716446655440000', 2)",
        """
        INSERT INTO entities VALUES \
        (1, 4, 0, 1700000000000, x'dc062503307b226964223a2231222c226e616d65223a226f6e65227d00000000'), \
        (2, NULL, 0, 1700000000007, x'ff5187e4307b226e223a312e31307d00000000')
        """,
        "INSERT INTO tombstones VALUES (0, 0, 'gone', 1, 3, 0, 1700000000000)",
        "INSERT INTO counters VALUES ('lines', 12)",
        "PRAGMA journal_mode = WAL",
    ]

    /// The additions of format 2.
    static let version2 =
        version1 + [
            "INSERT INTO grdb_migrations VALUES ('v2')",
            """
            CREATE TABLE queries (number INTEGER PRIMARY KEY, library INTEGER NOT NULL, type INTEGER NOT NULL, \
            method TEXT NOT NULL, input TEXT NOT NULL, tags TEXT NOT NULL, membership TEXT NOT NULL, \
            is_local INTEGER NOT NULL, time_to_live INTEGER, as_of INTEGER, stored_at INTEGER NOT NULL, \
            stale_since INTEGER, horizon BLOB, elements BLOB NOT NULL, checksum INTEGER NOT NULL)
            """,
            "PRAGMA user_version = 2",
        ]

    let entities = [
        StoredEntity(
            key: StoredKey(library: 0, type: 0, id: .text("1")), row: 1,
            payload: Array(#"{"id":"1","name":"one"}"#.utf8),
            sequence: EventSequence(4), generation: 0, writtenAt: 1_700_000_000_000),
        StoredEntity(
            key: StoredKey(library: 0, type: 0, id: StoredID("550e8400-e29b-41d4-a716-446655440000")), row: 2,
            payload: Array(#"{"n":1.10}"#.utf8), sequence: nil, generation: 0, writtenAt: 1_700_000_000_007),
    ]

    private func version() throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: folder.file()))[60..<64])
    }

    private let query = QueryRecord(
        number: 1, library: 0, type: 0, method: "files.list", input: "{}", storedAt: 5,
        elements: [QueryElement(id: .text("1"))])

    @Test func `a reader reads a file of format 1 and does not change it`() async throws {
        folder.sqlite(MigrationTests.version1)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let reader = try SQLiteReader(path: folder.file())
        let report = try reader.verify()
        #expect(report.problems == [])
        #expect(report.entityCount == 2)
        #expect(try reader.queryCount() == 0)
        try reader.queries { _ in
            Issue.record("a query was found")
            return true
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file())) == bytes)
        // The same reader sees the file after a writer has upgraded it.
        let journal = try await SQLiteJournal.open(path: folder.file())
        var flush = FlushBatch()
        flush.queries = [query]
        try await journal.commit(flush)
        #expect(try reader.queryCount() == 1)
        #expect(try SQLiteReader(path: folder.file()).queryCount() == 1)
        try await journal.close()
    }

    @Test func `a writer upgrades a file of format 1 in place, and keeps its content`() async throws {
        folder.sqlite(MigrationTests.version1)
        #expect(try version() == [0, 0, 0, 1])
        var journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.openingReport == .reopened)
        var state = try await journal.recover()
        #expect(
            state.libraries == [
                LibraryRecord(
                    index: 0, name: "home", epoch: "a", generation: 0, cursor: EventSequence(9), isStale: true,
                    lost: [LostRange(first: EventSequence(5), last: EventSequence(6))], entityCount: 2)
            ])
        #expect(state.types == ["file"])
        #expect(state.tombstones.map(\.key.id) == [.text("gone")])
        #expect(state.counts.lines == 12)
        #expect(state.queries == [])
        #expect(state.lastQuery == 0)
        #expect(try await journal.load(entities.map(\.key)).entities == entities)
        var flush = FlushBatch()
        flush.queries = [query]
        try await journal.commit(flush)
        try await journal.close()
        #expect(try version() == [0, 0, 0, UInt8(DataFile.rowFormatVersion)])
        journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.openingReport == .reopened)
        state = try await journal.recover()
        #expect(state.queries == [query])
        #expect(try await journal.load(entities.map(\.key)).entities == entities)
        try await journal.close()
        #expect(try folder.names == ["cache.db", "cache.db-lock"])
        #expect(try SQLiteReader(path: folder.file()).verify().problems == [])
    }

    private let layer = LayerRecord(
        number: 1, pendingID: "p", library: 0, createdAt: 7,
        changes: [.delete(StoredKey(library: 0, type: 0, id: .text("1")))])

    @Test(arguments: [1, 2]) func `a file of an older format has no layers and accepts some`(format: Int) async throws {
        folder.sqlite(format == 1 ? MigrationTests.version1 : MigrationTests.version2)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let reader = try SQLiteReader(path: folder.file())
        #expect(try reader.layers() == [])
        #expect(try reader.verify().problems == [])
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file())) == bytes)
        var journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.openingReport == .reopened)
        #expect(try await journal.recover().layers == [])
        #expect(try await journal.load(entities.map(\.key)).entities == entities)
        var flush = FlushBatch()
        flush.layers = [layer]
        try await journal.commit(flush)
        // The same reader sees the file after a writer has upgraded it.
        #expect(try reader.layers().count == 1)
        try await journal.close()
        #expect(try version() == [0, 0, 0, UInt8(DataFile.rowFormatVersion)])
        journal = try await SQLiteJournal.open(path: folder.file())
        #expect(try await journal.recover().layers == [layer])
        #expect(try await journal.load(entities.map(\.key)).entities == entities)
        try await journal.close()
    }

    /// The additions of format 3.
    private static let version3 =
        version2 + [
            "INSERT INTO grdb_migrations VALUES ('v3')",
            """
            CREATE TABLE layers (number INTEGER PRIMARY KEY, pending_id TEXT NOT NULL, library TEXT NOT NULL, \
            flags INTEGER NOT NULL, awaited INTEGER, generation INTEGER NOT NULL, created_at INTEGER NOT NULL, \
            body BLOB NOT NULL, checksum INTEGER NOT NULL)
            """,
            "PRAGMA user_version = 3",
        ]

    @Test(arguments: [1, 2, 3]) func `a file of an older format is scanned, and accepts an index`(format: Int)
        async throws
    {
        folder.sqlite([MigrationTests.version1, MigrationTests.version2, MigrationTests.version3][format - 1])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
        let reader = try SQLiteReader(path: folder.file())
        let rule = try Membership(json: Array(#"{"resource_type":"file","where":{"path":"/name","eq":"one"}}"#.utf8))
        let path = try FieldPath("/name")
        func found() throws -> (ids: [ByteString], outcome: SelectionOutcome) {
            var ids: [ByteString] = []
            let outcome = try reader.select(EntitySelection(rule: rule)) { step in
                if case .entity(let entity) = step { ids.append(entity.key.id) }
                return true
            }
            return (ids, outcome)
        }
        #expect(try found().ids == ["1"])
        #expect(try found().outcome == .done(ReadPlan(method: .scan, index: nil, readCount: 2)))
        let all = EntitySelection(rule: try Membership(json: Array(#"{"resource_type":"file"}"#.utf8)))
        let counted = try reader.facets(path, of: all, countMax: 9) { _ in }
        #expect(counted.values == [ReadFacets.Value(json: Array(#""one""#.utf8), count: 1)])
        #expect(try reader.verify().problems == [])
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file())) == bytes)
        let journal = try await SQLiteJournal.open(path: folder.file())
        let index = try #require(FieldIndex("file./name"))
        try await journal.changeIndexes(FieldIndexChanges(added: [index]), progress: nil)
        // The same reader sees the file after a writer has upgraded it.
        #expect(try found().ids == ["1"])
        #expect(try found().outcome == .done(ReadPlan(method: .walk, index: index, readCount: 1)))
        let recounted = try reader.facets(path, of: all, countMax: 9) { _ in }
        #expect(recounted.values == counted.values)
        #expect(recounted.plan == ReadPlan(method: .walk, index: index, readCount: 0))
        try await journal.close()
        #expect(try version() == [0, 0, 0, UInt8(DataFile.rowFormatVersion)])
        #expect(try reader.verify().problems == [])
        #expect(try reader.verify().fieldValueCount == 2)
    }

    @Test(arguments: [1, 2, 3, 6]) func `a file of an older format keeps its layers and accepts requests`(format: Int)
        async throws
    {
        if format == 6 {
            // The tables of format 6 and 7 are the same.
            let journal = try await SQLiteJournal.open(path: folder.file(), layout: .rows)
            var flush = FlushBatch()
            flush.newLibraries = [(0, "home")]
            flush.newTypes = [(0, "file")]
            flush.layers = [layer]
            try await journal.commit(flush)
            try await journal.close()
            folder.sqlite(["PRAGMA user_version = 6", "DELETE FROM grdb_migrations WHERE identifier = 'v7'"])
        } else {
            folder.sqlite([MigrationTests.version1, MigrationTests.version2, MigrationTests.version3][format - 1])
        }
        #expect(try version() == [0, 0, 0, UInt8(format)])
        var request = LayerRecord(
            number: 2, pendingID: "q", library: 0, createdAt: 8, changes: layer.changes,
            sending: LayerSending(MutationRequest(method: "m", compactInput: Array("{}".utf8))))
        request.sending?.attemptCount = 3
        var journal = try await SQLiteJournal.open(path: folder.file())
        #expect(await journal.openingReport == .reopened)
        let before = try await journal.recover().layers
        #expect(before == (format == 6 ? [layer] : []))
        var flush = FlushBatch()
        flush.layers = [request]
        try await journal.commit(flush)
        try await journal.close()
        #expect(try version() == [0, 0, 0, UInt8(DataFile.rowFormatVersion)])
        journal = try await SQLiteJournal.open(path: folder.file())
        #expect(try await journal.recover().layers == before + [request])
        try await journal.close()
        #expect(try SQLiteReader(path: folder.file()).verify().problems == [])
    }

    @Test func `a file of format 2 with a table of layers is damaged`() async throws {
        folder.sqlite(MigrationTests.version2 + ["CREATE TABLE layers (number INTEGER PRIMARY KEY)"])
        let journal = try await SQLiteJournal.open(path: folder.file())
        guard case .rebuilt = await journal.openingReport else {
            Issue.record("it was \(await journal.openingReport)")
            return
        }
        try await journal.close()
    }

    @Test(arguments: [
        ("DROP TABLE tombstones", "tombstones is missing"), ("PRAGMA user_version = 2", "queries is missing"),
        ("CREATE TABLE queries (number INTEGER PRIMARY KEY)", "queries"),
    ])
    func `a file of format 1 with a missing or extra object is damaged`(statement: String, what: String) async throws {
        folder.sqlite(MigrationTests.version1 + [statement])
        do throws(StorageError) {
            _ = try SQLiteReader(path: folder.file())
            Issue.record("it was read")
        } catch {
            #expect(error.code == .damaged)
            #expect(error.cause.contains(what))
        }
        let journal = try await SQLiteJournal.open(path: folder.file())
        guard case .rebuilt = await journal.openingReport else {
            Issue.record("it was \(await journal.openingReport)")
            return
        }
        try await journal.close()
    }

    @Test func `a newer format is refused that is in the log alone`() async throws {
        let journal = try await SQLiteJournal.open(path: folder.file())
        folder.sqlite(["PRAGMA user_version = \(DataFile.formatVersion + 1)"])
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: folder.file() + suffix, toPath: folder.file("copy.db") + suffix)
        }
        try await journal.close()
        let copy = folder.file("copy.db")
        #expect(
            Array(try Data(contentsOf: URL(fileURLWithPath: copy))[60..<64]) == [
                0, 0, 0, UInt8(DataFile.rowFormatVersion),
            ])
        await #expect(throws: StorageError.self) { try await SQLiteJournal.open(path: copy) }
        do throws(StorageError) {
            _ = try SQLiteReader(path: copy)
            Issue.record("it was read")
        } catch {
            #expect(error.code == .newerFormat)
        }
    }
}
