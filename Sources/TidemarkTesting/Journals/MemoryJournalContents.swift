import Tidemark
import TidemarkModel
import TidemarkStore

/// The content of a ``MemoryJournal``: the simplest implementation of a flush.
struct MemoryJournalContents: Sendable {
    private(set) var entities: [StoredKey: StoredEntity] = [:]
    /// The keys of reduced entities, which have only the fields that stay.
    private var reduced: Set<StoredKey> = []
    private(set) var evicted: [EvictedRecord] = []
    private(set) var quarantine: [QuarantineRecord] = []
    private var rows: [Int64: StoredKey] = [:]
    private var libraries: [LibraryRecord] = []
    private var types: [ByteString] = []
    private var tombstones: [(key: StoredKey, tombstone: Tombstone)] = []
    private var takenAt: Int64?
    private var counts = EventCounts()
    private var ignoredKinds: [ByteString: Int64] = [:]
    private var lastQuarantine: Int64 = 0
    private(set) var queries: [Int64: QueryRecord] = [:]
    private var lastQuery: Int64 = 0
    private var layers: [Int64: LayerRecord] = [:]
    private var sentRequests: [Int64: LayerRecord] = [:]
    private var renamings: [Int64: RenamingRecord] = [:]
    private(set) var records: [ByteString: [ByteString: [UInt8]]] = [:]

    var recovered: RecoveredState {
        var state = RecoveredState()
        state.libraries = libraries
        state.types = types
        state.tombstones = tombstones
        state.lastRow = rows.keys.max() ?? 0
        state.queries = queries.values.sorted { $0.number < $1.number }
        state.lastQuery = lastQuery
        state.layers = layers.values.sorted { $0.number < $1.number }
        state.sentRequests = sentRequests.values.sorted { $0.number < $1.number }
        state.renamings = renamings.values.sorted { $0.number < $1.number }
        state.evicted = evicted
        state.counts = counts
        state.lastTakenAt = takenAt
        state.ignoredKinds = ignoredKinds
        return state
    }

    /// Applies a flush.
    ///
    /// - Throws: ``/Tidemark/StorageError`` `.damaged` when the flush contradicts the stored content. The caller must
    ///   then discard all changes.
    mutating func apply(_ flush: FlushBatch, quarantineRecordCountMax: Int) throws(StorageError) {
        if flush.attached.contains(where: { $0 is DerivedRecordsRemoval }) {
            records = records.filter { !RecordChange.isDerived($0.key) }
        }
        for case let change as RecordChange in flush.attached {
            records[change.kind, default: [:]][change.key] = change.body
        }
        for library in flush.clearedLibraries {
            rows = rows.filter { $0.value.library != library }
            entities = entities.filter { $0.key.library != library }
            tombstones.removeAll { $0.key.library == library }
        }
        for row in flush.rows where row.change == .delete {
            // A journal without row numbers removes by key alone, so the key must not belong to another entity by now.
            let stored = flush.bytes.withUnsafeBytes { entities[row.storedKey(id: row.id(in: $0))] }
            if let stored, stored.row != row.row {
                throw contradiction("row \(stored.row): it is removed as \(row.row)")
            }
            guard let key = rows.removeValue(forKey: row.row) else { continue }
            entities[key] = nil
        }
        for row in flush.rows where row.change != .delete { try apply(row, flush.bytes) }
        for (index, name) in flush.newTypes {
            guard Int(index) == types.count else { throw contradiction("type \(index)") }
            types.append(name)
        }
        for (index, name) in flush.newLibraries {
            guard Int(index) == libraries.count else { throw contradiction("library \(index)") }
            libraries.append(
                LibraryRecord(
                    index: index, name: name, epoch: nil, generation: 0, cursor: nil, isStale: false, lost: [],
                    entityCount: 0))
        }
        for record in flush.libraries {
            guard Int(record.index) < libraries.count else { throw contradiction("library \(record.index)") }
            libraries[Int(record.index)] = record
        }
        if flush.evicted.replacesAll { evicted = [] }
        evicted += flush.evicted.records
        for change in flush.tombstones {
            tombstones.removeAll { $0.key == change.key }
            if let tombstone = change.tombstone { tombstones.append((change.key, tombstone)) }
        }
        quarantine.removeAll { record in record.number.map { flush.quarantineRemoved.contains($0) } ?? false }
        for var record in flush.quarantine {
            lastQuarantine += 1
            record.number = lastQuarantine
            quarantine.append(record)
        }
        quarantine.removeFirst(max(0, quarantine.count - quarantineRecordCountMax))
        for number in flush.removedQueries { queries[number] = nil }
        for record in flush.queries {
            queries[record.number] = record
            lastQuery = max(lastQuery, record.number)
        }
        for number in flush.removedLayers {
            layers[number] = nil
            sentRequests[number] = nil
            renamings[number] = nil
        }
        for record in flush.sentRequests { sentRequests[record.number] = record }
        for record in flush.renamings { renamings[record.number] = record }
        for record in flush.layers { layers[record.number] = record }
        if let counts = flush.counts { self.counts = counts }
        if let takenAt = flush.takenAt { self.takenAt = takenAt }
        if let kinds = flush.ignoredKinds { ignoredKinds.merge(kinds) { $1 } }
    }

