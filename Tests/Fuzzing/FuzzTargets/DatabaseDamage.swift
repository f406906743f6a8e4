import Foundation
import GRDBSQLite
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// A data file made from the choices of a fuzzer: a sound one that is damaged, a forged one, or arbitrary bytes.
struct DatabaseDamage {
    private(set) var main: [UInt8]
    private(set) var log: [UInt8]?
    /// Whether the file is forged, with valid checks. Otherwise every served byte was written once.
    private(set) var isForged = false
    /// The changes that SQLite makes when the file is in its place; those that it refuses are skipped.
    private(set) var statements: [String] = []
    /// The rows of blocks that are forged then.
    private var rows: [ForgedBlockRow] = []

    private let fixture: DatabaseFixture
    private var choices: ByteChoices

    private static let pageByteCount = 8_192
    private static let stepCountMax = 12

    init(_ bytes: [UInt8], _ fixture: DatabaseFixture) {
        self.fixture = fixture
        choices = ByteChoices(bytes)
        main = fixture.closed
        switch choices.below(4) {
        case 0, 1: break
        case 2:
            main = fixture.live.main
            log = fixture.live.log
        default:
            isForged = true
            // The bytes are shorter than a header, after a sound header, or a file of their own.
            let run = Array(bytes.dropFirst(2))
            main = choices.chance(128) ? Array(fixture.closed.prefix(100)) + run : run
            return
        }
        var stepCount = 0
        while !choices.isAtEnd, stepCount < DatabaseDamage.stepCountMax {
            step()
            stepCount += 1
        }
    }

    /// Writes the file, and the log beside it.
    func write(to folder: TemporaryFolder) throws {
        let path = try folder.write(main, to: "cache.db")
        if let log { try folder.write(log, to: "cache.db-wal") }
        guard !statements.isEmpty || !rows.isEmpty else { return }
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open(path, &connection) == SQLITE_OK else { return }
        for statement in statements { sqlite3_exec(connection, statement, nil, nil, nil) }
        if let connection { for row in rows { row.apply(to: connection) } }
    }

    private mutating func step() {
        switch choices.below(14) {
        case 0, 1: flipBit()
        case 2:
            main.zero(sector: choices.below(max(1, main.count / [UInt8].sectorByteCount)))
        case 3: main.removeLast(main.isEmpty ? 0 : choices.below(main.count))
        case 4: exchangePages()
        case 5:
            let page = choices.below(fixture.later.count / DatabaseDamage.pageByteCount)
            guard (page + 1) * DatabaseDamage.pageByteCount <= main.count else { return }
            main.replace(page: page, from: fixture.later, of: DatabaseDamage.pageByteCount)
        case 6:
            guard var bytes = log, !bytes.isEmpty else { return }
            let offset = choices.below(bytes.count)
            bytes.flip(bit: choices.below(8), at: offset)
            log = bytes
        case 7:
            let byteCount = log?.count ?? 0
            log?.removeLast(choices.below(1 + byteCount))
        case 8: overwrite()
        case 9:
            let isOfBlocks = fixture.layout == .blocks && choices.chance(160)
            forge(choices.pick(isOfBlocks ? DatabaseDamage.blockStatements : DatabaseDamage.hostileStatements))
        case 10, 11: if fixture.layout == .blocks { forgeBlockRow() } else { forgeEntity() }
        case 12: forge(forgedLayer())
        default: forgeNumber()
        }
    }

    // MARK: Bytes

    /// Returns a place in the file. Most of the bytes that SQLite reads from a page are at its beginning.
    private mutating func place() -> Int {
        let page = choices.below(max(1, main.count / DatabaseDamage.pageByteCount))
        let offset = choices.chance(160) ? choices.below(128) : choices.below(DatabaseDamage.pageByteCount)
        return min(page * DatabaseDamage.pageByteCount + offset, max(0, main.count - 1))
    }

    private mutating func flipBit() {
        let place = place()
        guard place < main.count else { return }
        main.flip(bit: choices.below(8), at: place)
    }

