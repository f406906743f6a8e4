import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// Adds indexes, builds them over the stored entities, and drops them.
extension JournalDatabase {
    /// How many entities one transaction reads, or how many rows it removes. It bounds the log, and the work that is
    /// repeated after a kill.
    private static let sliceCountMax = 10_000

    /// Makes the requested changes, and finishes those that an earlier writer did not finish.
    ///
    /// - Throws: ``/Tidemark/StorageError`` `.limitExceeded`, ``SQLiteError``. Changes made before the error stay.
    /// - Complexity: O(indexes) when there is nothing to do, else O(entities of the types · log n).
    func changeIndexes(_ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?) throws {
        try dropIndexes(changes.dropped)
        try addIndexes(changes.added)
        for record in memory.indexes where record.state == .building { try build(record, progress: progress) }
    }

    // MARK: Dropping

    private func dropIndexes(_ dropped: [FieldIndex]) throws {
        let statements = try openStatements()
        for record in memory.indexes where record.state != .dropping {
            guard let index = record.index, dropped.contains(index) else { continue }
            var going = record
            going.state = .dropping
            try change(record, to: going)
        }
        let gone = memory.indexes.filter { $0.state == .dropping }.map(\.number) + memory.damagedIndexes
        for number in gone {
            while try transaction({
                try statements.fieldValues.removeSlice(number: number, countMax: Self.sliceCountMax)
            }) > 0 {}
            try transaction { try statements.fieldIndexes.remove(number: number) }
            memory.setIndexes(memory.indexes.filter { $0.number != number })
        }
        memory.damagedIndexes = []
    }

    // MARK: Adding

    private func addIndexes(_ added: [FieldIndex]) throws {
        var records = memory.indexes
        for index in added where !records.contains(where: { $0.index == index }) {
            guard
                let number = (0..<Int64(FieldIndex.countMax)).first(where: { number in
                    !records.contains { $0.number == number }
                })
            else {
                throw StorageError(
                    .limitExceeded,
                    "\(file.path) has \(records.count) indexes, and \(index) would be one more than it may have",
                    advice: "drop one with --drop-index")
            }
            let path: FieldPath
            do throws(MembershipError) {
                path = try FieldPath(index.path)
            } catch {
                // No input reaches it: the initializer of `FieldIndex` refuses a path that is not a pointer.
                preconditionFailure("the path of \(index) was a pointer when it was declared")
            }
            let isEmpty = memory.typeNames.firstIndex(of: index.type) == nil
            records.append(
                FieldIndexRecord(number: number, type: index.type, path: path, state: isEmpty ? .whole : .building))
        }
        let known = Set(memory.indexes.map(\.number))
        let new = records.filter { !known.contains($0.number) }
        guard !new.isEmpty else { return }
        let table = try openStatements().fieldIndexes
        try transaction { for record in new { try table.write(record) } }
        memory.setIndexes(records.sorted { $0.number < $1.number })
    }

    // MARK: Building

    /// Builds an index from the entities of its type. Each transaction writes one slice and the position that it
    /// reached. Flushes maintain an incomplete index, too, so a flush between two slices does no harm.
    private func build(_ record: FieldIndexRecord, progress: (@Sendable (FieldIndexProgress) -> Void)?) throws {
        let statements = try openStatements()
        guard let type = memory.typeNames.firstIndex(of: record.type).map({ TypeIndex($0) }) else {
            var whole = record
            whole.state = .whole
            return try change(record, to: whole)
        }
        let total = progress == nil ? 0 : try entityCounts().filter { $0.type == type }.reduce(0) { $0 + $1.count }
        var done = progress == nil ? 0 : try builtCount(record)
        var record = record
        while record.state == .building {
            var next = record
            let count = try readingKeys {
                try transaction {
                    next = record
                    var count = 0
                    // One slice may cover many small libraries.
                    while next.state == .building, count < Self.sliceCountMax {
                        count += try buildSlice(&next, type: type, countMax: Self.sliceCountMax - count, statements)
                    }
                    try statements.fieldIndexes.write(next)
                    return count
                }
            }
            try adopt(next)
            record = next
            done += Int64(count)
            if let progress, let index = record.index {
                progress(FieldIndexProgress(index: index, entityCount: min(done, total), totalCount: total))
            }
        }
    }

