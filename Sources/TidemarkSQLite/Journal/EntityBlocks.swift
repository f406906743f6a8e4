import Tidemark
import TidemarkModel
import TidemarkStore

/// The entities of a data file in blocks: the tables `blocks`, `segments`, `changes` and `key_runs`.
///
/// ```
/// opening ── the first write, or a read of many keys, waits for the index ──▶ open
/// ```
/// Entities in blocks have no row numbers: the number is always 0.
///
/// - Source: docs/decisions/0020-past-memory.md.
final class EntityBlocks: EntityTables {
    /// How the journal opens and reads its blocks.
    struct Options {
        /// The path of the data file, from which threads read the index and the blocks to merge.
        var path: String
        /// How blocks are compressed.
        var compression = DataCompression.standard
        /// True if a thread reads ahead. Without one, every run with the same input does the same.
        var readsAhead: Bool
        /// Called on the thread that reads the index, before it begins; nil to read the index at once, on the caller's
        /// thread.
        var beginsOpening: (@Sendable () -> Void)?
        /// Called with the index once it is loaded.
        var opened: (BlockIndex) -> Void
    }

    /// How far the index of keys is loaded.
    private enum Phase {
        /// The index is being read on another thread. Reads of few keys use the file itself.
        case opening(BackgroundOpening, SnapshotReads)
        /// Reading the index failed or was cancelled. The next use reads it again.
        case failed
        /// The index is loaded.
        case open(BlockStore, BlockReads)
    }

    // In the order of release: statements before the journal's connection.
    private var phase = Phase.failed
    private let dictionaries: BlockDictionaries
    private let fieldCodes: FieldCodeWriter
    private let connection: OpaquePointer
    private let configuration: BlockStore.Configuration
    private let options: Options

    /// The most keys that are read from the file itself while the index is being read; larger reads wait for it.
    private static let snapshotKeyCountMax = 64

    /// Prepares the tables, and begins to read the index.
    ///
    /// - Parameter connection: The writer's connection.
    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(keys + blocks), on another thread if ``Options/beginsOpening`` is set.
    init(_ connection: OpaquePointer, _ options: Options) throws {
        self.connection = connection
        self.options = options
        configuration = BlockStore.Configuration(
            hashSeed: try LogIdentity.hashSeed(connection), compression: options.compression)
        fieldCodes = try FieldCodeWriter(connection)
        dictionaries = BlockDictionaries(try DictionaryTable.read(connection).dictionaries)
        if let begins = options.beginsOpening {
            let opening = BackgroundOpening(path: options.path, configuration, begins: begins)
            phase = .opening(opening, SnapshotReads(connection))
        } else {
            _ = try open()
        }
    }

    deinit {
        // The other thread's connection must be closed before the file is.
        guard case .opening(let opening, _) = phase else { return }
        opening.cancel()
        opening.wait()
    }

    // MARK: Opening

    var opening: BackgroundOpening? {
        if case .opening(let opening, _) = phase { opening } else { nil }
    }

    func finishOpening() throws { _ = try open() }

    /// Waits for the index if necessary, and returns the store.
    ///
    /// - Throws: ``SQLiteError``; the next call tries again.
    @discardableResult
    private func open() throws -> BlockStore {
        switch phase {
        case .open(let store, _): return store
        case .opening(let opening, _):
            phase = .failed
            do { return try open(opening.opened()) } catch is CancellationError { return try open() }
        case .failed:
            return try open(BlockOpening(connection, configuration, dictionaries: dictionaries.byNumber).found)
        }
    }

    private func open(_ found: sending OpenedBlocks) throws -> BlockStore {
        let connection = connection
        let victims: VictimReader? =
            options.readsAhead
            ? VictimReader(path: options.path) { connection, number in
                try DictionaryTable.read(connection.handle).dictionaries[number]
            } : nil
        let store = try BlockStore(connection, configuration, victims: victims, found)
        let reader = try BlockReader(connection, store.index) { try DictionaryTable.read(connection).dictionaries[$0] }
        phase = .open(store, BlockReads(reader, store))
        options.opened(store.index)
        return store
    }

    /// The store once its index is loaded; nil before.
    private var openStore: BlockStore? {
        if case .open(let store, _) = phase { store } else { nil }
    }

    var reads: any EntityReads {
        if case .open(_, let reads) = phase { reads } else { self }
    }

    /// Reads from the file itself while the index is being read.
    ///
    /// - Returns: nil when the index is loaded, or when the read must wait for it because of damage, which the opening
    ///   then reports.
    private func withSnapshot<Value>(_ body: (SnapshotReads) throws -> Value?) throws -> Value? {
        guard case .opening(let opening, let snapshot) = phase, !opening.hasEnded else { return nil }
        let value: Value?
        do { value = try body(snapshot) } catch is KeyRunError { return nil }
        return try snapshot.snapshot().index.damagedBlocks.isEmpty ? value : nil
    }

