import Foundation
import GRDBSQLite
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// A data file with every kind of content, as bytes to be damaged, and everything that was ever written into it.
struct DamageFixture: Sendable {
    /// One entity as it was written at some time.
    struct Version: Hashable, Sendable {
        var payload: [UInt8]
        var sequence: Int64?
    }

    /// Everything that a reader can find in a sound file.
    struct Contents: Hashable, Sendable {
        var entities: [EntityKey: Version] = [:]
        var layers: [ReadLayer] = []
        var queries: [ReadQuery] = []
        var cursors: [ByteString: EventSequence] = [:]
    }

    /// The files by suffix: the main file after closing, and one with a log that was not copied back.
    let closed: [UInt8]
    let live: (main: [UInt8], log: [UInt8])
    /// The main file after the log was copied back.
    let later: [UInt8]
    /// The log of another database, and a database of another program.
    let foreignLog: [UInt8]
    let foreign: [UInt8]
    /// The possible states of a file: after closing, and after each commit of the log.
    let states: [Contents]
    /// Every version of an entity in any state.
    let versions: [EntityKey: Set<Version>]
    let layersByNumber: [Int64: ReadLayer]

    static let rowCount = 60

    /// The form of the entities in the files.
    let layout: EntityLayout

    init(_ layout: EntityLayout = .rows) async throws {
        self.layout = layout
        let folder = try TemporaryFolder()
        let disk = try FaultDisk(folder: folder.path)
        defer { withExtendedLifetime(disk) {} }
        let path = folder.file()
        var cache = SmallCache()
        var journal = try await DamageFixture.open(path, layout)
        for number in 0..<Self.rowCount {
            cache.put(Self.key(number), Self.json(number, "first"), sequence: Int64(number + 1))
        }
        var flush = Self.dated(cache.take())
        flush.layers = [Self.layer(1), Self.layer(2), Self.layer(3)]
        flush.queries = [Self.query(1), Self.query(2)]
        flush.quarantine = [
            QuarantineRecord(
                kind: .line, reason: .notJSON, line: 3, offset: 40, library: nil, sequence: nil, receivedAt: 5,
                bytes: Array("oops".utf8), byteCount: 4)
        ]
        try await journal.commit(flush)
        cache.delete(Self.key(7), sequence: 70)
        try await journal.commit(Self.dated(cache.take()))
        try await journal.close()
        closed = try Self.contents(path)
        var states = [try Self.read(path)]

        journal = try await DamageFixture.open(path)
        for turn in 0..<4 {
            for number in 0..<12 {
                cache.put(
                    Self.key((turn * 5 + number) % 6 + 10), Self.json(number, "turn \(turn)"),
                    sequence: Int64(100 + turn))
            }
            cache.put(Self.key(100 + turn), Self.json(100 + turn, "new"), sequence: Int64(100 + turn))
            var flush = Self.dated(cache.take())
            flush.libraries[0].cursor = EventSequence(Int64(100 + turn))
            flush.layers = [Self.layer(Int64(10 + turn))]
            if turn == 2 { flush.removedLayers = [2] }
            try await journal.commit(flush)
            states.append(try Self.read(path))
        }
        live = (try Self.contents(path), try Self.contents(path + "-wal"))
        try await journal.close()
        later = try Self.contents(path)

        let other = folder.file("other.db")
        let second = try await SQLiteJournal.open(path: other, layout: layout)
        var elsewhere = SmallCache()
        for number in 0..<20 { elsewhere.put(Self.key(number), #"{"id":"elsewhere"}"#) }
        try await second.commit(Self.dated(elsewhere.take()))
        foreignLog = try Self.contents(other + "-wal")
        try await second.close()
        let program = folder.file("program.db")
        SQLiteShell.run(program, ["CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('mine')"])
        foreign = try Self.contents(program)

        self.states = states
        var versions: [EntityKey: Set<Version>] = [:]
        var layers: [Int64: ReadLayer] = [:]
        for state in states {
            for (key, version) in state.entities { versions[key, default: []].insert(version) }
            for layer in state.layers { layers[layer.number] = layer }
        }
        self.versions = versions
        layersByNumber = layers
    }

    /// Returns a flush with its dates, as a cache passes it on.
    private static func dated(_ flush: FlushBatch) -> FlushBatch {
        var flush = flush
        flush.takenAt = 1_700_000_000_000
        return flush
    }

    static func open(_ path: String, _ layout: EntityLayout = .rows) async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.layout = layout
        configuration.dictionarySampleCountMin = 50
        return try await SQLiteJournal.open(configuration)
    }

    // MARK: Content

    static func key(_ number: Int) -> EntityKey {
        let id = number % 2 == 0 ? "f\(number)" : String(decoding: uuid(number).text, as: UTF8.self)
        return EntityKey(
            library: number % 3 == 0 ? "b" : "", type: number % 5 == 0 ? "tag" : "file", id: ByteString(id))
    }

    private static func uuid(_ number: Int) -> UUIDValue { UUIDValue(high: 77, low: UInt64(number)) }

    static func json(_ number: Int, _ text: String) -> String {
        #"{"id":"\#(key(number).id)","name":"\#(text) of number \#(number)","path":"/a/folder/file-\#(number).txt","size":\#(number * 977)}"#
    }

    private static func layer(_ number: Int64) -> LayerRecord {
        let key = StoredKey(library: 1, type: 1, id: StoredID(key(2).id))
        return LayerRecord(
            number: number, pendingID: ByteString("edit-\(number)"), library: 1, createdAt: 1_700_000_000_000,
            changes: [
                .patch(key, fields: Array(#"{"name":"edit \#(number)"}"#.utf8), unset: ["size"]),
                .put(
                    StoredKey(library: 1, type: 1, id: .text(ByteString("new-\(number)"))),
                    resource: Array(#"{"id":"new-\#(number)","n":1.10}"#.utf8)),
            ])
    }

    private static func query(_ number: Int64) -> QueryRecord {
        QueryRecord(
            number: number, library: 1, type: 1, method: "files.list", input: ByteString("{\"n\":\(number)}"),
            storedAt: 5,
            elements: [1, 2, 4].map { QueryElement(id: StoredID(key($0).id)) })
    }

    // MARK: Files

    static func contents(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Returns the place of a page in a file.
    static func page(_ number: Int) -> Range<Int> {
        (number - 1) * DataFile.pageByteCount..<number * DataFile.pageByteCount
    }

    static func rootPage(of table: String, _ path: String) throws -> Int {
        var connection: OpaquePointer?
        #expect(sqlite3_open(path, &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        let handle = try #require(connection)
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'"
        return Int(try #require(try PreparedStatement.number(handle, sql)))
    }

    /// Reads the content of a file.
    ///
    /// - Throws: ``Tidemark/StorageError``, also for damaged rows.
    static func read(_ path: String) throws(StorageError) -> Contents {
        let reader = try SQLiteReader(path: path)
        var contents = Contents()
        try reader.walk { step in
            if case .entity(let entity) = step {
                contents.entities[entity.key] = Version(payload: entity.payload, sequence: entity.sequence?.rawValue)
            }
            return true
        }
        for step in try reader.layers() {
            if case .layer(let layer) = step { contents.layers.append(layer) }
        }
        try reader.queries { step in
            if case .query(let query) = step { contents.queries.append(query) }
            return true
        }
        for library in try reader.libraries() { contents.cursors[library.status.library] = library.status.cursor }
        return contents
    }
}
