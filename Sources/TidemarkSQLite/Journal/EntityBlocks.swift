import Tidemark
import TidemarkModel
import TidemarkStore

/// The entities of a data file in blocks: the tables `blocks`, `segments`, `changes` and `key_runs`.
///
/// ```
/// opening ── the first write, or a read of many keys, waits for the index ──▶ open
/// ```
/// Entities have no row numbers here: all have 0.
/// - Source: docs/decisions/0020-past-memory.md.
final class EntityBlocks: EntityTables {
    /// The way in which the journal opens and reads its blocks.
    struct Options {
        /// The data file, from which threads read the index, and the blocks that are merged.
        var path: String
        /// Whether a thread reads ahead; without, every run with the same input does the same.
        var readsAhead: Bool
        /// Called on the thread that reads the index, before it begins; nil: the index is read at once.
        var beginsOpening: (@Sendable () -> Void)?
        /// Called with the index once it is there.
        var opened: (BlockIndex) -> Void
    }

    private enum Phase {
        /// The index is being read on another thread. Few keys at a time are found in the file itself.
        case opening(BackgroundOpening, SnapshotReads)
        /// Reading the index failed, or was cancelled: the next use reads it.
        case failed
        case open(BlockStore, BlockReads)
    }

    // In the order in which they end: statements before the connection of the journal.
    private var phase = Phase.failed
    private let dictionaries: BlockDictionaries
    private let fieldCodes: FieldCodeWriter
    private let connection: OpaquePointer
    private let configuration: BlockStore.Configuration
    private let options: Options

    /// The keys that are found in the file itself while the index is read; more wait for it.
    private static let snapshotKeyCountMax = 64

    /// - Parameter connection: The writer's connection.
    /// - Throws: ``SQLiteFailure``.
    /// - Complexity: O(keys + blocks), on another thread where ``Options/beginsOpening`` says so.
    init(_ connection: OpaquePointer, _ options: Options) throws {
        self.connection = connection
        self.options = options
        configuration = BlockStore.Configuration(hashSeed: try LogIdentity.hashSeed(connection))
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
        // The connection of the other thread must be closed before the file may be.
        guard case .opening(let opening, _) = phase else { return }
        opening.cancel()
        opening.wait()
    }

    // MARK: Opening

    var opening: BackgroundOpening? {
        if case .opening(let opening, _) = phase { opening } else { nil }
    }

    func finishOpening() throws { _ = try open() }

    /// Returns the store, after its index was read.
    ///
    /// - Throws: ``SQLiteFailure``; the next call tries again.
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

    /// The store when its index is there; nil before.
    private var openStore: BlockStore? {
        if case .open(let store, _) = phase { store } else { nil }
    }

    var reads: any EntityReads {
        if case .open(_, let reads) = phase { reads } else { self }
    }

    /// Answers from the file itself, when the index is still being read, and when no damage is in the way.
    ///
    /// - Returns: nil when the index is there, or has to be waited for: its opening reports the damage.
    private func withSnapshot<Value>(_ body: (SnapshotReads) throws -> Value?) throws -> Value? {
        guard case .opening(let opening, let snapshot) = phase, !opening.hasEnded else { return nil }
        let value: Value?
        do { value = try body(snapshot) } catch is DamagedKeyRun { return nil }
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

    var memoryByteCount: Int { openStore?.memoryByteCount ?? 0 }

    var leavesFreePages: Bool { true }

    var mergeDebtByteCount: Int { openStore.map { max($0.planner.debtByteCount, $0.planner.looseByteCount) } ?? 0 }

    func chooseMerges() -> Bool { openStore?.requestVictimsAtRest() ?? false }

    /// The entities of blocks that are merged in one transaction while no flush is written: some 50 ms.
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

/// Reads while the index is being read: of few keys from the file itself, of more after the index is there.
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
        // Nothing may be visited twice: what the snapshot has is visited after it proved to be whole.
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
    /// Whether it is no damaged entity.
    fileprivate var isWhole: Bool {
        if case .damaged = self { false } else { true }
    }
}

extension JournalMemory {
    fileprivate var blockDictionaries: BlockDictionaries {
        BlockDictionaries(byType: dictionaryByType, byNumber: dictionaries)
    }
}
