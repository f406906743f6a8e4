import TidemarkModel
import TidemarkStore

/// Builds flushes by hand, with the numbers that a store would give.
struct SmallCache {
    var flush = FlushBatch()
    private var libraries: [ByteString] = []
    private var types: [ByteString] = []
    private var counts: [Int64] = []
    private var lastRow: Int64 = 0
    private(set) var rows: [EntityKey: Int64] = [:]

    mutating func stored(_ key: EntityKey) -> StoredKey {
        if !libraries.contains(key.library) {
            flush.newLibraries.append((LibraryIndex(libraries.count), key.library))
            libraries.append(key.library)
            counts.append(0)
        }
        if !types.contains(key.type) {
            flush.newTypes.append((TypeIndex(types.count), key.type))
            types.append(key.type)
        }
        return StoredKey(
            library: LibraryIndex(libraries.firstIndex(of: key.library) ?? 0),
            type: TypeIndex(types.firstIndex(of: key.type) ?? 0), id: StoredID(key.id))
    }

    mutating func put(_ key: EntityKey, _ json: String, sequence: Int64? = 1) {
        let stored = stored(key)
        let isNew = rows[key] == nil
        if isNew {
            lastRow += 1
            rows[key] = lastRow
            counts[Int(stored.library)] += 1
        }
        append(key, stored, isNew ? .insert : .update, Array(json.utf8), sequence)
    }

    mutating func stamp(_ key: EntityKey, sequence: Int64?) {
        append(key, stored(key), .stamp, [], sequence)
    }

    mutating func delete(_ key: EntityKey, sequence: Int64) {
        let stored = stored(key)
        append(key, stored, .delete, [], sequence)
        rows[key] = nil
        counts[Int(stored.library)] -= 1
        flush.tombstones.append(
            FlushTombstone(
                key: stored,
                tombstone: Tombstone(sequence: EventSequence(sequence), generation: 0, deletedAt: 1_700_000_000_000)))
    }

    /// Removes an entity without a tombstone, as an eviction does.
    mutating func evict(_ key: EntityKey) {
        let stored = stored(key)
        append(key, stored, .delete, [], nil)
        rows[key] = nil
        counts[Int(stored.library)] -= 1
    }

    /// Clears a library; the flush must have no other change yet.
    mutating func clear(library: ByteString) {
        guard let index = libraries.firstIndex(of: library) else { return }
        flush.clearedLibraries.append(LibraryIndex(index))
        rows = rows.filter { $0.key.library != library }
        counts[index] = 0
    }

    private mutating func append(
        _ key: EntityKey, _ stored: StoredKey, _ change: FlushRow.Change, _ payload: [UInt8], _ sequence: Int64?
    ) {
        let isUUID = if case .uuid = stored.id { true } else { false }
        let id = if case .uuid(let value) = stored.id { value.bytes } else { key.id.bytes }
        let idOffset = flush.bytes.count
        flush.bytes += id + payload
        flush.rows.append(
            FlushRow(
                row: rows[key] ?? 0, change: change, library: stored.library, type: stored.type, isUUID: isUUID,
                idOffset: idOffset, idCount: id.count, payloadOffset: idOffset + id.count, payloadCount: payload.count,
                sequence: sequence.map { EventSequence($0) }, generation: 0, writtenAt: 1_700_000_000_000))
    }

    /// Returns the flush so far, with the libraries' counts, and begins a new one.
    mutating func take() -> FlushBatch {
        flush.libraries = libraries.indices.map {
            LibraryRecord(
                index: LibraryIndex($0), name: libraries[$0], epoch: nil, generation: 0, cursor: EventSequence(9),
                isStale: false, lost: [], entityCount: counts[$0])
        }
        flush.rows.sort { $0.row < $1.row }
        defer { flush = FlushBatch() }
        return flush
    }
}
