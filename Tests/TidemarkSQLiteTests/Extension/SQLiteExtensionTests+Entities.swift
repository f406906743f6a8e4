import GRDBSQLite
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// The table `tidemark_entities` over whole files of both forms.
extension SQLiteExtensionTests {
    static let names = """
        SELECT l.name, t.name, hex(id), sequence, written_at, resource
        FROM tidemark_entities JOIN libraries l USING (library) JOIN types t USING (type)
        """

    func text(_ row: [String?]) -> String { row.map { $0 ?? "NULL" }.joined(separator: " ") }

    /// The entities as a reader returns them, in the form of `names`.
    func readerRows() throws -> [String] {
        var rows: [String] = []
        try SQLiteReader(path: folder.file()).walk { step in
            guard case .entity(let entity) = step else {
                Issue.record("\(step)")
                return true
            }
            let key = entity.key
            let row = [
                "\(key.library)", "\(key.type)", hex(StoredID(key.id)), entity.sequence.map { "\($0.rawValue)" },
                "\(entity.writtenAt)", String(decoding: entity.payload, as: UTF8.self),
            ]
            rows.append(text(row))
            return true
        }
        return rows.sorted()
    }

    func hex(_ bytes: some Sequence<UInt8>) -> String { Array(bytes).hex }

    func hex(_ id: StoredID) -> String { id.withBytes { hex($0) } }

    @Test(arguments: EntityLayout.allCases)
    func `the table has every entity as a reader does, after changes, deletes, merges and openings`(
        layout: EntityLayout
    ) async throws {
        try await create(layout)
        var random = SeededGenerator(seed: 12)
        var sequence: Int64 = 0
        for round in 0..<8 {
            let cache = try await SyncCache.open(path: folder.file())
            for _ in 0..<3 {
                let lines = (0..<400).map { _ in
                    sequence += 1
                    return line(&random, sequence)
                }
                try await cache.ingest(Array(lines.joined(separator: "\n").utf8))
                try await cache.flush()
            }
            try await cache.close()
            let connection = try open()
            defer { sqlite3_close(connection) }
            let found = rows(connection, SQLiteExtensionTests.names).map(text).sorted()
            let wanted = try readerRows()
            #expect(found == wanted, "round \(round)")
            #expect(rows(connection, "SELECT count(*) FROM tidemark_entities") == [["\(wanted.count)"]])
            let rowCount = rows(connection, "SELECT count(DISTINCT rowid) FROM tidemark_entities")
            #expect(rowCount == [["\(wanted.count)"]])
            // The inner loop of a join is read again for each row of the outer one.
            let joined = rows(
                connection,
                "SELECT count(*) FROM (VALUES (1), (2)) CROSS JOIN tidemark_entities WHERE resource IS NOT NULL")
            #expect(joined == [["\(wanted.count * 2)"]])
            if round == 7 { try checkForm(connection, layout) }
        }
    }

    @Test func `the table shows the rows of a file whose entities are being moved into blocks`() async throws {
        let entities = MovedEntities(seed: 31)
        try await entities.writeHalfMoved(to: folder.file(), in: folder)
        let connection = try open()
        defer { sqlite3_close(connection) }
        let found = rows(connection, "SELECT resource FROM tidemark_entities").compactMap(\.first).compactMap { $0 }
        #expect(found.sorted() == entities.states.last.map { $0.values.sorted() })
    }

    /// Draws a line about one of 900 entities; some of them are too large to share a block.
    private func line(_ random: inout SeededGenerator, _ sequence: Int64) -> String {
        let number = random.below(900)
        var own = SeededGenerator(seed: UInt64(number))
        let uuid = String(decoding: UUIDValue(high: own.next(), low: own.next()).text, as: UTF8.self)
        let id = own.chance(500) ? uuid : "name-\(number)-é\u{2028}"
        let type = own.chance(900) ? "file" : "small"
        let library = own.chance(300) ? "b" : "a"
        let sequence = random.chance(900) ? sequence : nil
        switch random.below(10) {
        case 0, 1: return EventLine.delete(id, type: type, library: library, sequence: sequence)
        case 2:
            return EventLine.change(
                #"{"id":"\#(id)","more":[1.10,\#(random.below(9))]}"#, type: type, metadata: "{}", library: library,
                sequence: sequence)
        default:
            let words = (0..<random.below(60)).map { _ in "w\(random.below(40))" }.joined(separator: " ")
            let tail = number == 7 ? String(repeating: "\(random.next()) ", count: 20_000) : ""
            return EventLine.change(
                #"{"id":"\#(id)","text":"\#(words)\#(tail)"}"#, type: type, library: library, sequence: sequence)
        }
    }

    /// Checks that the file has the form, and for blocks that merging and the writing of segments have begun.
    private func checkForm(_ connection: OpaquePointer, _ layout: EntityLayout) throws {
        switch layout {
        case .rows:
            let join = """
                SELECT k.library, k.type, k.id, e.sequence, e.generation, e.written_at,
                  tidemark_resource(k.library, k.type, k.id, e.sequence, e.generation, e.written_at, e.body)
                FROM keys k JOIN entities e USING ("row")
                """
            let difference = "SELECT count(*) FROM (SELECT * FROM tidemark_entities EXCEPT \(join))"
            #expect(rows(connection, difference) == [["0"]])
            #expect(rows(connection, "SELECT count(*) > 0 FROM entities") == [["1"]])
        case .blocks:
            #expect(rows(connection, "SELECT count(*) FROM entities") == [["0"]])
            #expect(rows(connection, "SELECT count(*) BETWEEN 1 AND 4095 FROM segments") == [["1"]])
            #expect(rows(connection, "SELECT count(*) < max(number) - 20 FROM blocks") == [["1"]])
        }
    }

    @Test func `a file of a newer format, or without the tables, is refused with a message`() async throws {
        try await create(.blocks)
        let connection = try open()
        defer { sqlite3_close(connection) }
        #expect(rows(connection, "SELECT * FROM tidemark_entities") == [])
        for (statement, part) in [
            ("PRAGMA user_version = 10", "format 10"),
            ("PRAGMA user_version = 9; DROP TABLE segments", "main.segments"),
            ("PRAGMA user_version = 7; DROP TABLE keys", "main.keys"),
        ] {
            sqlite3_exec(connection, statement, nil, nil, nil)
            let block = "INSERT OR REPLACE INTO blocks VALUES (1, x'00')"
            #expect(sqlite3_exec(connection, block, nil, nil, nil) == SQLITE_OK)
            let code = sqlite3_exec(connection, "SELECT * FROM tidemark_entities", nil, nil, nil)
            #expect(code == SQLITE_ERROR)
            #expect(String(cString: sqlite3_errmsg(connection)).contains(part))
        }
    }
}
