import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Counts the values of a field, as visible with pending layers applied.
    ///
    /// If the field has an index and the rule has no `where`, the counts come from the index. Entities are then read
    /// only for arrays, objects and strings that the index truncates, and an entity that fails its check is counted,
    /// too.
    ///
    /// - Parameters:
    ///   - path: The field whose values are counted.
    ///   - selection: The entities to count. Its order, starting point and limit are ignored.
    ///   - countMax: The most values to return; all values are counted.
    ///   - onDamage: Called with each row that fails its check.
    /// - Throws: ``/Tidemark/StorageError``; `.limitExceeded` beyond ``ReadFacets/distinctCountMax``.
    package func facets(
        _ path: FieldPath, of selection: EntitySelection, countMax: Int, onDamage: (DamagedRow) -> Void
    ) throws(StorageError) -> ReadFacets {
        try snapshot { connection in
            let names = try ReadNames(connection)
            let overlay = try LayerOverlay(connection, names)
            for row in overlay.damaged { onDamage(row) }
            var counts = FacetCounts()
            guard let type = names.types.firstIndex(of: selection.rule.resourceType) else {
                return counts.facets(countMax: countMax, plan: .empty)
            }
            return try withoutActuallyEscaping(onDamage) { onDamage in
                let indexes = try FieldIndexes(connection, type: selection.rule.resourceType)
                let selector = EntitySelector(
                    try entities(connection), names: names, overlay: overlay, groups: indexes.groups,
                    rule: selection.rule, type: TypeIndex(type), countMax: .max, onDamage: { onDamage($0) })
                let libraries = names.libraries(selection.library)
                if selection.rule.takesAll, let index = indexes.records.first(where: { $0.path == path }),
                    let groups = indexes.groups
                {
                    for library in libraries {
                        try count(index, library, groups, selector, &counts)
                    }
                    let plan = ReadPlan(method: .walk, index: index.index, readCount: selector.readCount)
                    return counts.facets(countMax: countMax, plan: plan)
                }
                let source = try indexes.source(connection, selection.rule, libraries, countMax: .max)
                for library in libraries {
                    _ = try selector.forEach(library, from: source, behind: nil) { entity in
                        try counts.add(path, of: entity.payload)
                        return true
                    }
                }
                return counts.facets(countMax: countMax, plan: ReadPlan(source, readCount: selector.readCount))
            }
        }
    }

    private func count(
        _ index: FieldIndexRecord, _ library: LibraryIndex, _ groups: FieldGroupReader, _ selector: EntitySelector,
        _ counts: inout FacetCounts
    ) throws {
        let scope = FieldScope(number: index.number, library: library)
        var inexact: [[UInt8]] = []
        try groups.forEachGroup(scope) { code, count in
            if FieldCode.isExact(code) { try counts.add(code, count: count) } else { inexact.append(code) }
            return true
        }
        let all = CandidateSource.range(index, inexact.map { CodeRange($0) })
        // This also counts the entities that layers cover, so the index's counts for them are subtracted below.
        _ = try selector.forEach(library, from: all, behind: nil) { entity in
            try counts.add(index.path, of: entity.payload)
            return true
        }
        for key in selector.overlay.keys(library: library, type: selector.type, after: nil) {
            guard let code = try groups.code(index.number, of: key) else { continue }
            if FieldCode.isExact(code), code != FieldCode.hidden { try counts.add(code, count: -1) }
        }
    }
}
