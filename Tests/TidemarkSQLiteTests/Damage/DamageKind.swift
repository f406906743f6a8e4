import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// One kind of damage to a data file, and the number of tries.
enum DamageKind: String, CaseIterable, Sendable {
    case flippedBit, flippedBits, zeroedSector, truncation, swappedPages, stalePage, garbage
    case flippedBitInLog, zeroedSectorInLog, truncatedLog, lostLog, foreignLog
    case swappedBodies, swappedLayers, swappedKeys, damagedDictionary
    case bomb, layerBomb, unknownBodyFormat, unknownFileFormat
    case swappedBlocks, swappedSegments, swappedRuns, lostBlock, lostSegment, lostRun
    case foreignFile, trigger, view, index, hiddenTrigger, hiddenView

    var count: Int {
        switch self {
        case .flippedBit: 240
        case .flippedBits, .zeroedSector: 100
        case .truncation, .swappedPages, .stalePage: 50
        case .flippedBitInLog, .zeroedSectorInLog: 60
        case .truncatedLog: 50
        case .swappedBodies, .swappedLayers, .swappedKeys: 30
        case .swappedBlocks, .swappedSegments, .swappedRuns, .lostBlock, .lostSegment, .lostRun: 10
        case .bomb, .layerBomb, .unknownBodyFormat: 20
        case .lostLog, .foreignLog, .garbage, .damagedDictionary, .unknownFileFormat, .foreignFile: 10
        case .trigger, .view, .index, .hiddenTrigger, .hiddenView: 6
        }
    }

    /// The forms of entities that have it.
    var layouts: [EntityLayout] {
        switch self {
        case .swappedBodies, .swappedKeys, .bomb, .unknownBodyFormat: [.rows]
        case .swappedBlocks, .swappedSegments, .swappedRuns, .lostBlock, .lostSegment, .lostRun: [.blocks]
        default: EntityLayout.allCases
        }
    }

    /// Whether the file is another program's, or newer, so that it is refused and not changed.
    var isRefused: Bool {
        switch self {
        case .unknownFileFormat, .foreignFile, .trigger, .view, .index, .hiddenTrigger: true
        default: false
        }
    }

    /// Whether the file is never used in place: SQLite itself may find the schema broken before Tidemark finds it
    /// hostile.
    var isNeverReopened: Bool { isRefused || self == .hiddenView }

    /// Whether the remaining parts may be of different times, each sound by itself.
    var mixesTimes: Bool { self == .stalePage }

    /// Writes a damaged file.
    func make(_ fixture: DamageFixture, at path: String, _ random: inout SeededGenerator) throws {
        switch self {
        case .flippedBit, .flippedBits, .zeroedSector, .truncation, .swappedPages, .stalePage, .garbage:
            try DamageFixture.write(damaged(fixture, &random), to: path)
        case .flippedBitInLog, .zeroedSectorInLog, .truncatedLog:
            try DamageFixture.write(fixture.live.main, to: path)
            try DamageFixture.write(damagedLog(fixture.live.log, &random), to: path + "-wal")
        case .lostLog: try DamageFixture.write(fixture.live.main, to: path)
        case .foreignLog:
            try DamageFixture.write(random.chance(500) ? fixture.live.main : fixture.closed, to: path)
            try DamageFixture.write(fixture.foreignLog, to: path + "-wal")
        case .foreignFile: try DamageFixture.write(fixture.foreign, to: path)
        default:
            try DamageFixture.write(fixture.closed, to: path)
            SQLiteShell.run(path, statements(fixture, &random))
        }
    }

    // MARK: Bytes