    /// Builds one slice.
    ///
    /// - Parameter record: Receives the position reached, or the state `whole` after the last library.
    /// - Returns: The number of keys that were read.
    private func buildSlice(
        _ record: inout FieldIndexRecord, type: TypeIndex, countMax: Int, _ statements: JournalStatements
    ) throws -> Int {
        let library = record.built?.library ?? 0
        guard Int(library) < memory.libraryNames.count else {
            record.state = .whole
            record.built = nil
            return 0
        }
        var count = 0
        try forEach(library, type, after: record.built?.id, countMax: countMax, statements) { key, answer in
            count += 1
            record.built = (library, key.id)
            // An entity that fails its check counts as absent, also in the index.
            if case .found(let entity) = answer { try write(entity, record, statements) }
        }
        if count < countMax {
            // The next library begins before its first id.
            record.built = (library.successor, .text(""))
        }
        return count
    }

    /// Visits the entities of a type after an id: in the order of the table `keys`, or, in a file of blocks, in the
    /// order of the ids' text.
    private func forEach(
        _ library: LibraryIndex, _ type: TypeIndex, after id: StoredID?, countMax: Int,
        _ statements: JournalStatements, _ visit: (StoredKey, EntityReader.Answer) throws -> Void
    ) throws {
        guard statements.layout == .rows else {
            var rest = countMax
            _ = try statements.entities.reads.forEach(
                library: library, type: type, after: id?.text, expectedCount: countMax, memory.dictionaries
            ) { key, answer in
                try visit(key, answer)
                rest -= 1
                return rest > 0
            }
            return
        }
        let rows = try PreparedStatement(
            statements.connection,
            """
            SELECT k.id, k."row", e.sequence, e.generation, e.written_at, e.body FROM keys k
            LEFT JOIN entities e ON e."row" = k."row" WHERE k.library = ?1 AND k.type = ?2 AND k.id > ?3
            ORDER BY k.id LIMIT ?4
            """)
        rows.bind(1, Int64(library))
        rows.bind(2, Int64(type))
        switch id {
        case .uuid(let value): rows.bind(3, blob: value.bytes)
        case .text(let text): rows.bind(3, text: text)
        case nil: rows.bind(3, text: "")
        }
        rows.bind(4, Int64(countMax))
        try rows.forEachRow { row in
            guard let id = row.storedID(0) else { throw SQLiteError.damaged("a key's blob is no UUID") }
            let key = StoredKey(library: library, type: type, id: id)
            try visit(
                key, EntityReader.answer(row, from: 1, key: key, statements.decoder, memory.dictionaries))
        }
    }

    private func write(_ entity: StoredEntity, _ record: FieldIndexRecord, _ statements: JournalStatements) throws {
        let isUUID: Bool
        let id: [UInt8]
        switch entity.key.id {
        case .uuid(let value): (isUUID, id) = (true, value.bytes)
        case .text(let text): (isUUID, id) = (false, text.bytes)
        }
        try id.withUnsafeBytes { id in
            try entity.payload.withUnsafeBytes { payload in
                try statements.fieldValues.write(
                    FieldOwner(row: entity.row, library: entity.key.library, isUUID: isUUID, id: id),
                    payload: payload, Completeness(fields: entity.fields), of: [record], isNew: true)
            }
        }
    }

    /// Counts the rows that an earlier writer built.
    private func builtCount(_ record: FieldIndexRecord) throws -> Int64 {
        guard record.built != nil else { return 0 }
        return try openStatements().fieldValues.count(number: record.number)
    }

    // MARK: Records

    private func change(_ record: FieldIndexRecord, to next: FieldIndexRecord) throws {
        let table = try openStatements().fieldIndexes
        try transaction { try table.write(next) }
        try adopt(next)
    }

    private func adopt(_ next: FieldIndexRecord) throws {
        memory.setIndexes(memory.indexes.map { $0.number == next.number ? next : $0 })
    }

    private func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try queue.writeWithoutTransaction { db in
            var result: Result?
            try db.inTransaction(.immediate) {
                result = try body()
                return .commit
            }
            guard let result else { throw closed }
            return result
        }
    }
}
