import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads of a cache in its own file.
extension JournalDatabase {
    /// Reads entities by key.
    func load(_ keys: [StoredKey]) throws -> LoadedEntities {
        var found = Found()
        func read(_ statements: JournalStatements) throws {
            for (key, answer) in zip(keys, try statements.entities.reads.read(keys, memory.dictionaries)) {
                found.add(answer, under: key, memory)
            }
        }
        // A single statement needs no explicit transaction.
        if keys.count <= 1, !isReadOnly {
            let statements = try openStatements()
            try queue.writeWithoutTransaction { _ in try read(statements) }
        } else {
            try reading { try read($0) }
        }
        report(found.damaged)
        return found.loaded
    }

    /// Finds the rows of keys.
    func find(_ keys: [StoredKey]) throws -> [StoredRow] {
        try reading { try $0.entities.reads.find(keys) }
    }

    /// Runs a read on one committed state. If another process writes the file, it may have changed how entities are
    /// stored; statements are then prepared again.
    ///
    /// - Throws: Errors of SQLite, and those of `body`.
    func reading<Value>(_ body: (JournalStatements) throws -> Value) throws -> Value {
        try queue.writeWithoutTransaction { db in
            var value: Value?
            try db.inTransaction(.deferred) {
                var statements = try openStatements()
                if isReadOnly, try EntityLayout(statements.connection) != statements.layout {
                    statements = try prepareStatements(statements.connection)
                }
                value = try body(statements)
                return .commit
            }
            guard let value else { throw closed }
            return value
        }
    }

    /// The entities and damaged rows that were read so far.
    private struct Found {
        var loaded = LoadedEntities()
        /// The rows of `loaded.damaged`, as they are reported.
        var damaged: [DamagedRow] = []

        mutating func add(_ answer: EntityReader.Answer, under key: StoredKey, _ memory: JournalMemory) {
            switch answer {
            case .found(let entity): loaded.entities.append(entity)
            case .absent: break
            case .damaged(let row, let fault):
                loaded.damaged.append(StoredRow(key: key, row: row))
                damaged.append(DamagedRow(key: memory.entityKey(key), row: row, fault: fault))
            }
        }
    }

    /// The most entities that an index may name for one page. With more, a scan in key order finds the first matches
    /// sooner.
    private static let candidateCountMax: Int64 = 65_536

    /// Reads entities of one type in key order.
    func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) throws -> LoadedEntities {
        // No input reaches it: all callers pass constants.
        precondition(countMax > 0, "a page has one entity at least, not \(countMax)")
        let found = try readingKeys {
            try reading { try page(library, type, after: id, countMax: countMax, constraint, $0) }
        }
        report(found.damaged)
        return found.loaded
    }

    private func page(
        _ library: LibraryIndex, _ type: TypeIndex, after id: StoredID?, countMax: Int,
        _ constraint: FieldConstraint?, _ statements: JournalStatements
    ) throws -> Found {
        var found = Found()
        var isFull: Bool { found.loaded.entities.count == countMax || found.loaded.damaged.count == countMax }
        if let constraint, let ids = try candidates(library, type, after: id?.text, constraint, statements) {
            for id in ids {
                let key = StoredKey(library: library, type: type, id: id)
                found.add(try statements.entities.reads.read(key, memory.dictionaries), under: key, memory)
                if isFull { break }
            }
            return found
        }
        _ = try statements.entities.reads.forEach(
            library: library, type: type, after: id?.text, expectedCount: countMax, memory.dictionaries
        ) { key, answer in
            found.add(answer, under: key, memory)
            return !isFull
        }
        return found
    }

    /// Returns the ids after `after` that the best index names, ordered by their text, without duplicates.
    ///
    /// - Returns: nil when no index fits, or when the best one names too many ids.
    private func candidates(
        _ library: LibraryIndex, _ type: TypeIndex, after: ByteString?, _ constraint: FieldConstraint,
        _ statements: JournalStatements
    ) throws -> [StoredID]? {
        var best: (scope: FieldScope, ranges: [CodeRange], count: Int64)?
        for index in memory.indexesByType[type] ?? [] where index.state == .whole {
            guard var ranges = constraint.ranges[index.path.text] else { continue }
            // An incomplete entity may still belong to a list, because a server's response may have included the fields
            // that the rule needs.
            ranges.append(CodeRange(FieldCode.hidden))
            let scope = FieldScope(number: index.number, library: library)
            let countMax = best?.count ?? Self.candidateCountMax
            let count = try statements.fieldGroups.count(scope, in: ranges, countMax: countMax)
            if count < countMax { best = (scope, ranges, count) }
        }
        guard let best else { return nil }
        var ids: [(id: StoredID, text: ByteString)] = []
        try statements.fieldGroups.forEach(best.scope, in: best.ranges) { candidate in
            let text = candidate.id.text
            if after.map({ $0 < text }) ?? true { ids.append((candidate.id, text)) }
        }
        ids.sort { $0.text < $1.text }
        var last: StoredID?
        return ids.compactMap { entry in
            defer { last = entry.id }
            return entry.id == last ? nil : entry.id
        }
    }
}
