import Foundation
import GRDB
import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore

/// Erases libraries. The rows are removed in the transaction of a flush; then a copy without unused pages replaces the
/// file, because SQLite leaves deleted rows in them.
extension JournalDatabase {
    /// The name of the counter that is 1 while unused pages may have rows of an erased library.
    static let erasingCounter = "erasing"

    /// Returns the erasures among the attached changes, and the other changes with the removal of the erased HTTP
    /// responses.
    static func erasures(
        in attached: [any AttachedChange]
    ) -> (erasures: [LibraryErasure], rest: [any AttachedChange]) {
        let erasures = attached.compactMap { $0 as? LibraryErasure }
        guard !erasures.isEmpty else { return ([], attached) }
        let removals = erasures.map { HTTPChange.removeAll(HTTPSelection(library: $0.library)) }
        return (erasures, attached.filter { !($0 is LibraryErasure) } + removals)
    }

    /// Returns the types that other libraries have entities of.
    func typesOutside(_ erasures: [LibraryErasure]) throws -> Set<TypeIndex> {
        guard !erasures.isEmpty else { return [] }
        let erased = erasures.compactMap { memory.libraryNames.firstIndex(of: $0.library) }
        let others = try entityCounts().filter { !erased.contains(Int($0.library)) && $0.count > 0 }
        return Set(others.map(\.type))
    }

    /// Removes all rows of libraries except those of entities and HTTP responses, in the current transaction.
    ///
    /// - Parameter kept: The types whose dictionaries other libraries need.
    func erase(
        _ erasures: [LibraryErasure], keeping kept: Set<TypeIndex>, _ statements: JournalStatements,
        _ next: inout JournalMemory
    ) throws {
        guard !erasures.isEmpty else { return }
        for erasure in erasures {
            try removeNamedRows(erasure, statements.connection)
            guard let place = next.libraryNames.firstIndex(of: erasure.library) else { continue }
            try removeNumberedRows(LibraryIndex(place), statements, &next)
        }
        for (number, dictionary) in next.dictionaries where !kept.contains(dictionary.type) {
            try run("DELETE FROM dictionaries WHERE dictionary = \(number)", statements.connection)
            try run(
                "DELETE FROM counters WHERE name = '\(CounterTable.dictionarySamples(number))'", statements.connection)
            next.dictionaries[number] = nil
            next.dictionaryByType[dictionary.type] = nil
        }
        next.quarantineCount = Int(
            try PreparedStatement.number(statements.connection, "SELECT count(*) FROM quarantine") ?? 0)
        try statements.counters.write(CounterTable.quarantineCount, Int64(next.quarantineCount))
        try statements.counters.write(JournalDatabase.erasingCounter, 1)
        next.mustScrub = true
    }

    private func run(_ sql: String, _ connection: OpaquePointer) throws {
        try PreparedStatement(connection, sql).run()
    }

    private func removeNamedRows(_ erasure: LibraryErasure, _ connection: OpaquePointer) throws {
        for table in ["layers", "quarantine"] {
            let remove = try PreparedStatement(connection, "DELETE FROM \(table) WHERE library = ?")
            remove.bind(1, text: erasure.library)
            try remove.run()
        }
        guard !erasure.keepsViews, try RecordTable.exists(connection) else { return }
        let prefix = Array("\(erasure.library.bytes.count):".utf8) + erasure.library.bytes
        let remove = try PreparedStatement(
            connection, "DELETE FROM records WHERE substr(CAST(\"key\" AS BLOB), 1, \(prefix.count)) = ?")
        remove.bind(1, blob: prefix)
        try remove.run()
    }

    private func removeNumberedRows(
        _ library: LibraryIndex, _ statements: JournalStatements, _ next: inout JournalMemory
    ) throws {
        for table in ["queries", "evicted", "lost_ranges"] {
            try run("DELETE FROM \(table) WHERE library = \(library)", statements.connection)
        }
        for name in [
            CounterTable.answeredThrough(library), CounterTable.forgottenThrough(library),
            CounterTable.staleByLoss(library), CounterTable.unknowable(library), CounterTable.inState(library),
            CounterTable.sourceStale(library), CounterTable.staleThrough(library),
        ] {
            try run("DELETE FROM counters WHERE name = '\(name)'", statements.connection)
        }
        var indexes = next.indexes
        for place in indexes.indices where indexes[place].built?.library == library {
            indexes[place].built = nil
            try statements.fieldIndexes.write(indexes[place])
        }
        next.setIndexes(indexes)
        let record = LibraryRecord(
            index: library, name: ErasedLibrary.name(configuration.random()), epoch: nil, generation: 0, cursor: nil,
            isStale: false, lost: [], entityCount: 0)
        try statements.libraries.write(record, lostBefore: [])
        next.lost[library] = nil
        next.places[library] = nil
        next.entityCounts[library] = 0
        next.erasedNames[library] = next.libraryNames[Int(library)]
    }

    /// Writes the names of libraries again that were erased and are in use again, in the current transaction.
    func restoreNames(_ flush: FlushBatch, _ statements: JournalStatements, _ next: inout JournalMemory) throws {
        guard !next.erasedNames.isEmpty else { return }
        for record in flush.libraries { next.erasedNames[record.index] = nil }
        let layers = (flush.layers + flush.sentRequests).map(\.library)
        for library in layers + flush.renamings.map(\.library) + flush.queries.map(\.library) {
            guard let name = next.erasedNames.removeValue(forKey: library) else { continue }
            let record = LibraryRecord(
                index: library, name: name, epoch: nil, generation: 0, cursor: nil, isStale: false, lost: [],
                entityCount: 0)
            try statements.libraries.write(record, lostBefore: [])
        }
    }

    /// Writes a copy without unused pages, keys and marks of erased libraries, under the name of an unfinished file.
    func copyWithoutErased() throws {
        let statements = try openStatements()
        try finishOpening()
        if statements.layout == .blocks {
            try queue.writeWithoutTransaction { db in
                // The runs have the keys of erased entities until they are written again.
                try statements.entities.inTransaction(db) { try statements.entities.heal() }
            }
        }
        try copy(to: file.unfinished)
        let copy = try DataFileConnection.open(file.unfinished)
        try copy.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "DELETE FROM counters WHERE name = ?", arguments: [JournalDatabase.erasingCounter])
        }
        try copy.close()
    }
}
