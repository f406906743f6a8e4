import GRDBSQLite
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// The table `tidemark_entities` over blocks: with all stamps, with damage, and with forged bytes.
extension SQLiteExtensionTests {
    /// All columns of the table; the last one is the block of the entity.
    private static let columns = """
        SELECT library, type, typeof(id) = 'blob', hex(id), sequence, generation, written_at,
          CASE WHEN resource IS NOT NULL THEN hex(resource) END, rowid >> 7
        FROM tidemark_entities
        """

    /// A row of the table as texts.
    private struct Row: Hashable {
        /// Library, type, the form of the id, and the id.
        var key: [String?]
        /// Sequence, generation, and the time of the last write.
        var stamps: [String?]
        var resource: String?
    }

    private func entityRows(_ connection: OpaquePointer) -> [(row: Row, block: Int64)] {
        rows(connection, SQLiteExtensionTests.columns).map { columns in
            let row = Row(key: Array(columns[..<4]), stamps: Array(columns[4..<7]), resource: columns[7])
            return (row, columns[8].flatMap { Int64($0) } ?? -1)
        }
    }

    private func columns(_ key: StoredKey) -> [String?] {
        ["\(key.library.rawValue)", "\(key.type.rawValue)", key.id.isUUID ? "1" : "0", hex(key.id)]
    }

    private func row(_ entity: BlockStoredEntity) -> Row {
        Row(
            key: columns(entity.key),
            stamps: [entity.sequence.map { "\($0)" }, "\(entity.generation)", "\(entity.writtenAt)"],
            resource: entity.isReduced ? nil : hex(entity.payload))
    }

    /// Writes a file of blocks with what a model draws, one library cleared in between, so that all segments are there.
    ///
    /// - Returns: The entities, and every version that was ever written.
    private func writeModel(seed: Int) async throws -> (entities: Set<Row>, versions: Set<Row>, keys: [StoredKey]) {
        var configuration = SQLiteJournal.Configuration(path: folder.file())
        configuration.layout = .blocks
        configuration.dictionarySampleCountMin = 80
        var model = BlockStoreModel(seed: seed, keyCount: 500)
        var versions: Set<Row> = []
        for number in 0..<24 {
            let journal = try await SQLiteJournal.open(configuration)
            for _ in 0..<2 {
                try await journal.commit(model.flush(rowCount: 100, removalShare: 250, clears: number == 17))
                versions.formUnion(model.entities.values.map(row))
            }
            try await journal.close()
        }
        return (Set(model.entities.values.map(row)), versions, model.keys)
    }

    @Test(arguments: 1...2) func `the table of a file of blocks has what a model has, with all stamps`(
        seed: Int
    ) async throws {
        let (entities, _, _) = try await writeModel(seed: seed)
        let connection = try open()
        defer { sqlite3_close(connection) }
        let found = entityRows(connection).map(\.row)
        #expect(found.count == entities.count, "seed \(seed)")
        #expect(Set(found) == entities, "seed \(seed)")
        #expect(rows(connection, "SELECT count(*) FROM segments") == [["4096"]])
        #expect(rows(connection, "SELECT count(*) > 0 FROM dictionaries") == [["1"]])
    }

    // MARK: Damage

    /// The part of a file that is damaged.
    enum DamagedPart: CaseIterable {
        case data, directory, segment, anything
    }

    /// Reads the body of a row, damages a drawn place of it, and writes it.
    private func damage(
        _ connection: OpaquePointer, _ table: String, _ column: String, _ number: String,
        _ change: (inout [UInt8]) throws -> Void
    ) rethrows {
        let text = rows(connection, "SELECT hex(body) FROM \(table) WHERE \(column) = \(number)").first?.first ?? nil
        var bytes = bytes(hex: text ?? "")
        try change(&bytes)
        let sql = "UPDATE \(table) SET body = x'\(hex(bytes))' WHERE \(column) = \(number)"
        #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
    }

