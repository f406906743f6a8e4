import Tidemark
import TidemarkModel
import TidemarkStore

/// A journal that stores nothing, so that only the cost of the engine is measured.
struct ForgetfulJournal: Journal {
    func recover() async throws(StorageError) -> RecoveredState { RecoveredState() }
    func changeIndexes(
        _ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?
    ) async throws(StorageError) {}
    func load(_ keys: [StoredKey]) async throws(StorageError) -> LoadedEntities { LoadedEntities() }
    func find(_ keys: [StoredKey]) async throws(StorageError) -> [StoredRow] { [] }
    func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) async throws(StorageError) -> LoadedEntities { LoadedEntities() }
    func rows(after key: StoredKey?, countMax: Int) async throws(StorageError) -> [StoredRowAge] { [] }
    func size() async throws(StorageError) -> JournalSize { JournalSize(fileByteCount: 0, usedByteCount: 0) }
    func shrink() async throws(StorageError) {}
    func commit(_ flush: FlushBatch) async throws(StorageError) {}
    func quarantine(_ selection: QuarantineSelection) async throws(StorageError) -> [QuarantineRecord] { [] }
    func entityCounts() async throws(StorageError) -> [JournalEntityCount] { [] }
    func examine() async -> [JournalFinding] { [] }
    func rebuild() async throws(StorageError) {}
    func restart(reason: String) async throws(StorageError) -> RecoveredState { RecoveredState() }
    func byteCount() async -> Int64 { 0 }
    func close() async throws(StorageError) {}
}
