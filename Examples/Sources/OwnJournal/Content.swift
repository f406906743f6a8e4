import Tidemark
import TidemarkModel
import TidemarkStore

/// The content of a journal, and the rules by which a flush changes it.
struct Content: Sendable {
    private(set) var entities: [StoredKey: StoredEntity] = [:]
    private(set) var quarantine: [QuarantineRecord] = []
    /// The keys by row number.
    private var keys: [Int64: StoredKey] = [:]
    /// The keys of entities of which only some fields are left.
    private var reduced: Set<StoredKey> = []
    private var lastQuarantine: Int64 = 0
    /// Everything that is returned at opening. The last row is computed then.
    private var state = RecoveredState()

    var recovered: RecoveredState {
        var recovered = state
        recovered.lastRow = keys.keys.max() ?? 0
        return recovered
    }

    // MARK: Writing

    /// - Throws: `.damaged` when the flush contradicts the content; the caller then keeps the content as it was.
    mutating func apply(_ flush: FlushBatch) throws(StorageError) {
        for library in flush.clearedLibraries { clear(library) }
        // Removed rows come first: their numbers and keys may be used again in the same flush.
        for row in flush.rows where row.change == .delete {
            if let key = keys.removeValue(forKey: row.row) { entities[key] = nil }
        }
        for row in flush.rows where row.change != .delete { try write(row, flush) }
        try addNames(flush)
        for record in flush.libraries {
            guard state.libraries.indices.contains(Int(record.index.rawValue)) else {
                throw Content.contradiction("library \(record.index)")
            }
            state.libraries[Int(record.index.rawValue)] = record
        }
        writeRecords(flush)
        if let counts = flush.counts { state.counts = counts }
        if let takenAt = flush.takenAt { state.lastTakenAt = takenAt }
        if let kinds = flush.ignoredKinds { state.ignoredKinds = kinds }
    }

    private mutating func clear(_ library: LibraryIndex) {
        entities = entities.filter { $0.key.library != library }
        keys = keys.filter { $0.value.library != library }
        state.tombstones.removeAll { $0.key.library == library }
    }

    private mutating func write(_ row: FlushRow, _ flush: FlushBatch) throws(StorageError) {
        let key = flush.key(of: row)
        switch row.change {
        case .insert:
            guard keys[row.row] == nil else { throw Content.contradiction("row \(row.row)") }
            if let former = entities[key] { keys[former.row] = nil }
        case .update, .stamp:
            guard keys[row.row] == key else { throw Content.contradiction("row \(row.row)") }
        case .delete: return
        }
        keys[row.row] = key
        if row.isReduced { reduced.insert(key) } else { reduced.remove(key) }
        entities[key] = StoredEntity(
            key: key, row: row.row,
            payload: row.change == .stamp ? entities[key]?.payload ?? [] : flush.payload(of: row),
            fields: flush.fields(of: row), sequence: row.sequence, generation: row.generation,
            writtenAt: row.writtenAt)
    }

    private mutating func addNames(_ flush: FlushBatch) throws(StorageError) {
        for (index, name) in flush.newTypes {
            guard Int(index.rawValue) == state.types.count else { throw Content.contradiction("type \(index)") }
            state.types.append(name)
        }
        for (index, name) in flush.newLibraries {
            guard Int(index.rawValue) == state.libraries.count else {
                throw Content.contradiction("library \(index)")
            }
            state.libraries.append(
                LibraryRecord(
                    index: index, name: name, epoch: nil, generation: 0, cursor: nil, isStale: false, lost: [],
                    entityCount: 0))
        }
    }

    private mutating func writeRecords(_ flush: FlushBatch) {
        for change in flush.tombstones {
            state.tombstones.removeAll { $0.key == change.key }
            if let tombstone = change.tombstone { state.tombstones.append((change.key, tombstone)) }
        }
        let queries = Set(flush.removedQueries + flush.queries.map(\.number))
        state.queries.removeAll { queries.contains($0.number) }
        state.queries = (state.queries + flush.queries).sorted { $0.number < $1.number }
        state.lastQuery = max(state.lastQuery, flush.queries.map(\.number).max() ?? 0)
        let layers = Set(flush.removedLayers + flush.layers.map(\.number))
        state.layers.removeAll { layers.contains($0.number) }
        state.layers = (state.layers + flush.layers).sorted { $0.number < $1.number }
        if flush.evicted.replacesAll { state.evicted = [] }
        state.evicted += flush.evicted.records
        quarantine.removeAll { flush.quarantineRemoved.contains($0.number ?? 0) }
        for var record in flush.quarantine {
            lastQuarantine += 1
            record.number = lastQuarantine
            quarantine.append(record)
        }
        // As many as a data file keeps.
        quarantine.removeFirst(max(0, quarantine.count - Limits().quarantineRecordCountMax))
    }

    private static func contradiction(_ part: String) -> StorageError {
        StorageError(.damaged, "a flush contradicts the stored \(part)", advice: "begin a new journal")
    }

    // MARK: Reading

    func page(library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int) -> [StoredEntity] {
        let found = entities.values.filter { entity in
            entity.key.library == library && entity.key.type == type
                && (id.map { $0.text < entity.key.id.text } ?? true)
        }
        return Array(found.sorted { $0.key.id.text < $1.key.id.text }.prefix(countMax))
    }

    func rows(after key: StoredKey?, countMax: Int) -> [StoredRowAge] {
        let last = key.flatMap { entities[$0]?.row } ?? 0
        return entities.values.filter { $0.row > last }.sorted { $0.row < $1.row }.prefix(countMax).map {
            StoredRowAge(
                stored: StoredRow(key: $0.key, row: $0.row), writtenAt: $0.writtenAt,
                isReduced: reduced.contains($0.key))
        }
    }

    var entityCounts: [JournalEntityCount] {
        var counts: [LibraryIndex: [TypeIndex: Int64]] = [:]
        for key in entities.keys { counts[key.library, default: [:]][key.type, default: 0] += 1 }
        return counts.flatMap { library, types in
            types.map { JournalEntityCount(library: library, type: $0.key, count: $0.value) }
        }
    }
}
