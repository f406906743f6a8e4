import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// The tables with the entities of a data file, on the connection of its writer.
///
/// ```
/// idle ── write ──▶ written ── publish ──▶ idle
///                           └── discard ──▶ idle
/// ```
/// The caller begins the transaction before ``write(_:_:)``, and ends it inside ``publish(_:)`` or before
/// ``discard()``.
protocol EntityTables: AnyObject {
    /// The reads of the last committed state.
    var reads: any EntityReads { get }

    /// The opening that is running on another thread; nil when there is none.
    var opening: BackgroundOpening? { get }

    /// Waits for the running opening.
    ///
    /// - Throws: ``SQLiteError``; the next call tries again.
    func finishOpening() throws

    /// The highest row number in use; 0 when there are no entities, or when they have no numbers.
    ///
    /// - Throws: ``SQLiteError``.
    func lastRow() throws -> Int64

    /// Clears libraries and writes rows, in the current transaction.
    ///
    /// - Parameter memory: What the writer will remember of the file once the flush is committed.
    /// - Throws: ``SQLiteError``.
    func write(_ flush: FlushBatch, _ memory: JournalMemory) throws -> EntityOutcome

    /// Commits what was written, and makes it visible to the process's reads.
    ///
    /// - Throws: The error of `commit`.
    func publish(_ commit: () throws -> Void) throws

    /// The bytes in memory for finding entities and for pending merges; 0 for tables that keep nothing.
    var memoryByteCount: Int { get }

    /// True if writing continually leaves free pages, which the next flushes use.
    var leavesFreePages: Bool { get }

    /// The bytes of dead entities that merging will soon free; 0 for tables that merge nothing.
    var mergeDebtByteCount: Int { get }

    /// Chooses what ``merge(_:)`` copies while no flush is written.
    ///
    /// - Returns: True if there is anything to merge.
    func chooseMerges() -> Bool

    /// Copies live entities together, in the current transaction, so that dead ones leave free pages. Does nothing for
    /// tables that merge nothing.
    ///
    /// - Throws: ``SQLiteError``.
    func merge(_ memory: JournalMemory) throws

    /// Damage found at opening by which entities were lost, or removed ones may have returned; nil when there is none.
    var openingDamage: EntityDamage? { get }

    /// Replaces the damaged parts of the tables, in the current transaction.
    ///
    /// - Throws: ``SQLiteError``.
    func heal() throws

    /// Drops what was written, because the transaction is rolled back.
    func discard()
}

/// Damage that was found when the tables of entities were opened.
struct EntityDamage {
    var rows: [DamagedRow]
    /// How many entities each library still has.
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

    /// Runs a transaction that writes entities. If it fails, it changes nothing.
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
