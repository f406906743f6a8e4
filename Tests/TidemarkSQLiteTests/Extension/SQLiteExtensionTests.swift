import CSQLiteExtension
import Foundation
import GRDBSQLite
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// The extension for the sqlite3 shell, with a connection of its own: its results equal those of a reader of the file.
/// The functions are for files of rows, the table for files of both forms.
@Suite(.serialized, .pooled(minutes: 60)) struct SQLiteExtensionTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Creates a file of one form, which it keeps when it is opened again.
    func create(_ layout: EntityLayout) async throws {
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        configuration.layout = layout
        try await SQLiteJournal.open(configuration).close()
    }

    /// Opens a connection that has the functions and the table, as `.load` adds them.
    func open() throws -> OpaquePointer {
        // The extension is registered only while the connection opens; other connections opened meanwhile are not
        // harmed by it.
        let entry = try #require(tidemark_extension_entry())
        sqlite3_auto_extension(entry)
        defer { sqlite3_cancel_auto_extension(entry) }
        var connection: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &connection) == SQLITE_OK)
        return try #require(connection)
    }

    func rows(_ connection: OpaquePointer, _ sql: String) -> [[String?]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
            Issue.record("\(String(cString: sqlite3_errmsg(connection))): \(sql)")
            return []
        }
        defer { sqlite3_finalize(statement) }
        var rows: [[String?]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) }
                })
        }
        return rows
    }

    private func change(_ statements: [String]) {
        var connection: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &connection) == SQLITE_OK)
        for statement in statements { #expect(sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK) }
        sqlite3_close(connection)
    }

    private static let all = """
        SELECT l.name, t.name, tidemark_resource(k.library, k.type, k.id, e.sequence, e.generation, e.written_at, e.body)
        FROM keys k JOIN entities e USING ("row") JOIN libraries l USING (library) JOIN types t USING (type)
        """

    /// Returns the results of the extension and of a reader, sorted; nil for a refusal.
    private func compare() throws -> (found: [String], wanted: [String]) {
        let connection = try open()
        defer { sqlite3_close(connection) }
        let found = rows(connection, SQLiteExtensionTests.all).filter { $0[2] != nil }
            .map { $0.map { $0 ?? "" }.joined(separator: " ") }
        var wanted: [String] = []
        try SQLiteReader(path: folder.file()).walk { step in
            if case .entity(let entity) = step {
                let payload = String(decoding: entity.payload, as: UTF8.self)
                wanted.append("\(entity.key.library) \(entity.key.type) \(payload)")
            }
            return true
        }
        return (found.sorted(), wanted.sorted())
    }

    @Test func `the SQL function returns every entity as a reader does, in every form of a body`()
        async throws
    {
        var random = SeededGenerator(seed: 11)
        try await create(.rows)
        let cache = try await SyncCache.open(path: folder.file())
        var lines: [String] = []
        for number in 1...2_500 {
            let uuid = String(decoding: UUIDValue(high: random.next(), low: random.next()).text, as: UTF8.self)
            let id = random.chance(500) ? uuid : "name-\(number)-é\u{2028}"
            let text = (0..<random.below(60)).map { _ in "w\(random.below(40))" }.joined(separator: " ")
            let tail = random.chance(5) ? String(repeating: "\(random.next()) ", count: 12_000) : ""
            let identity =
                random.chance(100) ? "{\"n\":\(number),\"uuid\":\"\(id)\"" : "{\"id\":\"\(id)\",\"n\":\(number)"
            let resource = "\(identity),\"text\":\"\(text)\(tail)\"}"
            let type = random.chance(900) ? "file" : "small"
            let library = random.chance(300) ? "b" : "a"
            lines.append(EventLine.change(resource, type: type, library: library))
            if random.chance(200) {
                lines.append(
                    EventLine.change(
                        #"{"id":"\#(id)","more":[1.10,null]}"#, type: type, metadata: "{}", library: library,
                        sequence: Int64(number)))
            }
        }
        try await cache.ingest(Array(lines.joined(separator: "\n").utf8))
        try await cache.close()
        let (found, wanted) = try compare()
        #expect(found.count == 2_500)
        #expect(found == wanted)
        let connection = try open()
        defer { sqlite3_close(connection) }
        #expect(rows(connection, "SELECT count(*) > 0 FROM dictionaries") == [["1"]])
    }

    @Test func `a forged or damaged body, or a value of another type, gives NULL`() async throws {
        try await create(.rows)
        let journal = try await SQLiteJournal.open(path: folder.file())
        var cache = SmallCache()
        for number in 1...8 {
            cache.put(EntityKey(type: "file", id: ByteString("\(number)")), #"{"id":"\#(number)","name":"a name"}"#)
        }
        try await journal.commit(cache.take())
        try await journal.close()
        change([
            "UPDATE entities SET body = x'00' WHERE \"row\" = 1", "UPDATE entities SET sequence = 7 WHERE \"row\" = 2",
            "UPDATE entities SET written_at = 7 WHERE \"row\" = 3",
            "UPDATE entities SET generation = 9 WHERE \"row\" = 4",
            "UPDATE entities SET body = (SELECT body FROM entities WHERE \"row\" = 8) WHERE \"row\" = 5",
            "UPDATE entities SET body = NULL WHERE \"row\" = 6", "UPDATE entities SET body = 'text' WHERE \"row\" = 7",
        ])
        let (found, wanted) = try compare()
        #expect(found.count == 1)
        #expect(found == wanted)
        let connection = try open()
        defer { sqlite3_close(connection) }
        var calls = [
            "tidemark_resource(NULL, 0, '1', 1, 0, 0, x'0000000000')",
            "tidemark_resource(0, 0, x'00', 1, 0, 0, x'0000000000')",
            "tidemark_resource(0, 0, '1', 'x', 0, 0, x'0000000000')", "tidemark_resource(0, 0, '1', 1, 0, 0, x'')",
        ]
        #if TIDEMARK_ZSTD
            calls += [
                "zstd_decompress(x'')", "zstd_decompress(NULL)", "zstd_decompress('text')",
                "zstd_decompress(x'00112233')",
                // One frame is skippable, and one requires a window of 2^31.
                "zstd_decompress(x'502A4D1800000000')", "zstd_decompress(x'28B52FFD00A8010000')",
                // The frame declares 16 MiB and a byte.
                "zstd_decompress(x'28B52FFDA001000001010000')", "zstd_decompress(x'28B52FFD200321000061626300')",
            ]
            #expect(rows(connection, "SELECT zstd_decompress(x'28B52FFD2003190000616263')") == [["abc"]])
            #expect(rows(connection, "SELECT zstd_decompress(x'2003190000616263')") == [["abc"]])
        #endif
        for call in calls {
            #expect(rows(connection, "SELECT \(call)") == [[nil]], "\(call)")
        }
    }

    @Test func `bodies with random bytes under a valid check give NULL or text, never a crash`() async throws {
        let connection = try open()
        defer { sqlite3_close(connection) }
        let decoder = try PayloadDecoder()
        let seal = PayloadSeal(library: 1, type: 2, isUUID: false, sequence: nil, generation: 3, writtenAt: 4)
        let id = Array("name".utf8)
        for seed in UInt64(1)...20 {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<200 {
                let head: UInt8 = UInt8(random.pick([1, 2])) << 5 | UInt8(random.below(32))
                let rest = (0..<random.below(30)).map { _ in
                    random.chance(600) ? UInt8(random.below(8)) : UInt8(truncatingIfNeeded: random.next())
                }
                let tail = [head] + rest
                let check = id.withUnsafeBytes { id in
                    tail.withUnsafeBytes { UInt32(truncatingIfNeeded: Checksum.xxh64($0, seed: seal.seed(id: id))) }
                }
                let body = withUnsafeBytes(of: check.littleEndian) { Array($0) } + tail
                let hex = body.map { String(format: "%02X", $0) }.joined()
                let found = rows(connection, "SELECT hex(tidemark_resource(1, 2, 'name', NULL, 3, 4, x'\(hex)'))")
                var wanted: [UInt8]?
                do {
                    wanted = try body.withUnsafeBytes { body in
                        try id.withUnsafeBytes { try decoder.decode(body, id: $0, seal: seal, dictionaries: [:]) }
                    }
                } catch is PayloadError {
                    wanted = nil
                }
                let text = wanted.map { $0.map { String(format: "%02X", $0) }.joined() } ?? ""
                #expect(found == [[text]], "seed \(seed): \(hex)")
            }
        }
    }

    /// The path of the built library; nil when this build has none, as on Apple's systems.
    private static let library: String? = {
        let folders = Bundle.allBundles.map(\.bundleURL) + [URL(fileURLWithPath: CommandLine.arguments[0])]
        return folders.map { $0.deletingLastPathComponent().appendingPathComponent("libtidemarksqlite.so").path }
            .first { FileManager.default.fileExists(atPath: $0) }
    }()

    @Test(.enabled(if: library != nil, "make extension builds the library"))
    func `the built library loads into a connection`() throws {
        let path = try #require(SQLiteExtensionTests.library)
        var connection: OpaquePointer?
        #expect(sqlite3_open(":memory:", &connection) == SQLITE_OK)
        let opened = try #require(connection)
        defer { sqlite3_close(opened) }
        #expect(sqlite3_enable_load_extension(opened, 1) == SQLITE_OK)
        #expect(sqlite3_load_extension(opened, path, nil, nil) == SQLITE_OK)
        #expect(rows(opened, "SELECT zstd_decompress(x'28B52FFD2003190000616263')") == [["abc"]])
    }
}
