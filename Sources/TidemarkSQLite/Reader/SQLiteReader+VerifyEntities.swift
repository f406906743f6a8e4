import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    func checkEntities(
        _ connection: OpaquePointer, _ report: inout VerifyReport, _ isValid: @escaping @Sendable ([UInt8]) -> Bool
    ) throws {
        let names = try ReadNames(connection)
        for number in names.damagedDictionaries {
            report.add(.damaged(DamagedRow(row: number, kind: .dictionary, fault: .checksumMismatch)))
        }
        let check = EntityCheck(names, try FieldIndexCheck(connection, names, &report), isValid)
        if let blocks = try blocks(connection) {
            try BlockCheck(connection, try blocks.snapshot(), names).look(check, &report)
            try check.indexes.finish(blocks, &report)
        } else {
            try checkRows(connection, check, &report)
        }
        for record in try LibraryTable.read(connection) where record.entityCount != check.counts[Int(record.index)] {
            report.add(
                .entityCount(
                    library: record.name, recorded: record.entityCount, stored: check.counts[Int(record.index)]))
        }
        // Opening reads all tombstones, so one that opening would refuse is found here first.
        _ = try TombstoneTable.read(connection, libraryCount: .max, typeCount: .max)
        let entities = try entities(connection)
        try PreparedStatement(connection, "SELECT library, type, id FROM tombstones").forEachRow { row in
            guard let key = row.storedKey(from: 0), let name = names.entityKey(key) else { return }
            if try entities.contains(key) { report.add(.tombstoneOfLiving(name)) }
        }
    }

    private func checkRows(_ connection: OpaquePointer, _ check: EntityCheck, _ report: inout VerifyReport) throws {
        var seen = RowSet()
        var batch = try EntityBatch(connection)
        var keys: [(key: StoredKey, name: EntityKey, row: Int64)] = []
        func checkKeys() throws {
            let taken = keys
            keys = []
            batch.read(taken.lazy.map(\.row))
            for (index, key) in taken.enumerated() {
                try batch.record(index) { record in
                    let answer = EntityReader.answer(record, key: key.key, decoder, check.names.dictionaries)
                    try check.check(key.key, key.name, row: record.row, answer, &report)
                }
            }
        }
        do {
            try PreparedStatement(connection, #"SELECT library, type, id, "row" FROM keys"#).forEachRow { row in
                let number = row.integer(3)
                if !seen.insert(number) { report.add(.sharedRow(row: number)) }
                guard let key = row.storedKey(from: 0), let name = check.names.entityKey(key) else {
                    report.add(.unnamedKey(row: number))
                    return
                }
                keys.append((key, name, number))
                if keys.count == EntityBatch.rowCountMax { try checkKeys() }
            }
        } catch {
            // The keys before the damage are still checked.
            try checkKeys()
            throw error
        }
        try checkKeys()
        batch.release()
        try check.indexes.finish(entities(connection), &report)
        try PreparedStatement(connection, #"SELECT "row" FROM entities"#).forEachRow { row in
            if !seen.contains(row.integer(0)) { report.add(.rowWithoutKey(row: row.integer(0))) }
        }
    }
}

/// Checks entities one by one, and counts those of each library. Owner: one call on one snapshot.
final class EntityCheck {
    let names: ReadNames
    let indexes: FieldIndexCheck
    private let isValid: @Sendable ([UInt8]) -> Bool
    /// The number of stored entities of each library, sound or damaged.
    private(set) var counts: [Int64]

    init(_ names: ReadNames, _ indexes: FieldIndexCheck, _ isValid: @escaping @Sendable ([UInt8]) -> Bool) {
        self.names = names
        self.indexes = indexes
        self.isValid = isValid
        counts = [Int64](repeating: 0, count: names.libraries.count)
    }

    /// Adds entities of a library that another check has counted.
    func count(_ count: Int64, in library: LibraryIndex) {
        if count > 0 { counts[Int(library)] += count }
    }

    /// Checks an entity and its index values.
    ///
    /// - Parameter row: The number by which damage is reported: that of the entity's row, or of its block.
    func check(
        _ key: StoredKey, _ name: EntityKey, row: Int64, _ answer: EntityReader.Answer, _ report: inout VerifyReport
    ) throws {
        counts[Int(key.library)] += 1
        let entity = add(answer, name, row: row, to: &report)
        try indexes.check(key, row: row, entity: entity, name: name, &report)
    }

    /// Checks an entity alone. Several threads may call it at once.
    func add(
        _ answer: EntityReader.Answer, _ name: EntityKey, row: Int64, to report: inout VerifyReport
    ) -> StoredEntity? {
        switch answer {
        case .found(let entity):
            guard isValid(entity.payload) else {
                report.add(.damaged(DamagedRow(key: name, row: row, fault: .notJSON)))
                return entity
            }
            report.entityCount += 1
            report.payloadByteCount += Int64(entity.payload.count)
            report.digest.add(name, payload: entity.payload)
            return entity
        case .absent:
            report.add(.damaged(DamagedRow(key: name, row: row, fault: .notJSON)))
        case .damaged(_, let fault):
            report.add(.damaged(DamagedRow(key: name, row: row, fault: fault)))
        }
        return nil
    }
}