    private mutating func exchangePages() {
        let count = main.count / DatabaseDamage.pageByteCount
        guard count > 2 else { return }
        let left = 1 + choices.below(count - 1)
        main.exchange(page: left, with: 1 + choices.below(count - 1), of: DatabaseDamage.pageByteCount)
    }

    private mutating func overwrite() {
        isForged = true
        let place = place()
        let run = choices.run(count: 1 + choices.below(24))
        guard place + run.count <= main.count else { return }
        main.replaceSubrange(place..<place + run.count, with: run)
    }

    // MARK: Statements

    private mutating func forge(_ statement: String) {
        isForged = true
        statements.append(statement)
    }

    private static let hostileStatements = [
        "PRAGMA user_version = 8", "PRAGMA user_version = 4", "PRAGMA user_version = -1", "PRAGMA application_id = 7",
        "CREATE VIEW evil AS SELECT * FROM entities", "CREATE TABLE evil (a)", "CREATE INDEX evil ON entities (body)",
        "CREATE TRIGGER evil AFTER INSERT ON entities BEGIN DELETE FROM entities; END", "DROP TABLE layers",
        "PRAGMA journal_mode = DELETE", "PRAGMA page_size = 4096", "VACUUM", "DELETE FROM types",
        "DELETE FROM libraries",
        "DELETE FROM keys", "DELETE FROM entities", "UPDATE keys SET \"row\" = 1",
        "UPDATE keys SET type = 70000 WHERE type = 0",
        "UPDATE entities SET body = NULL", "UPDATE entities SET body = 7, sequence = 'x', generation = -1",
        "UPDATE entities SET written_at = -9223372036854775808", "INSERT INTO types VALUES (9, 'x', 0)",
        "UPDATE libraries SET cursor = 9223372036854775807", "UPDATE libraries SET cursor = -5, checksum = 1",
        "INSERT INTO lost_ranges VALUES (0, 9, 3)",
        "INSERT INTO lost_ranges VALUES (0, -9223372036854775808, 9223372036854775807)",
        "INSERT INTO lost_ranges VALUES (99, 1, 2)", "UPDATE tombstones SET deleted_at = 'x', number = -1",
        "UPDATE tombstones SET id = x'00', sequence = 9223372036854775807",
        "UPDATE quarantine SET kind = 77, reason = 'x', line = -1",
        "UPDATE quarantine SET bytes = zeroblob(5000000), byte_count = -1",
        "UPDATE counters SET value = 9223372036854775807",
        "UPDATE counters SET value = -9223372036854775808", "INSERT INTO ignored_kinds VALUES ('x', -1)",
        "UPDATE queries SET elements = x'11ffffffff7f', membership = '{'",
        "UPDATE queries SET number = 9223372036854775807",
        "UPDATE layers SET number = 9223372036854775807", "UPDATE dictionaries SET body = x'', checksum = 0",
        "UPDATE indexes SET state = 99", "UPDATE indexes SET path = '/~', checksum = 0", "DELETE FROM field_values",
        "UPDATE field_values SET code = x'', id = NULL", "INSERT INTO evicted VALUES (1, 0, 9, x'00', 0)",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'layers'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE keys (a)' WHERE name = 'keys'",
    ]

    private static let blockStatements = [
        "DELETE FROM blocks", "DELETE FROM segments", "DELETE FROM changes", "DELETE FROM key_runs",
        "DELETE FROM field_codes", "DELETE FROM blocks WHERE number % 2 = 0",
        "DELETE FROM changes WHERE number % 2 = 0",
        "DELETE FROM segments WHERE segment < 2048", "UPDATE blocks SET number = number + 1000000",
        "UPDATE blocks SET body = NULL", "UPDATE blocks SET body = zeroblob(300000)", "UPDATE segments SET body = x''",
        "UPDATE segments SET through = 9223372036854775807", "UPDATE segments SET through = 0",
        "UPDATE changes SET after = number", "UPDATE changes SET number = 9223372036854775807",
        "INSERT INTO changes VALUES (9223372036854775806, -1, NULL)", "UPDATE key_runs SET body = 7",
        "INSERT INTO blocks SELECT max(number) + 1, body FROM blocks", "INSERT INTO segments VALUES (4096, 1, x'00')",
        "INSERT INTO blocks VALUES (9223372036854775807, x'00')", "INSERT INTO blocks VALUES (-5, x'00')",
        "UPDATE field_codes SET code = x'', id = x'00'", "INSERT INTO keys VALUES (0, 0, 'x', 1)",
        "UPDATE counters SET value = 5 WHERE name = 'identity'", "INSERT INTO counters VALUES ('moved_rows', 3)",
        "UPDATE key_runs SET place = place + 1", "DROP TABLE changes", "DROP TABLE key_runs", "PRAGMA user_version = 7",
    ]

