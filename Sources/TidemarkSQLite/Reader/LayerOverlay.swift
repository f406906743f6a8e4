import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// The pending layers of one snapshot, by the entities that they cover.
///
/// Bounded by the limits of a writer: ``/TidemarkModel/Limits/layerCountMax`` layers of
/// ``/TidemarkModel/Limits/layerByteCountMax`` bytes.
struct LayerOverlay {
    /// The layers that pass their check, oldest first.
    private(set) var records: [LayerRecord] = []
    private(set) var damaged: [DamagedRow] = []
    private var coverings: [StoredKey: Covering] = [:]
    /// The keys of `coverings`, by library and type, in no order.
    private var keys: [KeyScope: [StoredKey]] = [:]

    /// A library and a type, by which covered entities are found.
    private struct KeyScope: Hashable {
        var library: LibraryIndex
        var type: TypeIndex
    }

    /// What the layers change of one entity.
    private struct Covering {
        /// The changes in the order in which they apply.
        var changes: [LayerChange] = []
        /// The time when the newest layer was created, in milliseconds since 1970.
        var writtenAt: Int64 = 0
    }

    /// Creates an overlay without layers.
    init() {}

    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(bytes of the layers).
    init(_ connection: OpaquePointer, _ names: ReadNames) throws {
        // The version is read again in each snapshot, because a writer may upgrade the file beside the reader.
        guard try DataFileSchema.version(connection) >= 3 else { return }
        var numbers = LayerNames(libraries: names.libraries, types: names.types)
        try LayerTable.forEach(connection, &numbers) { row in
            switch row {
            case .record(let record): records.append(record)
            // Both affect only what is sent to a server.
            case .sent, .renaming: break
            case .damaged(let row): damaged.append(row)
            }
            return true
        }
        for record in records {
            for change in record.changes {
                if coverings[change.key] == nil {
                    keys[KeyScope(library: change.key.library, type: change.key.type), default: []].append(change.key)
                }
                coverings[change.key, default: Covering()].changes.append(change)
                coverings[change.key]?.writtenAt = record.createdAt
            }
        }
    }

    /// Returns true if a layer has a change for the entity.
    func covers(_ key: StoredKey) -> Bool {
        coverings[key] != nil
    }

    /// Applies the layers to an entity.
    ///
    /// - Parameter base: The server's version of the entity; nil when there is none that can be used.
    /// - Returns: The visible entity; nil when nothing is visible.
    func visible(_ key: StoredKey, over base: EntitySnapshot?, name: EntityKey) -> EntitySnapshot? {
        guard let covering = coverings[key] else { return base }
        // A forged file can have any payload. A payload that is not an object cannot be folded, and counts as absent.
        let base = base.flatMap { CompactJSON.isObject($0.payload) ? $0 : nil }
        guard let payload = covering.changes.reduce(base?.payload, { LayerFold.apply($1, to: $0) }) else { return nil }
        let isReplaced = covering.changes.contains { if case .put = $0 { true } else { false } }
        return EntitySnapshot(
            key: name, payload: payload, sequence: base?.sequence, writtenAt: base?.writtenAt ?? covering.writtenAt,
            isPending: true, isWhole: isReplaced || base?.isWhole ?? true)
    }

    /// Returns true if a layer deletes the entity. Call it only when nothing is visible.
    func deletes(_ key: StoredKey) -> Bool {
        coverings[key]?.changes.contains { if case .delete = $0 { true } else { false } } ?? false
    }

    /// Returns the covered entities of one type after an id, in the order of their ids' text.
    func keys(library: LibraryIndex, type: TypeIndex, after id: ByteString?) -> [StoredKey] {
        let keys = keys[KeyScope(library: library, type: type)] ?? []
        return keys.map { (key: $0, text: $0.id.text) }.filter { entry in id.map { $0 < entry.text } ?? true }
            .sorted { $0.text < $1.text }.map(\.key)
    }

    /// Returns the numbers of the layers that patch a deleted entity.
    ///
    /// - Parameters:
    ///   - isStored: Returns true if the server's version is stored. Called at most once for each entity.
    ///   - isDeleted: Returns true if the entity has a tombstone.
    func orphans(
        isStored: (StoredKey) throws -> Bool, isDeleted: (StoredKey) throws -> Bool
    ) rethrows -> Set<Int64> {
        // True for an entity that the changes read so far leave visible, false for one that they delete.
        var isShown: [StoredKey: Bool] = [:]
        var orphans: Set<Int64> = []
        for record in records {
            for change in record.changes {
                let key = change.key
                let isBelow = try isShown[key] ?? isStored(key)
                switch change {
                case .put: isShown[key] = true
                case .delete: isShown[key] = false
                case .patch, .merge, .removeField:
                    isShown[key] = isBelow
                    if !isBelow, try isDeleted(key) { orphans.insert(record.number) }
                }
            }
        }
        return orphans
    }
}
