import TidemarkModel
import TidemarkStore

/// The durable part of a cache. Everything that was acknowledged was committed here.
///
/// `SQLiteJournal` of the module `TidemarkSQLite` stores a cache in one file. To store it elsewhere, write a journal of
/// your own, and check it with `JournalConformance` of `TidemarkTesting`. The values that a journal stores are declared
/// in `TidemarkStore`.
///
/// A journal has one writer. Its methods may be called from any task; the journal puts the calls in order itself, and
/// never blocks the caller's executor while it waits for a disk. It need not understand the values: it returns each as
/// it was given, and only keys, rows and numbers decide which one replaces which.
///
/// Faults of a disk are the journal's concern. It detects a damaged record and leaves it out, and it lists a damaged
/// row as such. On a disk that forgets writes it must store each flush as a whole or not at all.
public protocol Journal: Sendable {
    /// Returns the state that can be known without reading entities. Called once, before anything else.
    ///
    /// - Throws: ``StorageError`` when the journal cannot be read.
    /// - Complexity: Independent of the number of entities.
    func recover() async throws(StorageError) -> RecoveredState

    /// Waits until the journal has found everything that it stores.
    ///
    /// Called when ``/TidemarkStore/RecoveredState/isOpening`` is true, once and before the first commit, and again
    /// after an error. The journal answers other calls meanwhile. Ends early with an error when its task is cancelled.
    ///
    /// - Returns: What was lost when the journal found damage, which it has replaced; nil when it found none.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func finishOpening() async throws(StorageError) -> OpeningLoss?

    /// Removes indexes, builds missing ones, and continues what an earlier writer left unfinished. Called once, before
    /// the first commit. A journal without indexes does nothing.
    ///
    /// - Parameters:
    ///   - changes: The indexes to add and to remove.
    ///   - progress: Called from time to time while entities are read.
    /// - Throws: ``StorageError``; `.limitExceeded` beyond ``FieldIndex/countMax``.
    func changeIndexes(
        _ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?
    ) async throws(StorageError)

    /// Reads entities by key.
    ///
    /// - Parameter keys: Any number of keys, in any order.
    /// - Returns: The entities that are stored, in any order; damaged rows are listed separately.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func load(_ keys: [StoredKey]) async throws(StorageError) -> LoadedEntities

    /// Reads one entity. Unlike ``load(_:)`` it may run during a commit, and then returns the entity as it was before
    /// the commit.
    ///
    /// - Returns: nil when the entity is not stored or is damaged.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func read(_ key: StoredKey) async throws(StorageError) -> StoredEntity?

    /// Finds the rows of entities by key, as of the last commit, without reading the entities.
    ///
    /// The cache uses this for entities that events are about to replace as a whole.
    ///
    /// - Parameter keys: Any number of keys, in any order.
    /// - Returns: The rows of the entities that are stored, damaged ones included, in any order.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func find(_ keys: [StoredKey]) async throws(StorageError) -> [StoredRow]

    /// Reads entities of one type in key order, as of the last commit.
    ///
    /// - Parameters:
    ///   - library: The library.
    ///   - type: The type.
    ///   - id: The id after which the page begins, which need not be stored; nil to begin at the first entity.
    ///   - countMax: The largest number of entities, at least 1. Fewer are returned only at the end, or where rows are
    ///     damaged.
    ///   - constraint: The condition that the caller will test on each entity. A journal with an index may leave out
    ///     entities that cannot fulfil it. nil for all entities.
    /// - Returns: The entities in the order of the text `type:id`; damaged rows are listed separately. Both are empty
    ///   at the end.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) async throws(StorageError) -> LoadedEntities

    /// Returns rows in a fixed order, as of the last commit.
    ///
    /// - Parameters:
    ///   - key: The key after which the rows begin, which need not be stored; nil to begin at the first row.
    ///   - countMax: The largest number of rows.
    /// - Returns: Fewer than `countMax` rows only at the end.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func rows(after key: StoredKey?, countMax: Int) async throws(StorageError) -> [StoredRowAge]

    /// Returns the space that the journal takes on the disk; 0 for a journal that is not on a disk.
    ///
    /// - Throws: ``StorageError`` when the size cannot be read.
    func size() async throws(StorageError) -> JournalSize

    /// Returns free space to the disk as far as that is quick. A journal that is not on a disk does nothing.
    ///
    /// - Throws: ``StorageError`` when that fails.
    func shrink() async throws(StorageError)

    /// Returns a part of the free space to the disk, in one short step. Steps begin when more than half of the database
    /// is free, and continue until an eighth is.
    ///
    /// - Parameter isLast: True if no commit will follow, so that the step may take longer.
    /// - Returns: True if there is more free space to return.
    /// - Throws: ``StorageError`` when that fails.
    func releaseFreeSpace(isLast: Bool) async throws(StorageError) -> Bool

