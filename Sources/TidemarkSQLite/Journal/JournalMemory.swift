import TidemarkModel
import TidemarkStore

/// What the writer of a data file remembers between flushes.
///
/// A flush works on a copy, which replaces the original after COMMIT. So a flush that fails changes nothing.
struct JournalMemory {
    /// The names of libraries by index.
    var libraryNames: [ByteString] = []
    var typeNames: [ByteString] = []
    /// The lost ranges that are stored, so that equal ones are not written again.
    var lost: [LibraryIndex: [LostRange]] = [:]
    /// The log positions of libraries that are stored among the counters, so that equal ones are not written again.
    var places: [LibraryIndex: LibraryPlaces] = [:]
    /// The dictionaries that pass their check, by number. There are at most ``DictionaryTrainer/dictionaryCountMax``
    /// and the few that a repair replaced.
    var dictionaries: [Int64: PayloadDictionary] = [:]
    /// The newest dictionary of each type, with which rows are written.
    var dictionaryByType: [TypeIndex: PayloadDictionary] = [:]
    var lastDictionary: Int64 = 0
    var lastTombstone: Int64 = 0
    var lastEvicted: Int64 = 0
    var lastQuarantine: Int64 = 0
    var quarantineCount = 0
    /// The highest number that a query ever had.
    var lastQuery: Int64 = 0
    /// The numbers of queries that failed their check at opening; the next flush removes them.
    var damagedQueries: [Int64] = []
    /// The rows of evicted keys that failed their check at opening; the next flush removes them.
    var damagedEvicted: [Int64] = []
    /// All indexes in ascending order of their numbers, including those that are being dropped.
    var indexes: [FieldIndexRecord] = []
    /// The indexes that a flush maintains, for each type that has a number.
    var indexesByType: [TypeIndex: [FieldIndexRecord]] = [:]
    /// The numbers of indexes that failed their check at opening.
    var damagedIndexes: [Int64] = []
    /// The numbers of layers that failed their check at opening; the next flush removes them.
    var damagedLayers: [Int64] = []
    /// By library, how many entities its record counts twice: a row failed its check, was still counted, and its
    /// replacement was counted again. Subtracted from each record until the file is opened again.
    var entityCountCorrections: [LibraryIndex: Int64] = [:]

    /// True if unused pages may have rows of an erased library.
    var mustScrub = false
    /// The names of erased libraries that a cache still knows by their number. They are written again with the first
    /// data that a library gets.
    var erasedNames: [LibraryIndex: ByteString] = [:]

    /// The number of entities in each library's stored record.
    var entityCounts: [LibraryIndex: Int64] = [:]

    /// The number of entities of all libraries.
    var storedEntityCount: Int64 { entityCounts.values.reduce(0, +) }

    mutating func add(_ dictionary: PayloadDictionary) {
        dictionaries[dictionary.number] = dictionary
        lastDictionary = max(lastDictionary, dictionary.number)
        if dictionaryByType[dictionary.type]?.number ?? 0 < dictionary.number {
            dictionaryByType[dictionary.type] = dictionary
        }
    }

    /// Sets the file's indexes, and assigns them to the types that have a number.
    ///
    /// - Parameter newTypes: Types in addition to those whose names are known.
    mutating func setIndexes(_ records: [FieldIndexRecord], newTypes: [(index: TypeIndex, name: ByteString)] = []) {
        indexes = records
        indexesByType = [:]
        let kept = records.filter { $0.state != .dropping }
        guard !kept.isEmpty else { return }
        let known = typeNames.enumerated().map { (index: TypeIndex($0), name: $1) }
        for type in known + newTypes {
            let found = kept.filter { $0.type == type.name }
            if !found.isEmpty { indexesByType[type.index] = found }
        }
    }

    /// Returns a key with the names of its library and type; nil when one has no name.
    func entityKey(_ key: StoredKey) -> EntityKey? {
        guard Int(key.library) < libraryNames.count, Int(key.type) < typeNames.count else { return nil }
        return EntityKey(
            library: libraryNames[Int(key.library)], type: typeNames[Int(key.type)], id: key.id.text)
    }
}
