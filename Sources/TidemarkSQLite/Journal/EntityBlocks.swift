import Tidemark
import TidemarkModel
import TidemarkStore

/// The entities of a data file in blocks: the tables `blocks`, `segments` and `key_runs`.
///
/// Entities have no row numbers here: all have 0.
/// - Source: docs/decisions/0020-past-memory.md.
final class EntityBlocks: EntityTables {
    // In the order in which they end: statements before the connection of the journal.
    private let store: BlockStore
    private let dictionaries: BlockDictionaries
    private let fieldCodes: FieldCodeWriter
    let reads: any EntityReads

    /// - Parameters:
    ///   - connection: The writer's connection.
    ///   - path: The data file, from which a thread reads the blocks that are merged.
    ///   - readsAhead: Whether there is such a thread; without, every run with the same input does the same.
    /// - Throws: ``SQLiteFailure``.
    /// - Complexity: O(keys + blocks).
    init(_ connection: OpaquePointer, path: String, readsAhead: Bool) throws {
        let configuration = BlockStore.Configuration(hashSeed: try LogIdentity.hashSeed(connection))
        let victims: VictimReader? =
            readsAhead
            ? VictimReader(path: path) { connection, number in
                try DictionaryTable.read(connection.handle).dictionaries[number]
            } : nil
        fieldCodes = try FieldCodeWriter(connection)
        let dictionaries = BlockDictionaries(try DictionaryTable.read(connection).dictionaries)
        self.dictionaries = dictionaries
        store = try BlockStore(connection, configuration, victims: victims, dictionaries: dictionaries)
        let reader = try BlockReader(connection, store.index) { try DictionaryTable.read(connection).dictionaries[$0] }
        reads = BlockReads(reader, store)
    }

    // MARK: Writing

    func lastRow() -> Int64 { 0 }

    func write(_ flush: FlushBatch, _ memory: JournalMemory) throws -> EntityOutcome {
        for library in flush.clearedLibraries {
            for index in memory.indexes { try fieldCodes.remove(number: index.number, library: library) }
        }
        let outcome = try store.stage(flush, dictionaries: memory.blockDictionaries)
        if !memory.indexesByType.isEmpty { try writeFieldCodes(flush, memory.indexesByType) }
        return outcome
    }

    private func writeFieldCodes(_ flush: FlushBatch, _ indexes: [TypeIndex: [FieldIndexRecord]]) throws {
        try flush.bytes.withUnsafeBytes { bytes in
            // Removals come first: an entity that was removed and created again has both.
            for row in flush.rows where row.change == .delete {
                try fieldCodes.remove(FieldOwner(row, in: bytes), of: indexes[row.type] ?? [])
            }
            for row in flush.rows where row.change == .insert || row.change == .update {
                guard let wanted = indexes[row.type] else { continue }
                try fieldCodes.write(
                    FieldOwner(row, in: bytes), payload: row.payload(in: bytes),
                    Completeness(fields: row.fields(in: bytes)), of: wanted, isNew: row.change == .insert)
            }
        }
    }

    var index: BlockIndex? { store.index }

    var memoryByteCount: Int { store.memoryByteCount }

    var leavesFreePages: Bool { true }

    var mergeDebtByteCount: Int { max(store.planner.debtByteCount, store.planner.looseByteCount) }

    func chooseMerges() -> Bool { store.requestVictimsAtRest() }

    /// The entities of blocks that are merged in one transaction while no flush is written: some 50 ms.
    private static let mergedCountMax = 20_000

    func merge(_ memory: JournalMemory) throws {
        _ = try store.stage(
            FlushBatch(), dictionaries: memory.blockDictionaries, mergedCountMax: EntityBlocks.mergedCountMax,
            waits: true)
    }

    var openingDamage: EntityDamage? {
        guard store.isRebuilt else { return nil }
        var rows = store.damagedBlocks.map { DamagedRow(row: $0, kind: .block, fault: .checksumMismatch) }
        if rows.isEmpty { rows.append(DamagedRow(row: 0, kind: .segment, fault: .checksumMismatch)) }
        return EntityDamage(rows: rows, entityCounts: store.entityCounts())
    }

    func heal() throws { try store.stageHealing(dictionaries: dictionaries) }

    func publish(_ commit: () throws -> Void) throws { try store.publish(commit) }

    func discard() { store.discard() }
}

extension JournalMemory {
    fileprivate var blockDictionaries: BlockDictionaries {
        BlockDictionaries(byType: dictionaryByType, byNumber: dictionaries)
    }
}
