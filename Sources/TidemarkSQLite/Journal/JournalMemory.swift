import TidemarkModel
import TidemarkStore

/// What a writer remembers of its data file between flushes.
///
/// A flush works on a copy, which replaces the original after COMMIT: a flush that failed leaves no trace.
struct JournalMemory {
    /// Names by index, for messages.
    var libraryNames: [ByteString] = []
    var typeNames: [ByteString] = []
    /// The ranges that are stored, so that equal ones are not written again.
    var lost: [LibraryIndex: [LostRange]] = [:]
    /// The places in the libraries' logs that are stored among the counters, so that equal ones are not written again.
    var places: [LibraryIndex: LibraryPlaces] = [:]
    /// By number: all that pass their check. At most ``DictionaryTrainer/dictionaryCountMax`` and the
    /// few that a repair replaced.
    var dictionaries: [Int64: PayloadDictionary] = [:]
    /// By type: the newest, with which rows are written.
    var dictionaryByType: [TypeIndex: PayloadDictionary] = [:]
    var lastDictionary: Int64 = 0
    var lastTombstone: Int64 = 0
    var lastEvicted: Int64 = 0
    var lastQuarantine: Int64 = 0
    var quarantineCount = 0
    /// The highest number that a query ever had.
    var lastQuery: Int64 = 0
    /// Queries that failed their check on opening: the next flush takes them out.
    var damagedQueries: [Int64] = []
    /// Rows of evicted keys that failed their check on opening: the next flush takes them out.
    var damagedEvicted: [Int64] = []
    /// Ascending by number; those being dropped too.
    var indexes: [FieldIndexRecord] = []
    /// Of the types that have a number: what a flush keeps.
    var indexesByType: [TypeIndex: [FieldIndexRecord]] = [:]
    /// Numbers of indexes that failed their check on opening.
    var damagedIndexes: [Int64] = []
    /// Layers that failed their check on opening: the next flush takes them out.
    var damagedLayers: [Int64] = []
    /// Rows that failed their check, were counted by whoever wrote the library's record, and made room
    /// for a row that was counted again; taken off each record until the file is opened anew.
    var entityCountCorrections: [LibraryIndex: Int64] = [:]

    mutating func add(_ dictionary: PayloadDictionary) {
        dictionaries[dictionary.number] = dictionary
        lastDictionary = max(lastDictionary, dictionary.number)
        if dictionaryByType[dictionary.type]?.number ?? 0 < dictionary.number {
            dictionaryByType[dictionary.type] = dictionary
        }
    }

    /// Takes the file's indexes, or finds those of types that were given a number.
    ///
    /// - Parameter newTypes: Beside the types whose names are known.
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

    /// - Returns: nil when an index has no name.
    func entityKey(_ key: StoredKey) -> EntityKey? {
        guard Int(key.library) < libraryNames.count, Int(key.type) < typeNames.count else { return nil }
        return EntityKey(
            library: libraryNames[Int(key.library)], type: typeNames[Int(key.type)], id: key.id.text)
    }
}
