import TidemarkModel
import TidemarkStore

/// A SQLite file with nothing but entities in blocks, for testing and measuring the store of blocks alone.
/// ``EntityBlocks`` is the same in a data file.
///
/// Owner: one thread.
///
/// - Source: docs/decisions/0020-past-memory.md.
package final class BlockFile {
    /// The settings that tests change.
    package struct Configuration {
        /// The random number of the file.
        package var hashSeed: UInt64 = 0x5EED
        /// True if a thread reads the blocks to merge ahead.
        package var readsAhead = true
        /// True if dictionaries are trained for types.
        package var trains = true
        /// The share of dead bytes, in hundredths, above which blocks are merged.
        package var deadShare = MergePlanner.Limits().deadShare
        /// The share of dead bytes, in hundredths, above which a flush waits for merging.
        package var deadShareMax = MergePlanner.Limits().deadShareMax
        var entityCountMin: Int?
        var victimCountMax: Int?
        /// The source of blocks to merge, which overrides `readsAhead`; nil for the usual one.
        var victims: (any VictimSource)?

        /// Creates the default settings.
        package init() {}
    }

    // In the order of release: statements before their connections.
    private(set) var store: BlockStore
    private let reader: BlockReader
    private let dictionaryTable: DictionaryTable
    let connection: BlockConnection
    private let readConnection: BlockConnection
    private let encoder: PayloadEncoder
    private var trainer = DictionaryTrainer()
    private var dictionaries = BlockDictionaries()
    private let trains: Bool

    private static let dictionarySchema = """
        CREATE TABLE dictionaries (dictionary INTEGER PRIMARY KEY, type INTEGER, trained_at INTEGER, \
        checksum INTEGER, body BLOB)
        """

    /// Opens a file, or creates it.
    ///
    /// - Throws: An error of SQLite.
    package init(path: String, _ configuration: Configuration = Configuration()) throws {
        let connection = try BlockConnection(path: path)
        self.connection = connection
        if try PreparedStatement.number(connection.handle, "SELECT count(*) FROM sqlite_schema") == 0 {
            let schema = BlockTable.schema.map(\.sql) + [BlockFile.dictionarySchema]
            try connection.transaction { try connection.execute(schema.joined(separator: ";") + ";COMMIT") }
        }
        for (number, dictionary) in try DictionaryTable.read(connection.handle).dictionaries {
            dictionaries.byNumber[number] = dictionary
            dictionaries.byType[dictionary.type] = dictionary
        }
        trains = configuration.trains
        var settings = BlockStore.Configuration(hashSeed: configuration.hashSeed)
        settings.limits.deadShare = configuration.deadShare
        settings.limits.deadShareMax = configuration.deadShareMax
        settings.entityCountMin = configuration.entityCountMin ?? settings.entityCountMin
        settings.victimCountMax = configuration.victimCountMax ?? settings.victimCountMax
        let victims = VictimReader(path: path) { connection, number in
            try DictionaryTable.read(connection.handle).dictionaries[number]
        }
        store = try BlockStore(
            connection.handle, settings,
            victims: configuration.victims ?? (configuration.readsAhead ? victims : nil), dictionaries: dictionaries)
        readConnection = try BlockConnection(path: path)
        let handle = readConnection.handle
        reader = try BlockReader(handle, store.index) { try DictionaryTable.read(handle).dictionaries[$0] }
        dictionaryTable = try DictionaryTable(connection.handle)
        encoder = try PayloadEncoder()
    }

    /// The number of keys that have an entity.
    package var entityCount: Int { store.entityCount }
    /// The bytes of dead entities that are still to be merged away.
    package var mergeDebtByteCount: Int { store.planner.debtByteCount }
    /// The size of the index of keys in memory.
    package var indexByteCount: Int { store.index.withState { $0.places.byteCount } }
    /// The number of free pages in the file.
    package func freePageCount() throws -> Int64 {
        try PreparedStatement.number(connection.handle, "PRAGMA freelist_count") ?? 0
    }

    /// Writes the rows of a flush, durably.
    ///
    /// - Parameter flush: Its rows, each key once, and its cleared libraries. The rest of the flush is ignored.
    /// - Throws: An error of SQLite; nothing is written then.
    package func write(_ flush: FlushBatch) throws { _ = try outcome(of: flush) }

    /// Writes a flush, and returns what was unexpected.
    ///
    /// - Parameter mergedCountMax: The most entities to merge; nil to derive it from the rows of the flush.
    func outcome(of flush: FlushBatch, mergedCountMax: Int? = nil) throws -> EntityOutcome {
        var outcome = EntityOutcome()
        var next = dictionaries
        var trained: [PayloadDictionary] = []
        if trains {
            encoder.startBatch()
            let types = Set(dictionaries.byType.keys)
            for (type, bytes) in trainer.dictionaries(for: flush, dictionaryTypes: types, encoder: encoder) {
                let number = (next.byNumber.keys.max() ?? 0) + 1
                let dictionary = PayloadDictionary(number: number, type: type, bytes: bytes)
                trained.append(dictionary)
                next.byNumber[number] = dictionary
                next.byType[type] = dictionary
            }
        }
        do {
            try connection.transaction {
                for dictionary in trained { try dictionaryTable.write(dictionary, now: 0) }
                outcome = try store.stage(flush, dictionaries: next, mergedCountMax: mergedCountMax)
                try store.publish { try connection.execute("COMMIT") }
            }
        } catch {
            store.discard()
            throw error
        }
        dictionaries = next
        trainer.forget(trained.map(\.type))
        return outcome
    }

    /// Merges blocks until no more bytes are dead than the limit allows.
    ///
    /// - Throws: An error of SQLite.
    package func mergeAll() throws {
        while mergeDebtByteCount > 0 {
            let before = store.planner.byteCount
            _ = try outcome(of: FlushBatch(), mergedCountMax: BlockFile.mergedAtOnce)
            // Nothing else can be merged.
            if store.planner.byteCount == before, store.planner.mergingCount == 0 { break }
        }
    }

    /// How many entities one merging transaction copies while nothing is written.
    private static let mergedAtOnce = 20_000

    /// Returns the payload of an entity.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: ``PayloadError`` when it is damaged, and errors of SQLite.
    package func payload(_ key: StoredKey) throws -> [UInt8]? { try entity(key)?.payload }

    func entity(_ key: StoredKey) throws -> BlockStoredEntity? { try reader.entity(key) }

    /// Calls a closure with each key that has an entity, in order, until it returns false.
    ///
    /// - Parameter key: The key after which to begin; nil to begin with the first.
    /// - Throws: ``PayloadError`` when a run of keys is damaged; the next flush rebuilds the runs.
    package func walkKeys(after key: StoredKey? = nil, _ visit: (StoredKey) throws -> Bool) throws {
        try store.walkKeys(after: key, visit)
    }

    /// Copies the log back into the file.
    ///
    /// - Throws: An error of SQLite.
    package func checkpoint() throws { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
}
