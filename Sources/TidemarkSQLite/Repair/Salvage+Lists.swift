import Tidemark
import TidemarkModel
import TidemarkStore

/// Copies pending edits and queries.
extension Salvage {
    /// Copies the layers. A layer contains the names of its library and types, so its row is copied unchanged.
    func copyLayers() throws {
        guard version >= 3 else { return }
        var open = LayerNames()
        let put = try PreparedStatement(
            target, "INSERT OR IGNORE INTO layers (\(LayerTable.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        // Both column lists begin with the number, so the further columns begin after it.
        let isWhole = try scan.numbered("layers", key: "number", columns: tail(LayerTable.columns)) { row in
            do throws(PayloadError) {
                _ = try LayerTable.content(row, &open)
            } catch {
                return report(
                    "the pending edit in row \(row.integer(0)) was removed: \(error.rawValue)",
                    advice: "make the edit again")
            }
            put.bind(1, row.integer(0))
            put.bind(2, text: row.text(1))
            put.bind(3, text: row.text(2))
            put.bind(4, row.integer(3))
            put.bind(5, row.optionalInteger(4))
            put.bind(6, row.integer(5))
            put.bind(7, row.integer(6))
            put.bind(8, blob: Array(row.borrowedBytes(7)))
            put.bind(9, row.integer(8))
            try put.run()
        }
        for (_, name) in open.newLibraries { _ = names.index(ofLibrary: name) }
        for (_, name) in open.newTypes { _ = names.index(ofType: name) }
        if !isWhole { report("some pending edits could not be read", advice: "make the missing ones again") }
    }

    func copyQueries() throws {
        guard version >= 2 else { return }
        let table = try QueryTable(target)
        let isWhole = try scan.numbered("queries", key: "number", columns: tail(QueryTable.columns)) { row in
            let record: QueryRecord
            do throws(PayloadError) {
                record = try QueryTable.record(row, libraryCount: .max, typeCount: .max)
            } catch {
                return report(
                    "the query in row \(row.integer(0)) was removed: \(error.rawValue)",
                    advice: "nothing: it is fetched again when it is read")
            }
            guard let library = names.libraryNumbers[record.library], let type = names.typeNumbers[record.type] else {
                return report("the query \(record.method) was removed: its library or type is lost")
            }
            try table.write(mended(record, library, type))
        }
        if !isWhole { report("some queries could not be read", advice: "nothing: they are fetched again") }
    }

    private func mended(_ old: QueryRecord, _ library: LibraryIndex, _ type: TypeIndex) -> QueryRecord {
        var record = old
        record.library = library
        record.type = type
        var seen: Set<StoredID> = []
        record.elements = old.elements.filter { seen.insert($0.id).inserted }
        if record.elements.count < old.elements.count {
            report("the query \(record.method) listed entities more than once: each is listed once now; it is stale")
            record.staleSince = record.staleSince ?? now
        }
        // A lost entity may have been in any locally evaluated list, so all queries of the library become stale.
        if lostCounts[library] ?? 0 > 0 { record.staleSince = record.staleSince ?? now }
        return record
    }
}
