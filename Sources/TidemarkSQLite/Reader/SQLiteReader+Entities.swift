import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Reads one entity as the server has it, without pending layers.
    ///
    /// - Throws: ``/Tidemark/StorageError``. A damaged row is not an error but an answer.
    /// - Complexity: O(log n).
    public func entity(_ key: EntityKey) throws(StorageError) -> ReadAnswer {
        try snapshot { connection in
            let names = try ReadNames(connection)
            guard let stored = names.storedKey(key) else { return .absent }
            let answer = try answer(connection, stored, key, names)
            if case .found(let entity) = answer, !entity.isWhole { return .evicted }
            return answer
        }
    }

    /// Reads one entity as a user sees it, with all pending layers applied.
    ///
    /// - Throws: ``/Tidemark/StorageError``. A damaged row is not an error but an answer.
    /// - Complexity: O(log n), and O(bytes of the layers).
    public func visibleEntity(_ key: EntityKey) throws(StorageError) -> VisibleAnswer {
        try snapshot { connection in
            let names = try ReadNames(connection)
            let overlay = try LayerOverlay(connection, names)
            guard let stored = names.storedKey(key) else {
                return VisibleAnswer(answer: .absent, isPending: false, damagedLayers: overlay.damaged)
            }
            var answer = try answer(connection, stored, key, names)
            var base: EntitySnapshot?
            if case .found(let entity) = answer { base = entity }
            if let visible = overlay.visible(stored, over: base, name: key) {
                answer = visible.isWhole ? .found(visible) : .evicted
            } else if base != nil || overlay.deletes(stored) {
                answer = .deleted
            }
            return VisibleAnswer(
                answer: answer, sequence: base?.sequence, isPending: overlay.covers(stored),
                damagedLayers: overlay.damaged)
        }
    }

    private func answer(
        _ connection: OpaquePointer, _ stored: StoredKey, _ key: EntityKey, _ names: ReadNames
    ) throws -> ReadAnswer {
        switch try entities(connection).read(stored, names.dictionaries) {
        case .found(let entity): .found(EntitySnapshot(entity, key: key))
        case .damaged(let row, let fault): .damaged(DamagedRow(key: key, row: row, fault: fault))
        case .absent:
            try SQLiteReader.hasTombstone(connection, stored)
                ? .deleted : EvictedTable.contains(connection, stored) ? .evicted : .absent
        }
    }
}

extension EntitySnapshot {
    init(_ entity: StoredEntity, key: EntityKey) {
        self.init(key: key, payload: entity.payload, sequence: entity.sequence, writtenAt: entity.writtenAt)
        isWhole = Completeness(fields: entity.fields) == .whole
    }
}