    private func damaged(_ fixture: DamageFixture, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = fixture.closed
        let pageCount = bytes.count / DataFile.pageByteCount
        switch self {
        case .flippedBit: bytes.flipBit(&random)
        case .flippedBits:
            for _ in 0..<(2 + random.below(30)) { bytes.flipBit(&random) }
        case .zeroedSector: bytes.zero(sector: random.below(bytes.count / [UInt8].sectorByteCount))
        case .truncation: bytes.removeLast(1 + random.below(bytes.count))
        case .swappedPages:
            bytes.exchange(
                page: 1 + random.below(pageCount - 1), with: 1 + random.below(pageCount - 1),
                of: DataFile.pageByteCount)
        case .stalePage:
            // A write that the disk lost leaves a page of a later state among pages of an earlier one.
            bytes.replace(page: random.below(pageCount), from: fixture.later, of: DataFile.pageByteCount)
        default:
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
        return bytes
    }

    private func damagedLog(_ log: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = log
        switch self {
        case .flippedBitInLog: bytes.flipBit(&random)
        case .zeroedSectorInLog: bytes.zero(sector: random.below(bytes.count / [UInt8].sectorByteCount))
        default: bytes.removeLast(1 + random.below(bytes.count))
        }
        return bytes
    }

    // MARK: Statements

    private func statements(_ fixture: DamageFixture, _ random: inout SeededGenerator) -> [String] {
        let row = 1 + random.below(DamageFixture.rowCount)
        let other = 1 + (row + random.below(DamageFixture.rowCount - 1)) % DamageFixture.rowCount
        let hostile = "AFTER INSERT ON entities BEGIN DELETE FROM entities; DELETE FROM layers; END"
        func exchange(_ table: String, _ column: String, _ key: String, _ left: Int, _ right: Int) -> [String] {
            [
                "CREATE TEMP TABLE held AS SELECT \(column) AS value FROM \(table) WHERE \(key) = \(left)",
                "UPDATE \(table) SET \(column) = (SELECT \(column) FROM \(table) WHERE \(key) = \(right)) WHERE \(key) = \(left)",
                "UPDATE \(table) SET \(column) = (SELECT value FROM held) WHERE \(key) = \(right)",
            ]
        }
        // The object has a name that SQLite or the migrator uses.
        let name = random.pick(["sqlite_stat1", "sqlite_autoindex_keys_1", "grdb_migrations"])
        func hidden(_ kind: String, _ sql: String) -> [String] {
            [
                "PRAGMA writable_schema = ON",
                "INSERT INTO sqlite_schema VALUES ('\(kind)', '\(name)', 'entities', 0, '\(sql)')",
            ]
        }
        return switch self {
        case .swappedBodies: exchange("entities", "body", "\"row\"", row, other)
        case .swappedBlocks: exchange("blocks", "body", "number", 1 + random.below(3), 1 + random.below(6))
        case .swappedSegments: exchange("segments", "body", "segment", random.below(40), random.below(80))
        case .swappedRuns:
            [
                "UPDATE key_runs SET body = (SELECT body FROM key_runs ORDER BY place DESC LIMIT 1) WHERE place = (SELECT min(place) FROM key_runs)"
            ]
        case .lostBlock: ["DELETE FROM blocks WHERE number = \(1 + random.below(4))"]
        case .lostSegment: ["DELETE FROM segments WHERE segment % 7 = \(random.below(7))"]
        case .lostRun: ["DELETE FROM key_runs WHERE place = (SELECT min(place) FROM key_runs)"]
        case .swappedLayers: exchange("layers", "body", "number", 1 + random.below(3), 1 + random.below(3))
        case .swappedKeys:
            [
                "UPDATE keys SET \"row\" = CASE \"row\" WHEN \(row) THEN \(other) ELSE \(row) END WHERE \"row\" IN (\(row), \(other))"
            ]
        case .damagedDictionary: ["UPDATE dictionaries SET body = randomblob(\(1 + random.below(16_384)))"]
        case .bomb: ["UPDATE entities SET body = \(fixture.bomb(row: row, &random)) WHERE \"row\" = \(row)"]
        case .layerBomb: [fixture.layerBomb(number: Int64(1 + random.below(3)), &random)]
        case .unknownBodyFormat:
            [
                "UPDATE entities SET body = \(fixture.forged(row: row, header: UInt8(3 + random.below(5)) << 5, [1])) WHERE \"row\" = \(row)"
            ]
        // Above every number that a file can have, see `FileFormat`.
        case .unknownFileFormat: ["PRAGMA user_version = \(250 + random.below(1_000))"]
        case .trigger: ["CREATE TRIGGER evil \(hostile)"]
        case .view: ["CREATE VIEW evil AS SELECT * FROM entities"]
        case .index: ["CREATE INDEX evil ON entities (length(body))"]
        case .hiddenTrigger: hidden("trigger", "CREATE TRIGGER \(name) \(hostile)")
        case .hiddenView: hidden("view", "CREATE VIEW \(name) AS SELECT 1")
        default: []
        }
    }
}
