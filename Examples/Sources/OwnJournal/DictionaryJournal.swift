import Tidemark
import TidemarkModel
import TidemarkStore

/// A journal of your own: it keeps a cache in dictionaries that outlive the cache, as a database would.
///
/// Begin with this file when a cache has to live elsewhere than in a SQLite file: replace ``Storage`` with calls of
/// your database, one transaction for each ``commit(_:)``. `JournalConformance` says whether every promise is kept.
public actor DictionaryJournal: Journal {
    private let storage: Storage
    private var isClosed = false

    public init(_ storage: Storage) {
        self.storage = storage
    }

    // MARK: Writing

    public func commit(_ flush: FlushBatch) async throws(StorageError) {
        try checkOpen()
        try await storage.commit(flush)
    }

    public func rebuild() async throws(StorageError) {
        try checkOpen()
        await storage.clear()
    }

    public func restart(reason: String) async throws(StorageError) -> RecoveredState {
        try await rebuild()
        return RecoveredState()
    }

    public func close() async throws(StorageError) {
        try checkOpen()
        isClosed = true
    }

    // MARK: Reading

    public func recover() async throws(StorageError) -> RecoveredState {
        try checkOpen()
        return await storage.content.recovered
    }

    public func load(_ keys: [StoredKey]) async throws(StorageError) -> LoadedEntities {
        try checkOpen()
        let entities = await storage.content.entities
        return LoadedEntities(entities: keys.compactMap { entities[$0] })
    }

    public func find(_ keys: [StoredKey]) async throws(StorageError) -> [StoredRow] {
        try checkOpen()
        let entities = await storage.content.entities
        return keys.compactMap { key in entities[key].map { StoredRow(key: key, row: $0.row) } }
    }

    public func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) async throws(StorageError) -> LoadedEntities {
        try checkOpen()
        return LoadedEntities(
            entities: await storage.content.page(library: library, type: type, after: id, countMax: countMax))
    }

    public func rows(after key: StoredKey?, countMax: Int) async throws(StorageError) -> [StoredRowAge] {
        try checkOpen()
        return await storage.content.rows(after: key, countMax: countMax)
    }

    public func quarantine(_ selection: QuarantineSelection) async throws(StorageError) -> [QuarantineRecord] {
        try checkOpen()
        return Array(await storage.content.quarantine.filter(selection.holds).prefix(selection.countMax))
    }

    public func entityCounts() async throws(StorageError) -> [JournalEntityCount] {
        try checkOpen()
        return await storage.content.entityCounts
    }

    private func checkOpen() throws(StorageError) {
        if isClosed { throw StorageError(.closed, "the journal was closed", advice: "open it again") }
    }

    // MARK: Nothing to do without a disk

    public func changeIndexes(
        _ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?
    ) async throws(StorageError) {}

    public func size() async throws(StorageError) -> JournalSize { JournalSize(fileByteCount: 0, usedByteCount: 0) }
    public func byteCount() async -> Int64 { 0 }
    public func shrink() async throws(StorageError) {}
    public func examine() async -> [JournalFinding] { [] }
}

extension DictionaryJournal {
    /// The place where a journal's content lives: it outlives the journal, and the next one continues with it.
    public actor Storage {
        fileprivate private(set) var content = Content()

        public init() {}

        /// Applies a flush whole, or not at all: the changes are made to a copy.
        fileprivate func commit(_ flush: FlushBatch) throws(StorageError) {
            var next = content
            try next.apply(flush)
            content = next
        }

        fileprivate func clear() { content = Content() }
    }
}
