import TidemarkModel
import TidemarkStore

/// The durable side of a cache: everything that is acknowledged was committed here.
///
/// `SQLiteJournal` of the module `TidemarkSQLite` keeps a cache in one file. A journal of your own keeps it elsewhere;
/// `JournalConformance` of `TidemarkTesting` checks one. The values that a journal stores are in `TidemarkStore`.
///
/// A journal has one writer. Its methods may be called from any task; the journal orders the calls itself and never
/// runs on the caller's executor while it waits for a disk. A journal need not understand the values: it returns each
/// as it was given, and only the keys, rows and numbers below decide which one replaces which.
///
/// What may go wrong with a disk is up to the journal: it detects a record that was damaged and leaves it out, and a
/// row that was damaged is listed as such. A journal on a disk that forgets writes must write a flush whole or not at
/// all, however it ends.
public protocol Journal: Sendable {
    /// Returns the state that is known without reading the entities. Called once, before anything else.
    ///
    /// - Throws: ``StorageError``.
    /// - Complexity: Independent of the number of entities.
    func recover() async throws(StorageError) -> RecoveredState

    /// Waits until the journal has found everything that it stores. Called once, and before the first commit, when
    /// ``TidemarkStore/RecoveredState/isOpening`` says so; called again after an error. Other calls are answered
    /// meanwhile. Ends early with an error when its task is cancelled.
    ///
    /// - Returns: The loss when damage was found, which the journal has replaced; nil: there is none.
    /// - Throws: ``StorageError``.
    func finishOpening() async throws(StorageError) -> OpeningLoss?

    /// Removes indexes, builds the missing ones, and continues the work that an earlier writer left unfinished. Called
    /// once, before the first commit. A journal without indexes does nothing.
    ///
    /// - Parameter progress: Called now and then while entities are read.
    /// - Throws: ``StorageError``; `.limitExceeded` beyond ``FieldIndex/countMax``.
    func changeIndexes(
        _ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?
    ) async throws(StorageError)

    /// Reads entities by key.
    ///
    /// - Parameter keys: Any number, in any order.
    /// - Returns: The entities that are stored, in no order; damaged rows are listed separately.
    /// - Throws: ``StorageError``.
    func load(_ keys: [StoredKey]) async throws(StorageError) -> LoadedEntities

    /// Reads one entity. Unlike ``load(_:)`` it may run beside a commit, and then gives the entity as it was before.
    ///
    /// - Returns: nil when it is not stored, or is damaged.
    /// - Throws: ``StorageError``.
    func read(_ key: StoredKey) async throws(StorageError) -> StoredEntity?

    /// Finds entities by key without reading them, as they were last committed.
    ///
    /// The cache asks for rows that events are about to replace as a whole.
    /// - Parameter keys: Any number, in any order.
    /// - Returns: The rows of those that are stored, damaged ones too, in no order.
    /// - Throws: ``StorageError``.
    func find(_ keys: [StoredKey]) async throws(StorageError) -> [StoredRow]