    /// Frees memory that the journal does not need before the next commit.
    func releaseMemory() async

    /// Writes a flush in one transaction. Returns after COMMIT reached the disk.
    ///
    /// - Throws: ``StorageError``; then nothing of the flush was written, and the caller may pass it again. The cache
    ///   does so after a pause for `.diskFull` and `.inputOutput`, and rebuilds the journal after `.damaged`. A journal
    ///   also throws `.damaged` for a flush that contradicts its content.
    func commit(_ flush: FlushBatch) async throws(StorageError)

    /// Returns records of the quarantine, oldest first, as of the last commit.
    ///
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func quarantine(_ selection: QuarantineSelection) async throws(StorageError) -> [QuarantineRecord]

    /// Counts the stored entities of each library and type, as of the last commit.
    ///
    /// - Returns: One element for each library and type with entities, in any order.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    /// - Complexity: O(entities); only their keys are read.
    func entityCounts() async throws(StorageError) -> [JournalEntityCount]

    /// Examines the journal and its surroundings, and says what to do. Other calls do not wait for it. A journal that
    /// cannot be examined returns nothing.
    ///
    /// - Complexity: O(bytes of the journal).
    func examine() async -> [JournalFinding]

    /// Moves a damaged database aside and begins an empty one in its place.
    ///
    /// - Throws: ``StorageError`` when that fails.
    func rebuild() async throws(StorageError)

    /// Moves aside a database that was found damaged before any of it was used, and begins one in its place with the
    /// data that can be saved.
    ///
    /// - Parameter reason: A description of the damage.
    /// - Returns: The saved state, which has pending layers only. When nothing can be saved it is empty, as after
    ///   ``rebuild()``.
    /// - Throws: ``StorageError`` when that fails.
    func restart(reason: String) async throws(StorageError) -> RecoveredState

    /// Returns the size on the disk in bytes, write-ahead logs included; 0 for a journal in memory.
    func byteCount() async -> Int64

    /// Returns how the journal uses its disk; all zero for a journal that is not on a disk.
    func diskUse() async -> JournalUse

    /// Closes the files of the journal and releases its locks until ``resume(recreating:)``. Calls in between throw
    /// `.suspended`, except for ``resume(recreating:)`` and ``close()``. A journal without files does nothing.
    ///
    /// - Throws: ``StorageError`` when something was not tidied up. The files are closed even then.
    func suspend() async throws(StorageError)

    /// Opens the files of a suspended journal again.
    ///
    /// - Parameter recreating: Whether to create an empty database when there is none.
    /// - Throws: ``StorageError``; the journal stays suspended then. `.notFound` when the database was removed,
    ///   `.changed` when it is not as ``suspend()`` left it.
    func resume(recreating: Bool) async throws(StorageError) -> JournalResumption

    /// The bytes of memory that the journal needs to find entities. They count toward the cache's limit of memory.
    nonisolated var memoryByteCount: Int { get }

    /// Writes everything to its final place and releases the lock. Later calls throw.
    ///
    /// - Throws: ``StorageError`` when that fails.
    func close() async throws(StorageError)
}

// Only methods that journals implement as async ones have defaults. On a value of the journal's own type, an async
// default would be called instead of a synchronous method.
extension Journal {
    /// Zero: a journal needs no memory to find entities unless it says so.
    public nonisolated var memoryByteCount: Int { 0 }

    /// Returns nil: unless a journal says otherwise, it has found everything when it returns its state.
    public func finishOpening() async throws(StorageError) -> OpeningLoss? { nil }

    /// Loads the entity, after a commit under way.
    public func read(_ key: StoredKey) async throws(StorageError) -> StoredEntity? {
        try await load([key]).entities.first
    }

    /// Returns zeros, as for a journal that is not on a disk.
    public func diskUse() async -> JournalUse { JournalUse() }

    /// Does nothing, as for a journal without files.
    public func suspend() async throws(StorageError) {}

    /// Returns `.asLeft`, as for a journal without files.
    public func resume(recreating: Bool) async throws(StorageError) -> JournalResumption { .asLeft }

    /// Does nothing, as for a journal without memory to free.
    public func releaseMemory() async {}

    /// Returns false, as for a journal that is not on a disk.
    public func releaseFreeSpace(isLast: Bool) async throws(StorageError) -> Bool { false }

    /// Reads entities of one type in key order, without a constraint.
    package func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int
    ) async throws(StorageError) -> LoadedEntities {
        try await page(library: library, type: type, after: id, countMax: countMax, constraint: nil)
    }
}