    func page(library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int) -> [StoredEntity] {
        let ofType = entities.values.filter { entity in
            entity.key.library == library && entity.key.type == type
                && id.map { $0.text < entity.key.id.text } ?? true
        }
        return Array(ofType.sorted { $0.key.id.text < $1.key.id.text }.prefix(countMax))
    }

    /// Returns the rows after a key, in the order of their numbers.
    func rows(after key: StoredKey?, countMax: Int) -> [StoredRowAge] {
        let behind = key.flatMap { entities[$0]?.row } ?? 0
        return entities.values.filter { $0.row > behind }.sorted { $0.row < $1.row }.prefix(countMax).map {
            StoredRowAge(
                stored: StoredRow(key: $0.key, row: $0.row), writtenAt: $0.writtenAt,
                isReduced: reduced.contains($0.key))
        }
    }

    /// The size of all payloads in bytes.
    var byteCount: Int64 { entities.values.reduce(0) { $0 + Int64($1.payload.count) } }

    private mutating func apply(_ row: FlushRow, _ bytes: [UInt8]) throws(StorageError) {
        let idBytes = Array(bytes[row.idOffset..<row.idOffset + row.idCount])
        let uuid = row.isUUID ? idBytes.withUnsafeBytes { UUIDValue(bytes: $0) } : nil
        let key = StoredKey(
            library: row.library, type: row.type, id: uuid.map { .uuid($0) } ?? .text(ByteString(idBytes)))
        switch row.change {
        case .insert:
            guard rows[row.row] == nil else { throw contradiction("row \(row.row)") }
            if let taken = entities[key] { rows[taken.row] = nil }
        case .update, .stamp:
            guard rows[row.row] == key else { throw contradiction("row \(row.row)") }
        case .delete:
            return
        }
        let payload =
            row.change == .stamp
            ? entities[key]?.payload ?? [] : bytes.withUnsafeBytes { Array(row.payload(in: $0)) }
        rows[row.row] = key
        if row.isReduced { reduced.insert(key) } else { reduced.remove(key) }
        entities[key] = StoredEntity(
            key: key, row: row.row, payload: payload,
            fields: Array(bytes[row.fieldsOffset..<row.fieldsOffset + row.fieldsCount]), sequence: row.sequence,
            generation: row.generation,
            writtenAt: row.writtenAt)
    }

    private func contradiction(_ what: String) -> StorageError {
        StorageError(.damaged, "a flush contradicts the stored \(what)", advice: "this is a bug in the writer")
    }
}
