import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// What a cache reads of its own file.
extension JournalDatabase {
    /// Reads entities by key.
    func load(_ keys: [StoredKey]) throws -> LoadedEntities {
        let statements = try openStatements()
        var found = Found()
        func read() throws {
            for key in keys {
                found.add(
                    try statements.entityReader.read(key, statements.decoder, memory.dictionaries), under: key, memory)
            }
        }
        try queue.writeWithoutTransaction { db in
            // One statement needs no transaction around it.
            if keys.count <= 1 { return try read() }
            try db.inTransaction(.deferred) {
                try read()
                return .commit
            }
        }
        report(found.damaged)
        return found.loaded
    }

    /// What was read so far.
    private struct Found {
        var loaded = LoadedEntities()
        /// The same as in `loaded`, as it is reported.
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

    /// Entities that an index may name for one page, at most: beyond, reading them all in key order finds some sooner.
    private static let candidateCountMax: Int64 = 65_536

    /// Reads entities of one type in key order.
    func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) throws -> LoadedEntities {
        // No input reaches it: pages are asked for with constants.
        precondition(countMax > 0, "a page has one entity at least, not \(countMax)")
        let statements = try openStatements()
        var found = Found()
        var isFull: Bool { found.loaded.entities.count == countMax || found.loaded.damaged.count == countMax }
        try queue.writeWithoutTransaction { db in
            try db.inTransaction(.deferred) {
                if let constraint, let ids = try candidates(library, type, after: id?.text, constraint, statements) {
                    for id in ids {
                        let key = StoredKey(library: library, type: type, id: id)
                        found.add(
                            try statements.entityReader.read(key, statements.decoder, memory.dictionaries), under: key,
                            memory)
                        if isFull { break }
                    }
                    return .commit
                }
                _ = try statements.ranges.forEach(
                    library: library, type: type, after: id?.text, expectedCount: countMax
                ) { key, record in
                    found.add(
                        EntityReader.answer(record, key: key, statements.decoder, memory.dictionaries), under: key,
                        memory)
                    return !isFull
                }
                return .commit
            }
        }
        report(found.damaged)
        return found.loaded
    }

    /// The ids behind `after` that the best index names, by their text, each once.
    ///
    /// - Returns: nil when no index fits, or the best one names too many.
    private func candidates(
        _ library: LibraryIndex, _ type: TypeIndex, after: ByteString?, _ constraint: FieldConstraint,
        _ statements: JournalStatements
    ) throws -> [StoredID]? {
        var best: (scope: FieldScope, ranges: [CodeRange], count: Int64)?
        for index in memory.indexesByType[type] ?? [] where index.state == .whole {
            guard var ranges = constraint.ranges[index.path.text] else { continue }
            // What is not all there may belong to a list all the same: an answer may have brought what the rule asks for.
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
