import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads of entities and of their rows, and the indexes that make them quick.
extension SQLiteJournal {
    /// Reads entities by key, in no order. Damaged rows are listed separately.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func load(_ keys: [StoredKey]) throws(StorageError) -> LoadedEntities {
        try perform { try $0.load(keys) }
    }

    /// Reads one entity. In a file of blocks it runs beside a commit, and then returns the entity as it was before.
    ///
    /// - Returns: nil when the entity is not stored or is damaged.
    /// - Throws: ``/Tidemark/StorageError``.
    @concurrent public nonisolated func read(_ key: StoredKey) async throws(StorageError) -> StoredEntity? {
        // Work that runs in the caller's order has no thread of its own for reads either.
        if configuration.enqueue == nil, configuration.concurrentReads.readsBlocks {
            switch configuration.concurrentReads.read(key) {
            case .found(let entity): return entity
            case .absent: return nil
            case .damaged, nil: break
            }
        }
        return try await load([key]).entities.first
    }

    /// Reads one entity on the caller's thread, beside a commit.
    ///
    /// - Returns: nil when it is damaged or cannot be read now.
    package nonisolated func readImmediately(_ key: StoredKey) -> ImmediateRead? {
        switch configuration.concurrentReads.read(key) {
        case .found(let entity): .found(entity)
        case .absent: .absent
        case .damaged, nil: nil
        }
    }

    /// Finds the rows of entities without reading their bodies, in no order. Damaged rows are included, missing ones
    /// left out.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func find(_ keys: [StoredKey]) throws(StorageError) -> [StoredRow] {
        try perform { try $0.find(keys) }
    }

    /// Reads entities of one type in the order of their ids' text.
    ///
    /// - Parameters:
    ///   - library: The library of the entities.
    ///   - type: The type of the entities.
    ///   - id: The id after which the page begins, which need not be stored; nil to begin with the first entity.
    ///   - countMax: The most entities to return, at least 1.
    ///   - constraint: A condition that the caller tests on each entity. With a fitting index, entities that cannot
    ///     meet it are left out; nil returns all.
    /// - Returns: The entities, and damaged rows separately. Both are empty at the end.
    /// - Throws: ``/Tidemark/StorageError``.
    public func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) throws(StorageError) -> LoadedEntities {
        try perform { try $0.page(library: library, type: type, after: id, countMax: countMax, constraint: constraint) }
    }

    /// Returns the ages of rows in a fixed order, for eviction.
    ///
    /// - Parameters:
    ///   - key: The key after which the rows begin, which need not be stored; nil to begin with the first row.
    ///   - countMax: The most rows to return. Fewer are returned only at the end.
    /// - Throws: ``/Tidemark/StorageError``.
    public func rows(after key: StoredKey?, countMax: Int) throws(StorageError) -> [StoredRowAge] {
        try perform { try $0.rows(after: key, countMax: countMax) }
    }

    /// Removes field indexes, builds missing ones, and continues the work that an earlier writer left unfinished.
    ///
    /// - Parameters:
    ///   - changes: The indexes to add and to remove.
    ///   - progress: Called now and then while entities are read; nil for no reports.
    /// - Throws: ``/Tidemark/StorageError``; `.limitExceeded` beyond ``/Tidemark/FieldIndex/countMax``.
    public func changeIndexes(
        _ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?
    ) throws(StorageError) {
        try perform { try $0.changeIndexes(changes, progress: progress) }
    }
}
