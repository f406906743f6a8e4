import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// The tables that hold the entities of a data file, on the connection of its writer.
///
/// ```
/// idle ── write ──▶ written ── publish ──▶ idle
///                           └── discard ──▶ idle
/// ```
/// The caller begins the transaction before ``write(_:_:)``, and ends it inside ``publish(_:)`` or before
/// ``discard()``.
protocol EntityTables: AnyObject {
    /// Whether the values of fields can be indexed.
    var canIndexFields: Bool { get }

    /// The highest row number in use; 0 when there are no entities, or when they have no numbers.
    ///
    /// - Throws: ``SQLiteFailure``.
    func lastRow() throws -> Int64

    /// Clears libraries and writes rows, in the transaction under way.
    ///
    /// - Parameter memory: The facts of the file, as they are when the flush is committed.
    /// - Throws: ``SQLiteFailure``.
    func write(_ flush: FlushBatch, _ memory: JournalMemory) throws -> EntityOutcome

    /// Commits what was written, and makes it visible to reads of the process.
    ///
    /// - Throws: The error of `commit`.
    func publish(_ commit: () throws -> Void) throws

    /// Forgets what was written: the transaction is rolled back.
    func discard()

    /// Reads entities by their keys.
    ///
    /// - Returns: An answer for each key, in the order of the keys. An entity that fails its check is an answer, not an
    ///   error.
    /// - Throws: ``SQLiteFailure``.
    func read(_ keys: [StoredKey], _ memory: JournalMemory) throws -> [EntityReader.Answer]

    /// Finds entities by their keys without reading them.
    ///
    /// - Returns: Those that are stored, damaged ones too.
    /// - Throws: ``SQLiteFailure``.
    func find(_ keys: [StoredKey]) throws -> [StoredRow]

    /// Reads the entities of one type in the order of their ids' text, as ``EntityRangeReader`` does.
    ///
    /// - Parameters:
    ///   - after: The id's text after which to begin; nil to begin at the first entity.
    ///   - expectedCount: The number of entities that `visit` will probably take.
    ///   - visit: Called with each key and its entity; returns false to stop.
    /// - Throws: ``SQLiteFailure``, and the error of `visit`.
    func forEach(
        library: LibraryIndex, type: TypeIndex, after: ByteString?, expectedCount: Int, _ memory: JournalMemory,
        _ visit: (StoredKey, EntityReader.Answer) throws -> Bool) throws

    /// Reads the ages of entities in the order of their keys: by library and type, texts before UUIDs. One that cannot
    /// be read counts as the oldest possible.
    ///
    /// - Throws: ``SQLiteFailure``.
    func ages(after key: StoredKey?, countMax: Int) throws -> [StoredRowAge]

    /// Counts the entities of each library and type that has any.
    ///
    /// - Throws: ``SQLiteFailure``.
    func counts() throws -> [JournalEntityCount]
}

extension EntityTables {
    /// Runs a transaction in which entities are written. When it fails nothing of it stays.
    ///
    /// - Throws: The error of `body`, or of the commit.
    func inTransaction(_ db: Database, _ body: () throws -> Void) throws {
        try db.beginTransaction(.immediate)
        do {
            try body()
            try publish { try db.commit() }
        } catch {
            let first = error
            do { try db.rollback() } catch {
                // The first error is reported.
            }
            discard()
            throw first
        }
    }
}