    /// Reads entities of one type in key order, as they were last committed.
    ///
    /// - Parameter id: The page begins after this id, which need not be stored; nil: at the first entity.
    /// - Parameter countMax: At least 1. Fewer entities are returned only at the end, or where damaged rows were.
    /// - Parameter constraint: The condition that the caller will test on each entity. A journal with an index may
    ///   leave out entities that cannot fulfil it; nil: all entities are returned.
    /// - Returns: The entities in key order (of the text `type:id`); damaged rows are listed separately. Both empty:
    ///   the end.
    /// - Throws: ``StorageError``.
    func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) async throws(StorageError) -> LoadedEntities

    /// Returns rows in a fixed order, as they were last committed.
    ///
    /// - Parameter key: The rows begin after this key, which need not be stored; nil: at the first row.
    /// - Returns: Fewer than `countMax` only at the end.
    func rows(after key: StoredKey?, countMax: Int) async throws(StorageError) -> [StoredRowAge]

    /// Returns the space that the journal takes on the disk; 0 for a journal that is not on a disk.
    func size() async throws(StorageError) -> JournalSize

    /// Returns free space to the disk, as far as that is quick. A journal that is not on a disk does nothing.
    func shrink() async throws(StorageError)

    /// Returns a part of the free space to the disk in one short step. It begins when more than half of the database is
    /// free, and continues until an eighth is.
    ///
    /// - Parameter isLast: Nothing waits for the next commit: the step may take longer.
    /// - Returns: Whether there is more free space to return.
    func releaseFreeSpace(isLast: Bool) async throws(StorageError) -> Bool

    /// Frees memory that the journal does not need until the next commit.
    func releaseMemory() async

    /// Writes a flush in one transaction and returns after COMMIT reached the disk.
    ///
    /// - Throws: ``StorageError``; then nothing of the flush was written, and the caller may pass it again: it waits
    ///   and repeats after `.diskFull` and `.inputOutput`, and rebuilds the journal after `.damaged`, with which a
    ///   journal also refuses a flush that contradicts its content.
    func commit(_ flush: FlushBatch) async throws(StorageError)

    /// Returns records of the quarantine, oldest first, as they were last committed.
    ///
    /// - Throws: ``StorageError``.
    func quarantine(_ selection: QuarantineSelection) async throws(StorageError) -> [QuarantineRecord]

    /// Counts the stored entities of each library and type, as they were last committed.
    ///
    /// - Returns: One element for each library and type with entities, in no order.
    /// - Throws: ``StorageError``.
    /// - Complexity: O(entities), of their keys alone.
    func entityCounts() async throws(StorageError) -> [JournalEntityCount]

    /// Examines the journal and everything around it, and says what to do. Other calls of the journal do not wait for
    /// it. A journal that cannot be examined returns nothing.
    ///
    /// - Complexity: O(bytes of the journal).
    func examine() async -> [JournalFinding]

    /// Moves a damaged database aside and begins an empty one in its place.
    ///
    /// - Throws: ``StorageError`` when that cannot be done.
    func rebuild() async throws(StorageError)

    /// Moves a database aside that was found damaged before any of it was used, and begins one in its place with the
    /// data that can be saved.
    ///
    /// - Returns: The saved state: pending layers. An empty state when nothing can be saved; then this is the same as
    ///   ``rebuild()``.
    /// - Throws: ``StorageError`` when that cannot be done.
    func restart(reason: String) async throws(StorageError) -> RecoveredState

    /// Returns the bytes on disk, journals included; 0 for a journal in memory.
    func byteCount() async -> Int64

    /// Returns what the journal makes of its disk; nothing for a journal that is not on a disk.
    func diskUse() async -> JournalUse

    /// The bytes in memory that the journal needs to find entities. They count in the cache's limit of memory.
    nonisolated var memoryByteCount: Int { get }

    /// Writes everything to its final place and releases the lock. Further calls throw.
    func close() async throws(StorageError)
}

// Only methods that journals implement as async ones have defaults: on a value of the journal's own type, a default
// that is async would be called in place of a synchronous method.
extension Journal {
    /// Zero: this journal needs no memory to find entities.
    public nonisolated var memoryByteCount: Int { 0 }

    /// Returns nil: this journal has found everything when it gives its state.
    public func finishOpening() async throws(StorageError) -> OpeningLoss? { nil }

    /// Loads the entity, after the commit under way.
    public func read(_ key: StoredKey) async throws(StorageError) -> StoredEntity? {
        try await load([key]).entities.first
    }

    /// Returns nothing: this journal is not on a disk.
    public func diskUse() async -> JournalUse { JournalUse() }

    /// Does nothing: this journal has no memory to free.
    public func releaseMemory() async {}

    /// Returns false: a journal that is not on a disk has no space to return.
    public func releaseFreeSpace(isLast: Bool) async throws(StorageError) -> Bool { false }

    /// Reads the entities of a type without a constraint, a page at a time.
    package func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int
    ) async throws(StorageError) -> LoadedEntities {
        try await page(library: library, type: type, after: id, countMax: countMax, constraint: nil)
    }
}