    /// Changes bytes of a block, a segment, or a row about them, and gives it a valid check.
    private mutating func forgeBlockRow() {
        isForged = true
        var row = ForgedBlockRow(
            table: choices.pick(ForgedBlockRow.Table.allCases), place: choices.below(64), edits: [])
        for _ in 0..<1 + choices.below(4) {
            // Most of what a reader believes is at the beginning.
            let offset = choices.chance(200) ? choices.below(64) : choices.below(1 << 14)
            row.edits.append((offset, choices.byte()))
        }
        rows.append(row)
    }

    /// Changes one number in some row to any size.
    private mutating func forgeNumber() {
        let blockColumns = [
            "blocks.number", "segments.segment", "segments.through", "changes.number", "changes.after",
            "key_runs.place",
            "field_codes.number", "field_codes.library",
        ]
        let isOfBlocks = fixture.layout == .blocks && choices.chance(128)
        let column = choices.pick(
            isOfBlocks
                ? blockColumns
                : [
                    "libraries.cursor", "libraries.generation", "libraries.entity_count", "libraries.library",
                    "types.type",
                    "keys.\"row\"", "keys.type", "keys.library", "entities.\"row\"", "entities.sequence",
                    "entities.generation",
                    "entities.written_at", "tombstones.number", "tombstones.sequence", "tombstones.generation",
                    "tombstones.deleted_at", "quarantine.number", "quarantine.\"offset\"", "quarantine.sequence",
                    "dictionaries.dictionary", "queries.type", "queries.time_to_live", "queries.stored_at",
                    "layers.generation",
                    "layers.created_at", "indexes.number", "field_values.number", "field_values.place",
                    "evicted.library",
                ]
        ).split(separator: ".")
        let value = Int64(bitPattern: choices.chance(100) ? choices.number() : UInt64(choices.byte()))
        forge("UPDATE OR IGNORE \(column[0]) SET \(column[1]) = \(value)")
    }

    /// Replaces an entity's body by one with a valid check.
    private mutating func forgeEntity() {
        let keys = fixture.versions.keys.sorted()
        let key = choices.pick(keys)
        let version = fixture.versions[key]?.max { $0.sequence ?? -1 < $1.sequence ?? -1 }
        let isReplaced = choices.chance(200)
        let header: UInt8 = choices.pick([0x20, 0x20, 0x20, 0x21, 0x22, 0x24, 0x28, 0x40, 0x60, choices.byte()])
        let rest = isReplaced ? choices.run() : version?.payload ?? []
        var entity = ForgedEntity(key: key, sequence: version?.sequence, covered: [header] + rest)
        if choices.chance(40) {
            entity.sequence = choices.pick([nil, 0, -1, .max, .min])
            entity.generation = choices.pick([0, 1, 1 << 30, 1 << 31, .max])
            entity.writtenAt = choices.pick([0, -1, 1 << 60, -1 << 60, .max, .min])
        }
        forge(entity.statement)
    }

    private mutating func forgedLayer() -> String {
        let number = Int64(1 + choices.below(2))
        let body = [choices.pick([0x10, 0x10, choices.byte()])] + choices.run()
        let createdAt: Int64 = choices.pick([1_700_000_000_000, 0, .max, .min])
        return ForgedLayer(number: number, createdAt: createdAt, body: body).statement
    }
}