    private func openReads() throws -> any EntityReads {
        try open()
        return reads
    }

    // MARK: Writing

    func lastRow() -> Int64 { 0 }

    func write(_ flush: FlushBatch, _ memory: JournalMemory) throws -> EntityOutcome {
        for library in flush.clearedLibraries {
            for index in memory.indexes { try fieldCodes.remove(number: index.number, library: library) }
        }
        let outcome = try open().stage(flush, dictionaries: memory.blockDictionaries)
        if !memory.indexesByType.isEmpty { try writeFieldCodes(flush, memory.indexesByType) }
        return outcome
    }

    private func writeFieldCodes(_ flush: FlushBatch, _ indexes: [TypeIndex: [FieldIndexRecord]]) throws {
        try flush.bytes.withUnsafeBytes { bytes in
            // Removals first: an entity that was removed and created again has both.
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

    var memoryByteCount: Int { openStore?.memoryByteCount ?? 0 }

    var leavesFreePages: Bool { true }

    var mergeDebtByteCount: Int { openStore.map { max($0.planner.debtByteCount, $0.planner.looseByteCount) } ?? 0 }

    func chooseMerges() -> Bool { openStore?.requestVictimsAtRest() ?? false }

    /// How many entities one merging transaction copies while no flush is written: some 50 ms.
    private static let mergedCountMax = 20_000

    func merge(_ memory: JournalMemory) throws {
        _ = try open().stage(
            FlushBatch(), dictionaries: memory.blockDictionaries, mergedCountMax: EntityBlocks.mergedCountMax,
            waits: true)
    }

    var openingDamage: EntityDamage? {
        guard let store = openStore, store.isRebuilt else { return nil }
        var rows = store.damagedBlocks.map { DamagedRow(row: $0, kind: .block, fault: .checksumMismatch) }
        if rows.isEmpty { rows.append(DamagedRow(row: 0, kind: .segment, fault: .checksumMismatch)) }
        return EntityDamage(rows: rows, entityCounts: store.entityCounts())
    }

    func heal() throws { try open().stageHealing(dictionaries: dictionaries) }

    func publish(_ commit: () throws -> Void) throws { try open().publish(commit) }

    func discard() { openStore?.discard() }
}

/// Reads during index loading: up to 64 keys come straight from the file; larger reads wait for the index.
extension EntityBlocks: EntityReads {
    func read(_ keys: [StoredKey], _ dictionaries: [Int64: PayloadDictionary]) throws -> [EntityReader.Answer] {
        let answers = try withSnapshot { snapshot -> [EntityReader.Answer]? in
            guard keys.count <= EntityBlocks.snapshotKeyCountMax else { return nil }
            let answers = try snapshot.read(keys, dictionaries)
            return answers.allSatisfy(\.isWhole) ? answers : nil
        }
        return try answers ?? openReads().read(keys, dictionaries)
    }

    func find(_ keys: [StoredKey]) throws -> [StoredRow] {
        let rows = try withSnapshot { snapshot in
            keys.count <= EntityBlocks.snapshotKeyCountMax ? try snapshot.find(keys) : nil
        }
        return try rows ?? openReads().find(keys)
    }

    func forEach(
        library: LibraryIndex, type: TypeIndex, after: ByteString?, expectedCount: Int,
        _ dictionaries: [Int64: PayloadDictionary], _ visit: (StoredKey, EntityReader.Answer) throws -> Bool
    ) throws -> Bool {
        // Nothing may be visited twice, so entities from the snapshot are visited only after all of them proved sound.
        var found: [(key: StoredKey, answer: EntityReader.Answer)] = []
        let isEnd = try withSnapshot { snapshot -> Bool? in
            guard expectedCount <= EntityBlocks.snapshotKeyCountMax else { return nil }
            let isEnd = try snapshot.reads().forEach(
                library: library, type: type, after: after, expectedCount: expectedCount, dictionaries
            ) { key, answer in
                found.append((key, answer))
                return found.count < expectedCount
            }
            return found.allSatisfy(\.answer.isWhole) ? isEnd : nil
        }
        if isEnd == nil { found = [] }
        for (key, answer) in found {
            guard try visit(key, answer) else { return false }
        }
        if isEnd == true { return true }
        return try openReads().forEach(
            library: library, type: type, after: found.last?.key.id.text ?? after, expectedCount: expectedCount,
            dictionaries, visit)
    }

    func ages(after key: StoredKey?, countMax: Int) throws -> [StoredRowAge] {
        try openReads().ages(after: key, countMax: countMax)
    }

    func counts() throws -> [JournalEntityCount] { try openReads().counts() }
}

extension EntityReader.Answer {
    /// True unless the entity is damaged.
    fileprivate var isWhole: Bool {
        if case .damaged = self { false } else { true }
    }
}

extension JournalMemory {
    fileprivate var blockDictionaries: BlockDictionaries {
        BlockDictionaries(byType: dictionaryByType, byNumber: dictionaries)
    }
}