/// The part of a journal that keeps answers of HTTP, which `TidemarkHTTP` stores beside the entities. A journal without
/// this part keeps none.
package protocol HTTPJournal: Sendable {
    /// Returns the stored HTTP answers of one URL without their bodies, newest first.
    ///
    /// - Throws: ``StorageError``.
    func httpAnswers(library: ByteString, url: ByteString) async throws(StorageError) -> [HTTPRecord]

    /// The state of stored answers that callers share with the journal; nil: this journal keeps no HTTP answers.
    nonisolated var httpLedger: HTTPLedger? { get }

    /// Begins a body that is written in chunks before its head.
    ///
    /// - Returns: The draft, and its hold: a draft whose hold ends without an answer is removed. nil: this journal
    ///   keeps no HTTP answers.
    /// - Throws: ``StorageError``.
    func beginHTTPBody() async throws(StorageError) -> (HTTPBodyDraft, HTTPBodyHold)?

    /// Writes the next chunk of a body in a transaction of its own.
    ///
    /// - Parameter bytes: ``TidemarkStore/HTTPBodyDraft/chunkByteCount`` bytes, or fewer as the last chunk.
    /// - Returns: The draft with the chunk; nil when the journal does not know it: the file was replaced meanwhile.
    /// - Throws: ``StorageError``; then the chunk was not written.
    func writeHTTPChunk(_ bytes: [UInt8], of draft: HTTPBodyDraft) async throws(StorageError) -> HTTPBodyDraft?

    /// Checks the chunks of a stored body and keeps them until the hold ends.
    ///
    /// - Returns: nil when the answer is gone or fails its check.
    /// - Throws: ``StorageError``.
    /// - Complexity: O(bytes on the disk); one chunk is in memory at a time.
    func holdHTTPBody(_ number: Int64, usedAt: Int64?) async throws(StorageError) -> HTTPBodyHold?

    /// Reads one chunk of a body that is held.
    ///
    /// - Returns: nil when it is not there or fails its check.
    /// - Throws: ``StorageError``.
    func httpChunk(_ hold: HTTPBodyHold, _ place: Int64) async throws(StorageError) -> [UInt8]?

    /// Reads the body of a stored answer.
    ///
    /// - Parameter bounds: The bytes that are wanted, within the body; nil: all.
    /// - Parameter usedAt: The instant of the use, for the order in which answers go; nil: it is no use.
    /// - Returns: nil when the answer is gone or fails its check; then it counts as not there.
    /// - Throws: ``StorageError``.
    func httpBody(_ number: Int64, bounds: Range<Int64>?, usedAt: Int64?) async throws(StorageError) -> [UInt8]?

    /// Returns stored answers by library, URL and number.
    ///
    /// - Parameter after: The answers begin after this one; nil: at the first.
    /// - Throws: ``StorageError``.
    func httpPage(
        _ selection: HTTPSelection, after: HTTPPlace?, countMax: Int
    ) async throws(StorageError) -> [HTTPRecord]

    /// Changes stored answers in a transaction of its own.
    ///
    /// - Returns: The number of answers that were removed.
    /// - Throws: ``StorageError``; then nothing was changed.
    func writeHTTP(_ changes: [HTTPChange]) async throws(StorageError) -> Int

    /// Removes the least recently used answers until so many bytes of them are gone, or none is left.
    ///
    /// - Returns: Whether any was removed.
    /// - Throws: ``StorageError``.
    func removeHTTP(byteCount: Int64) async throws(StorageError) -> Bool

    /// Sets the bound of stored answers.
    func limitHTTP(_ limits: HTTPLimits) async

    /// Returns the totals of stored answers, those of a session included.
    ///
    /// - Complexity: O(1).
    func httpTotals() async -> HTTPTotals

    /// Returns the salt of the file, with which credentials are hashed.
    func httpSalt() async throws(StorageError) -> [UInt8]
}

extension HTTPJournal {
    /// Returns nothing: this journal keeps no HTTP answers.
    package func httpAnswers(library: ByteString, url: ByteString) async throws(StorageError) -> [HTTPRecord] { [] }

    /// Returns nil: this journal keeps no HTTP answers.
    package func httpBody(
        _ number: Int64, bounds: Range<Int64>?, usedAt: Int64?
    ) async throws(StorageError) -> [UInt8]? { nil }

    /// Returns nil: this journal keeps no HTTP answers.
    package nonisolated var httpLedger: HTTPLedger? { nil }

    /// Returns nil: this journal keeps no HTTP answers.
    package func beginHTTPBody() async throws(StorageError) -> (HTTPBodyDraft, HTTPBodyHold)? { nil }

    /// Returns nil: this journal keeps no HTTP answers.
    package func writeHTTPChunk(
        _ bytes: [UInt8], of draft: HTTPBodyDraft
    ) async throws(StorageError) -> HTTPBodyDraft? { nil }

    /// Returns nil: this journal keeps no HTTP answers.
    package func holdHTTPBody(_ number: Int64, usedAt: Int64?) async throws(StorageError) -> HTTPBodyHold? { nil }

    /// Returns nil: this journal keeps no HTTP answers.
    package func httpChunk(_ hold: HTTPBodyHold, _ place: Int64) async throws(StorageError) -> [UInt8]? { nil }

    /// Returns nothing: this journal keeps no HTTP answers.
    package func httpPage(
        _ selection: HTTPSelection, after: HTTPPlace?, countMax: Int
    ) async throws(StorageError) -> [HTTPRecord] { [] }

    /// Does nothing: this journal keeps no HTTP answers.
    package func writeHTTP(_ changes: [HTTPChange]) async throws(StorageError) -> Int { 0 }

    /// Returns false: this journal keeps no HTTP answers.
    package func removeHTTP(byteCount: Int64) async throws(StorageError) -> Bool { false }

    /// Returns nothing: this journal keeps no HTTP answers.
    package func httpTotals() async -> HTTPTotals { HTTPTotals() }

    /// Does nothing: this journal keeps no HTTP answers.
    package func limitHTTP(_ limits: HTTPLimits) async {}

    /// Returns an empty salt: nothing is written with it.
    package func httpSalt() async throws(StorageError) -> [UInt8] { [] }
}

/// The part of a journal that keeps no answers of HTTP.
struct NoHTTPAnswers: HTTPJournal {}

/// The place of a stored answer in the order of a listing.
package struct HTTPPlace: Hashable, Sendable {
    package var library: ByteString
    package var url: ByteString
    package var number: Int64

    package init(library: ByteString, url: ByteString, number: Int64) {
        self.library = library
        self.url = url
        self.number = number
    }
}