    private func bytes(hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Damages blocks and segments.
    ///
    /// - Returns: The numbers of the damaged blocks.
    private func damage(
        _ connection: OpaquePointer, _ part: DamagedPart, _ random: inout SeededGenerator
    ) throws -> Set<Int64> {
        let blocks = rows(connection, "SELECT number FROM blocks").compactMap { $0[0] }
        let segments = rows(connection, "SELECT segment FROM segments WHERE length(body) > 12").compactMap { $0[0] }
        var damaged: Set<Int64> = []
        for _ in 0..<1 + random.below(part == .segment ? 40 : 4) {
            let (block, segment) = (random.pick(blocks), random.pick(segments))
            if part == .segment || part == .anything {
                damage(connection, "segments", "segment", segment) { bytes in
                    if part == .anything { bytes.spoil(&random) } else { bytes.flipBit(&random) }
                }
            }
            guard part != .segment, damaged.insert(Int64(block) ?? 0).inserted else { continue }
            try damage(connection, "blocks", "number", block) { bytes in
                let data = try bytes.withUnsafeBytes { try BlockHead($0) }.data
                switch part {
                case .data where data.isEmpty: break
                case .data: bytes.flipBit(in: data, &random)
                case .directory: bytes.flipBit(in: 0..<data.lowerBound, &random)
                case .segment: break
                case .anything: bytes.spoil(&random)
                }
            }
        }
        return damaged
    }

    @Test(arguments: DamagedPart.allCases, 1...2)
    func `damage costs the entities that have it, and shows no other bytes than those that were written once`(
        part: DamagedPart, seed: Int
    ) async throws {
        let (entities, versions, keys) = try await writeModel(seed: seed)
        let stamps = Set(versions.map { $0.key + $0.stamps })
        let connection = try open()
        defer { sqlite3_close(connection) }
        let whole = entityRows(connection)
        #expect(Set(whole.map(\.row)) == entities)
        let throughs = Dictionary(
            uniqueKeysWithValues: rows(connection, "SELECT segment, through FROM segments").map {
                (Int($0[0] ?? "") ?? -1, Int64($0[1] ?? "") ?? -1)
            })
        let hashSeed = UInt64(rows(connection, "SELECT value FROM counters WHERE name = 'identity'")[0][0] ?? "") ?? 0
        let knownThrough = Dictionary(
            uniqueKeysWithValues: keys.map { key in
                (columns(key), throughs[key.withBlockKey { KeyHash($0, seed: hashSeed) }.segment] ?? -1)
            })
        var random = SeededGenerator(seed: UInt64(seed))
        // Rows that are no entity any more: older versions, and entities that were deleted. Rows without a resource.
        var (oldCount, refusedCount) = (0, 0)
        for _ in 0..<25 {
            #expect(sqlite3_exec(connection, "BEGIN", nil, nil, nil) == SQLITE_OK)
            let damaged = try damage(connection, part, &random)
            let found = entityRows(connection)
            #expect(sqlite3_exec(connection, "ROLLBACK", nil, nil, nil) == SQLITE_OK)

            let foundRows = Set(found.map(\.row))
            #expect(Set(found.map(\.row.key)).count == found.count)
            // Every row is a version that was written, with its resource or without.
            #expect(foundRows.allSatisfy { stamps.contains($0.key + $0.stamps) })
            #expect(foundRows.allSatisfy { $0.resource == nil || versions.contains($0) })
            oldCount += foundRows.filter { $0.resource != nil }.subtracting(entities).count
            refusedCount += foundRows.filter { $0.resource == nil }.count
            let safe = Set(whole.filter { !damaged.contains($0.block) }.map(\.row))
            switch part {
            case .data:
                #expect(foundRows.isSuperset(of: safe))
                #expect(Set(found.map { $0.row.key + $0.row.stamps }) == Set(entities.map { $0.key + $0.stamps }))
            case .directory:
                #expect(foundRows.isSuperset(of: safe))
                #expect(found.allSatisfy { !damaged.contains($0.block) })
                // Only where the segment does not know the block can an older version show.
                let newest = damaged.max() ?? 0
                #expect(foundRows.subtracting(safe).allSatisfy { knownThrough[$0.key] ?? -1 < newest })
            case .segment:
                // Nothing is missing or older; there may be entities that were deleted.
                #expect(foundRows.isSuperset(of: entities))
            case .anything: break
            }
        }
        switch part {
        case .data: #expect(oldCount == 0 && refusedCount > 0)
        case .directory: #expect(oldCount > 0 && refusedCount == 0)
        case .segment: #expect(refusedCount == 0)
        case .anything: #expect(oldCount > 0 && refusedCount > 0)
        }
    }

    @Test func `an entity whose removal only its segment knows is shown again when the segment is damaged`()
        async throws
    {
        try await create(.blocks)
        let connection = try open()
        defer { sqlite3_close(connection) }
        var fixture = BlockFixture(seed: 4)
        let entities = fixture.entities(6).filter { !$0.isRemoval && !$0.isReduced }
        let block = "INSERT INTO blocks VALUES (9, x'\(hex(try fixture.block(of: entities)))')"
        #expect(sqlite3_exec(connection, block, nil, nil, nil) == SQLITE_OK)
        let all = entities.map(row)
        #expect(entityRows(connection).map(\.row) == all)

        let hashSeed = UInt64(rows(connection, "SELECT value FROM counters WHERE name = 'identity'")[0][0] ?? "") ?? 0
        let segment = entities[0].key.withBlockKey { KeyHash($0, seed: hashSeed) }.segment
        for (through, isKnown) in [(8, false), (9, true)] {
            let seed = StoredSegment.seed(of: hashSeed, through: Int64(through))
            let empty = StoredSegment.bytes(KeySegment(), as: segment, seed: seed) { _ in 0 }
            let put = "INSERT OR REPLACE INTO segments VALUES (\(segment), \(through), x'\(hex(empty))')"
            #expect(sqlite3_exec(connection, put, nil, nil, nil) == SQLITE_OK)
            #expect(entityRows(connection).map(\.row) == (isKnown ? Array(all.dropFirst()) : all))
        }
        damage(connection, "segments", "segment", "\(segment)") { $0.flip(bit: 3, at: 5) }
        #expect(entityRows(connection).map(\.row) == all)
    }

    // MARK: Forged blocks

    @Test func `a block with random bytes under a valid check gives what a reader finds in it, and no crash`()
        async throws
    {
        try await create(.blocks)
        let connection = try open()
        defer { sqlite3_close(connection) }
        let dictionary = BlockFixture.makeDictionary()
        let checksum = PayloadDictionary.checksum(number: 3, type: 0, bytes: dictionary.bytes)
        let put = "INSERT INTO dictionaries VALUES (3, 0, 0, \(checksum), x'\(hex(dictionary.bytes))')"
        #expect(sqlite3_exec(connection, put, nil, nil, nil) == SQLITE_OK)
        let unpacker = try BlockUnpacker()
        var entityCount = 0
        for seed in 1...800 {
            var fixture = BlockFixture(seed: seed)
            let count = [1, 2, 5, 127][fixture.random.below(4)]
            var bytes = try fixture.block(
                of: fixture.entities(count), dictionary: fixture.random.chance(500) ? dictionary : nil)
            for _ in 0..<fixture.random.below(3) { bytes.spoil(&fixture.random) }
            bytes = BlockCodec.sealed(bytes, number: 9) ?? bytes
            let block = "INSERT OR REPLACE INTO blocks VALUES (9, x'\(hex(bytes))')"
            #expect(sqlite3_exec(connection, block, nil, nil, nil) == SQLITE_OK)
            let found = entityRows(connection).map(\.row)
            entityCount += found.count
            #expect(found == wantedRows(bytes, [3: dictionary], unpacker), "seed \(seed)")
        }
        #expect(entityCount > 2_000)
    }

    /// The last version of each key in a block with the number 9.
    private func wantedRows(
        _ bytes: [UInt8], _ dictionaries: [Int64: PayloadDictionary], _ unpacker: BlockUnpacker
    ) -> [Row] {
        let directory: BlockDirectory
        var content: BlockContent
        do throws(PayloadError) {
            directory = try bytes.withUnsafeBytes { bytes in
                Result { () throws(PayloadError) in try BlockDirectory(bytes, number: 9) }
            }.get()
        } catch { return [] }
        do throws(PayloadError) {
            content = try BlockContent(bytes, number: 9, unpacker: unpacker, dictionaries: dictionaries)
        } catch {
            content = BlockContent(directory, bytes: bytes, data: [])
        }
        var rows: [(row: Row, isRemoval: Bool)] = []
        for (position, entry) in directory.entries.enumerated() {
            let id = content.withID(at: position) { hex($0) }
            let isUUID = entry.flags.contains(.uuid)
            var row = Row(
                key: ["\(directory.head.library.rawValue)", "\(directory.head.type.rawValue)", isUUID ? "1" : "0", id],
                stamps: [entry.sequence.map { "\($0)" }, "\(entry.generation)", "\(entry.writtenAt)"])
            if !content.data.isEmpty || directory.head.unpackedCount == 0, !entry.flags.contains(.reduced) {
                row.resource = content.withStored(at: position) { entry, id, data in
                    let key = StoredKey(library: directory.head.library, type: directory.head.type, id: .text(""))
                    return hex(BlockStoredEntity(key: key, entry: entry, id: id, data: data).payload)
                }
            }
            rows.removeAll { $0.row.key == row.key }
            rows.append((row, entry.isRemoval))
        }
        return rows.filter { !$0.isRemoval }.map(\.row)
    }
}
