import TidemarkModel
import TidemarkStore

/// The durable side of a cache: what is acknowledged was committed here.
///
/// A journal has one writer. Its methods may be called from any task; it puts them in order itself and
/// never runs on the caller's executor while it waits for a disk.
package protocol Journal: Sendable {
    /// What is known without reading the entities. Called once, before anything else.
    ///
    /// - Throws: ``StorageError``.
    /// - Complexity: Independent of the number of entities.
    func recover() async throws(StorageError) -> RecoveredState

    /// Takes indexes away, makes those that are missing, and goes on with what an earlier writer left undone. Called once,
    /// before the first commit. A journal without indexes does nothing.
    ///
    /// - Parameter progress: Told now and then while entities are read.
    /// - Throws: ``StorageError``; `.limitExceeded` beyond ``FieldIndex/countMax``.
    func changeIndexes(
        _ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?
    ) async throws(StorageError)

    /// Reads entities by key.
    ///
    /// - Parameter keys: Any number, in any order.
    /// - Returns: Those that are stored, in no order; damaged rows apart.
    /// - Throws: ``StorageError``.
    func load(_ keys: [StoredKey]) async throws(StorageError) -> LoadedEntities

    /// Reads entities of one type in key order, as they were last committed.
    ///
    /// - Parameter id: Begins behind this id, which need not be stored; nil: at the first.
    /// - Parameter countMax: At least 1. Fewer are given only at the end, or where damaged rows stood.
    /// - Parameter constraint: What the caller will ask of each entity. A journal with an index may leave out those that
    ///   cannot fulfil it; nil: it gives all.
    /// - Returns: In key order (of the text `type:id`); damaged rows apart. Both empty: the end.
    /// - Throws: ``StorageError``.
    func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) async throws(StorageError) -> LoadedEntities

    /// Rows in some order that stays the same, as they were last committed.
    ///
    /// - Parameter key: Begins behind this key, which need not be stored; nil: at the first.
    /// - Returns: Fewer than `countMax` only at the end.
    func rows(after key: StoredKey?, countMax: Int) async throws(StorageError) -> [StoredRowAge]

    /// What it takes on the disk; 0 for a journal that is on none.
    func size() async throws(StorageError) -> JournalSize

    /// Gives back to the disk what is free, as far as that is quickly done.
    func shrink() async throws(StorageError)

    /// Gives a part of what is free back to the disk, in one short step, once more than half of the database is free, and from then on
    /// until an eighth is.
    ///
    /// - Parameter isLast: Nobody waits for the next commit: the step may take longer.
    /// - Returns: Whether there is more to give back.
    func giveBackFree(isLast: Bool) async throws(StorageError) -> Bool

    /// Gives back memory that it can do without until the next commit.
    func releaseMemory() async

    /// Writes a flush in one transaction and returns after COMMIT reached the disk.
    ///
    /// - Throws: ``StorageError``; then nothing of the flush was written, and it may be given again.
    func commit(_ flush: FlushBatch) async throws(StorageError)

    /// Puts a damaged database aside and begins an empty one in its place.
    ///
    /// - Throws: ``StorageError`` when that cannot be done.
    func rebuild() async throws(StorageError)

    /// Puts a database aside that turned out to be damaged before anything of it was used, and begins one in its place with what
    /// can be saved of it.
    ///
    /// - Returns: What was saved: pending layers.
    /// - Throws: ``StorageError`` when that cannot be done.
    func restart(reason: String) async throws(StorageError) -> RecoveredState

    /// Bytes on disk, journals included; 0 for a journal in memory.
    func byteCount() async -> Int64

    /// Puts everything in its final place and lets go of the lock. Further calls throw.
    func close() async throws(StorageError)
}

extension Journal {
    /// Nothing to give back.
    package func releaseMemory() async {}

    /// A journal that is on no disk has nothing to give back.
    package func giveBackFree(isLast: Bool) async throws(StorageError) -> Bool { false }

    /// All entities of a type, a page at a time.
    package func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int
    ) async throws(StorageError) -> LoadedEntities {
        try await page(library: library, type: type, after: id, countMax: countMax, constraint: nil)
    }
}
