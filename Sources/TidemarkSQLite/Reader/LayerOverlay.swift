import TidemarkModel
import TidemarkStore

/// The layers of one snapshot, by the entities that they cover.
///
/// Bound: what a writer takes, ``TidemarkModel/Limits/layerCountMax`` layers of
/// ``TidemarkModel/Limits/layerByteCountMax`` bytes.
struct LayerOverlay {
    /// Oldest first, those that pass their check.
    private(set) var records: [LayerRecord] = []
    private(set) var damaged: [DamagedRow] = []
    private var coverings: [StoredKey: Covering] = [:]
    /// Keys of `coverings`, by library and type, in no order.
    private var keys: [[UInt16]: [StoredKey]] = [:]

    private struct Covering {
        /// In the order in which they apply.
        var changes: [LayerChange] = []
        /// When the newest layer was made.
        var writtenAt: Int64 = 0
    }

    /// No layers.
    init() {}

    /// - Throws: ``SQLiteFailure``.
    /// - Complexity: O(bytes of the layers).
    init(_ connection: OpaquePointer, _ names: ReadNames) throws {
        // Asked anew in each snapshot: a writer may upgrade the file beside the reader.
        guard try DataFileSchema.version(connection) >= 3 else { return }
        var numbers = LayerNames(libraries: names.libraries, types: names.types)
        try LayerTable.forEach(connection, &numbers) { row in
            switch row {
            case .record(let record): records.append(record)
            case .damaged(let row): damaged.append(row)
            }
            return true
        }
        for record in records {
            for change in record.changes {
                if coverings[change.key] == nil {
                    keys[[change.key.library, change.key.type], default: []].append(change.key)
                }
                coverings[change.key, default: Covering()].changes.append(change)
                coverings[change.key]?.writtenAt = record.createdAt
            }
        }
    }

    /// Whether a layer has a change for it.
    func covers(_ key: StoredKey) -> Bool {
        coverings[key] != nil
    }

    /// - Parameter base: What the server said; nil: nothing that can be used.
    /// - Returns: What is visible; nil: nothing.
    func visible(_ key: StoredKey, over base: ReadEntity?, name: EntityKey) -> ReadEntity? {
        guard let covering = coverings[key] else { return base }
        // A payload of a forged file may be anything; what is no object cannot be folded and counts as nothing.
        let base = base.flatMap { CompactJSON.isObject($0.payload) ? $0 : nil }
        guard let payload = covering.changes.reduce(base?.payload, { LayerFold.apply($1, to: $0) }) else { return nil }
        let isReplaced = covering.changes.contains { if case .put = $0 { true } else { false } }
        return ReadEntity(
            key: name, payload: payload, sequence: base?.sequence, writtenAt: base?.writtenAt ?? covering.writtenAt,
            isPending: true, isWhole: isReplaced || base?.isWhole ?? true)
    }

    /// Whether a layer is what takes it away, when nothing is visible.
    func deletes(_ key: StoredKey) -> Bool {
        coverings[key]?.changes.contains { if case .delete = $0 { true } else { false } } ?? false
    }

    /// Covered entities of one type behind an id, in the order of their ids' text.
    func keys(library: LibraryIndex, type: TypeIndex, after id: ByteString?) -> [StoredKey] {
        let keys = keys[[library, type]] ?? []
        return keys.map { (key: $0, text: $0.id.text) }.filter { entry in id.map { $0 < entry.text } ?? true }
            .sorted { $0.text < $1.text }.map(\.key)
    }

    /// Numbers of the layers of which a patch lies over a deleted entity.
    ///
    /// - Parameters:
    ///   - isStored: Whether the server's data has the entity. Asked once an entity.
    ///   - isDeleted: Whether the entity has a tombstone.
    func orphans(
        isStored: (StoredKey) throws -> Bool, isDeleted: (StoredKey) throws -> Bool
    ) rethrows -> Set<Int64> {
        // Whether something is shown below the change that is looked at.
        var isShown: [StoredKey: Bool] = [:]
        var orphans: Set<Int64> = []
        for record in records {
            for change in record.changes {
                let key = change.key
                let isBelow = try isShown[key] ?? isStored(key)
                switch change {
                case .put: isShown[key] = true
                case .delete: isShown[key] = false
                case .patch, .removeField:
                    isShown[key] = isBelow
                    if !isBelow, try isDeleted(key) { orphans.insert(record.number) }
                }
            }
        }
        return orphans
    }
}
