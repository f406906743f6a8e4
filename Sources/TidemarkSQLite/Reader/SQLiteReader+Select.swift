import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Visits the entities that match a rule, in its order, as visible with pending layers applied.
    ///
    /// With a fitting index, only the entities that it names are read; the result is the same without one.
    ///
    /// - Parameters:
    ///   - selection: The entities to read.
    ///   - visit: Called with each entity, and with each row that fails its check as it is read. Returns false to stop.
    /// - Returns: How the entities were read, or that the starting point is unknown.
    /// - Throws: ``/Tidemark/StorageError``.
    /// - Complexity: See ``ReadPlan``. Up to `countMax` entities are kept in memory when they must be sorted.
    public func select(
        _ selection: EntitySelection, _ visit: (ReadStep) throws -> Bool
    ) throws(StorageError) -> SelectionOutcome {
        try snapshot { connection in
            let names = try ReadNames(connection)
            let overlay = try LayerOverlay(connection, names)
            for row in overlay.damaged { guard try visit(.damaged(row)) else { return .done(.empty) } }
            guard let type = names.types.firstIndex(of: selection.rule.resourceType) else { return .done(.empty) }
            return try withoutActuallyEscaping(visit) { visit in
                let indexes = try FieldIndexes(connection, type: selection.rule.resourceType)
                let selector = EntitySelector(
                    try entities(connection), names: names, overlay: overlay, groups: indexes.groups,
                    rule: selection.rule, type: TypeIndex(type), countMax: selection.countMax,
                    onDamage: { _ = try visit(.damaged($0)) })
                return try select(selection, connection, selector, indexes, visit)
            }
        }
    }

    private func select(
        _ selection: EntitySelection, _ connection: OpaquePointer, _ selector: EntitySelector, _ indexes: FieldIndexes,
        _ visit: (ReadStep) throws -> Bool
    ) throws -> SelectionOutcome {
        let libraries = selector.names.libraries(selection.library, from: selection.after?.library)
        var place: EntitySelector.Place?
        if let after = selection.after {
            if selection.rule.orderCount == 0 {
                place = EntitySelector.Place(id: after.id, sortKey: after.id.bytes, leadingCode: nil)
            } else {
                guard let key = selector.names.storedKey(after), let found = try selector.place(of: key) else {
                    return .unknownPlace
                }
                place = found
            }
        }
        let source = try indexes.source(connection, selection.rule, libraries, countMax: selection.countMax)
        var rest = selection.countMax
        for library in libraries where rest > 0 {
            let isFirst = selector.names.libraries[Int(library)] == selection.after?.library
            let goesOn = try selector.forEach(library, from: source, behind: isFirst ? place : nil) { entity in
                rest -= 1
                return try visit(.entity(entity)) && rest > 0
            }
            guard goesOn else { break }
        }
        return .done(ReadPlan(source, readCount: selector.readCount))
    }
}

/// The indexes of one type that can be used for reading, in one snapshot.
struct FieldIndexes {
    /// The complete indexes that pass their check.
    var records: [FieldIndexRecord] = []
    /// The reader of index values; nil for a file whose format has no indexes.
    var groups: FieldGroupReader?

    init(_ connection: OpaquePointer, type: ByteString) throws {
        // The version is read in each snapshot, because a writer may upgrade the file beside the reader.
        guard try DataFileSchema.version(connection) >= 5 else { return }
        records = try FieldIndexTable.read(connection).records.filter { $0.type == type && $0.state == .whole }
        groups = try FieldGroupReader(connection)
    }

    func source(
        _ connection: OpaquePointer, _ rule: Membership, _ libraries: [LibraryIndex], countMax: Int
    ) throws -> CandidateSource {
        guard let groups, !records.isEmpty else { return .scan }
        let wanted = Set(libraries)
        let count = try LibraryTable.read(connection).filter { wanted.contains($0.index) }.reduce(0) {
            $0 + max(0, $1.entityCount)
        }
        return try SelectionPlanner(groups: groups, indexes: records, libraries: libraries, entityCount: count)
            .source(of: rule, countMax: countMax)
    }
}

extension ReadNames {
    /// Returns libraries in the order of their names.
    ///
    /// - Parameters:
    ///   - only: The only library to return; nil for all.
    ///   - first: The first library to return; earlier ones are left out. nil for all.
    func libraries(_ only: ByteString?, from first: ByteString? = nil) -> [LibraryIndex] {
        libraries.indices.filter { index in
            only.map { libraries[index] == $0 } ?? true && first.map { $0 <= libraries[index] } ?? true
        }
        .sorted { libraries[$0] < libraries[$1] }.map { LibraryIndex($0) }
    }
}

extension ReadPlan {
    static let empty = ReadPlan(method: .scan, index: nil, readCount: 0)

    init(_ source: CandidateSource, readCount: Int64) {
        switch source {
        case .scan: self.init(method: .scan, index: nil, readCount: readCount)
        case .walk(let index, _, _): self.init(method: .walk, index: index.index, readCount: readCount)
        case .range(let index, _): self.init(method: .range, index: index.index, readCount: readCount)
        }
    }
}
