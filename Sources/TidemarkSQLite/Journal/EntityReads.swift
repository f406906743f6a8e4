import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads the entities of a data file on one connection, in rows or in blocks.
///
/// Owner: one thread at a time.
protocol EntityReads: AnyObject {
    /// Reads entities by their keys.
    ///
    /// - Parameter dictionaries: Every dictionary of the file, by number.
    /// - Returns: An answer for each key, in the order of the keys. An entity that fails its check is an answer, not an
    ///   error.
    /// - Throws: ``SQLiteError``.
    func read(_ keys: [StoredKey], _ dictionaries: [Int64: PayloadDictionary]) throws -> [EntityReader.Answer]

    /// Finds entities by their keys without reading them.
    ///
    /// - Returns: The rows of those that are stored, damaged ones included.
    /// - Throws: ``SQLiteError``.
    func find(_ keys: [StoredKey]) throws -> [StoredRow]

    /// Reads the entities of one type in the order of their ids' text.
    ///
    /// - Parameters:
    ///   - after: The id's text after which to begin; nil to begin at the first entity.
    ///   - expectedCount: The number of entities that `visit` will probably take.
    ///   - visit: Called with each key and its entity; returns false to stop.
    /// - Returns: False when `visit` stopped the scan.
    /// - Throws: ``SQLiteError``, and the error of `visit`.
    func forEach(
        library: LibraryIndex, type: TypeIndex, after: ByteString?, expectedCount: Int,
        _ dictionaries: [Int64: PayloadDictionary], _ visit: (StoredKey, EntityReader.Answer) throws -> Bool
    ) throws -> Bool

    /// Reads the ages of entities in the order of their keys: by library and type, texts before UUIDs. An entity that
    /// cannot be read counts as the oldest possible.
    ///
    /// - Throws: ``SQLiteError``.
    func ages(after key: StoredKey?, countMax: Int) throws -> [StoredRowAge]

    /// Counts the entities of each library and type that has any.
    ///
    /// - Throws: ``SQLiteError``.
    func counts() throws -> [JournalEntityCount]
}

extension EntityReads {
    /// Reads one entity by its key.
    ///
    /// - Throws: ``SQLiteError``.
    func read(_ key: StoredKey, _ dictionaries: [Int64: PayloadDictionary]) throws -> EntityReader.Answer {
        try read([key], dictionaries).first ?? .absent
    }

    /// Returns true if an entity is stored, sound or damaged.
    func contains(_ key: StoredKey) throws -> Bool { try !find([key]).isEmpty }
}
