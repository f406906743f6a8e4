import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Looks for one entity.
    ///
    /// - Throws: ``Tidemark/StorageError``.
    /// - Complexity: O(log n).
    public func entity(_ key: EntityKey) throws(StorageError) -> ReadAnswer {
        try snapshot { connection in
            let names = try ReadNames(connection)
            guard let stored = names.storedKey(key) else { return .absent }
            switch try EntityReader(connection).read(stored, decoder, names.dictionaries) {
            case .found(let entity):
                return .found(ReadEntity(entity, key: key))
            case .damaged(let row, let fault):
                return .damaged(DamagedRow(key: key, row: row, fault: fault))
            case .absent:
                let tombstone = try PreparedStatement(
                    connection, "SELECT 1 FROM tombstones WHERE library = ? AND type = ? AND id = ?")
                tombstone.bind(stored, from: 1)
                defer { tombstone.reset() }
                return try tombstone.step() ? .deleted : .absent
            }
        }
    }

    /// Walks entities in key order: libraries by bytes, then `type:id` by bytes.
    ///
    /// - Parameters:
    ///   - library: Only this one; nil for all.
    ///   - type: Only this one; nil for all.
    ///   - after: Begin behind this key, which need not be stored.
    ///   - limit: Steps at most.
    ///   - visit: Called for each; returns false to stop. Nothing is collected meanwhile.
    /// - Throws: ``Tidemark/StorageError``.
    /// - Complexity: O(log n) to begin, O(1) a step, whatever the number of entities.
    public func walk(
        library: ByteString? = nil, type: ByteString? = nil, after: EntityKey? = nil, limit: Int = .max,
        _ visit: (ReadStep) throws -> Bool
    ) throws(StorageError) {
        try snapshot { connection in
            let names = try ReadNames(connection)
            let rows = try EntityRangeReader(connection)
            // A type's keys begin with its name and a colon, which is how `a-b:` comes before `a:`.
            let types = names.types.indices.filter { type == nil || names.types[$0] == type }
                .sorted { names.types[$0].bytes + [58] < names.types[$1].bytes + [58] }
            var rest = limit
            for libraryIndex in names.libraries.indices.sorted(by: { names.libraries[$0] < names.libraries[$1] }) {
                let name = names.libraries[libraryIndex]
                if let library, name != library { continue }
                if let after, name < after.library { continue }
                for typeIndex in types {
                    var start: ByteString?
                    if let after, after.library == name {
                        if names.types[typeIndex] == after.type {
                            start = after.id
                        } else if names.types[typeIndex].bytes + [58] < after.type.bytes + [58] {
                            continue
                        }
                    }
                    let goesOn = try rows.forEach(
                        library: LibraryIndex(libraryIndex), type: TypeIndex(typeIndex), after: start
                    ) { key, row in
                        guard rest > 0 else { return false }
                        rest -= 1
                        return try visit(step(key, row, names))
                    }
                    guard goesOn, rest > 0 else { return }
                }
            }
        }
    }

    private func step(_ key: StoredKey, _ row: PreparedStatement, _ names: ReadNames) -> ReadStep {
        let name = names.entityKey(key)
        switch EntityReader.answer(row, from: 1, key: key, decoder, names.dictionaries) {
        case .found(let entity):
            if let name { return .entity(ReadEntity(entity, key: name)) }
            return .damaged(DamagedRow(key: nil, row: entity.row, fault: .rowMissing))
        case .damaged(let row, let fault): return .damaged(DamagedRow(key: name, row: row, fault: fault))
        case .absent: return .damaged(DamagedRow(key: name, row: 0, fault: .rowMissing))
        }
    }
}

extension [UInt8] {
    fileprivate static func < (left: [UInt8], right: [UInt8]) -> Bool {
        left.lexicographicallyPrecedes(right)
    }
}

extension ReadEntity {
    init(_ entity: StoredEntity, key: EntityKey) {
        self.init(key: key, payload: entity.payload, sequence: entity.sequence, writtenAt: entity.writtenAt)
    }
}
