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
    /// Reads what the last commit left.
    var reads: any EntityReads { get }

    /// The opening that is under way on another thread; nil: there is none.
    var opening: BackgroundOpening? { get }

    /// Waits for the opening under way.
    ///
    /// - Throws: ``SQLiteFailure``; the next call tries again.
    func finishOpening() throws

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

    /// The bytes in memory that find entities or wait to be merged; 0 where nothing is kept.
    var memoryByteCount: Int { get }

    /// Whether writing leaves free pages all the time, which the next flushes use.
    var leavesFreePages: Bool { get }

    /// The bytes of dead entities that merging gives back soon; 0 where nothing is merged.
    var mergeDebtByteCount: Int { get }

    /// Chooses what ``merge(_:)`` copies while no flush is written.
    ///
    /// - Returns: Whether there is anything to merge.
    func chooseMerges() -> Bool

    /// Copies live entities together, in the transaction under way, so that dead ones leave free pages. Does nothing
    /// where nothing is merged.
    ///
    /// - Throws: ``SQLiteFailure``.
    func merge(_ memory: JournalMemory) throws

    /// Damage that was found when the tables were opened, and that cost entities or may have brought removed ones back;
    /// nil: none.
    var openingDamage: EntityDamage? { get }

    /// Replaces the damaged parts of the tables, in the transaction under way.
    ///
    /// - Throws: ``SQLiteFailure``.
    func heal() throws

    /// Forgets what was written: the transaction is rolled back.
    func discard()
}

/// Damage that was found when the tables of entities were opened.
struct EntityDamage {
    var rows: [DamagedRow]
    /// The entities of each library that are left.
    var entityCounts: [LibraryIndex: Int64]
}

extension EntityTables {
    var opening: BackgroundOpening? { nil }

    func finishOpening() throws {}

    var memoryByteCount: Int { 0 }

    var leavesFreePages: Bool { false }

    var mergeDebtByteCount: Int { 0 }

    func chooseMerges() -> Bool { false }

    func merge(_ memory: JournalMemory) throws {}

    var openingDamage: EntityDamage? { nil }

    func heal() throws {}

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
