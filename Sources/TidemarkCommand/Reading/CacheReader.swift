import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkStore

/// Reads the database for a command, also while a writer runs.
///
/// Damaged rows are left out of all results and remembered, so that a command prints everything that is sound before it
/// ends with ``reportDamage()``.
struct CacheReader {
    let reader: SQLiteReader
    private let path: String
    private let damage = DamageList()

    /// Opens a database for reading.
    ///
    /// - Throws: ``Failure`` if the database is missing or cannot be read.
    init(_ database: DatabaseOptions) throws(Failure) {
        try self.init(path: database.path, encryption: try database.key.encryption())
    }

    /// Opens a database for reading, with its key if it is encrypted.
    ///
    /// - Throws: ``Failure`` if the database is missing or cannot be read.
    init(path: String, encryption: (any DataFileEncryption)?) throws(Failure) {
        self.path = path
        reader = try CacheReader.mapped { () throws(StorageError) in
            try SQLiteReader(path: path, encryption: encryption)
        }
    }

    /// Returns the libraries, sorted by id.
    func libraries() throws(Failure) -> [ReadLibrary] {
        try CacheReader.mapped { () throws(StorageError) in try reader.libraries() }
    }

    func counts() throws(Failure) -> EventCounts {
        try CacheReader.mapped { () throws(StorageError) in try reader.counts() }
    }

    func ignoredKinds() throws(Failure) -> [ByteString: Int64] {
        try CacheReader.mapped { () throws(StorageError) in try reader.ignoredKinds() }
    }

    func queryCount() throws(Failure) -> Int64 {
        try CacheReader.mapped { () throws(StorageError) in try reader.queryCount() }
    }

    /// Returns the records of a part of the cache, by key.
    func records(of kind: ByteString) throws(Failure) -> [ByteString: [UInt8]] {
        try CacheReader.mapped { () throws(StorageError) in try reader.records(of: kind) }
    }

    /// Returns how many bytes of the database are unused.
    func freeByteCount() throws(Failure) -> Int64 {
        try CacheReader.mapped { () throws(StorageError) in try reader.freeByteCount() }
    }

    func layerCount() throws(Failure) -> Int64 {
        try CacheReader.mapped { () throws(StorageError) in try reader.layerCount() }
    }

    /// Returns the pending layers, oldest first.
    func layers(library: ByteString?) throws(Failure) -> [ReadLayer] {
        var layers: [ReadLayer] = []
        for step in try CacheReader.mapped({ () throws(StorageError) in try reader.layers(library: library) }) {
            switch step {
            case .layer(let layer): layers.append(layer)
            case .damaged(let row): damage.rows.append(row)
            }
        }
        return layers
    }

    var byteCount: Int64 { reader.byteCounts().total }

    /// Reads one entity with its pending edits applied.
    ///
    /// - Parameter library: The library of the entity; nil searches all, the one of events without a library first.
    /// - Throws: ``Failure`` with ``ExitStatus/usage`` if several other libraries have it, so that the user must name
    ///   one.
    func answer(to name: EntityName, library: ByteString?) throws(Failure) -> VisibleAnswer {
        if let library { return try answer(name.key(library: library)) }
        var found: [VisibleAnswer] = []
        var miss = VisibleAnswer(answer: .absent, isPending: false, damagedLayers: [])
        for known in try libraries().map(\.status.library) {
            let answer = try answer(name.key(library: known))
            switch answer.answer {
            case .found:
                // Libraries are sorted by id, so the empty id is first.
                if known.bytes.isEmpty { return answer }
                found.append(answer)
            case .deleted, .evicted:
                if miss.answer == .absent || answer.isPending { miss = answer }
            case .absent, .damaged:
                miss.isPending = miss.isPending || answer.isPending
            }
        }
        guard found.count < 2 else {
            let names = found.prefix(5).map { "'\($0.answer.entity?.key.library ?? "")'" }.joined(separator: ", ")
            throw .usage("\(found.count) libraries have \(name.text)", advice: "name one with --library: \(names)")
        }
        return found.first ?? miss
    }

    /// Reads one entity with its pending edits applied.
    func answer(_ key: EntityKey) throws(Failure) -> VisibleAnswer {
        let answer = try CacheReader.mapped { () throws(StorageError) in try reader.visibleEntity(key) }
        if case .damaged(let row) = answer.answer { damage.rows.append(row) }
        for row in answer.damagedLayers where !damage.rows.contains(row) { damage.rows.append(row) }
        return answer
    }

    /// Returns at most `countMax` visible entities in key order.
    func page(
        library: ByteString?, type: ByteString?, after: EntityKey?, countMax: Int
    ) throws(Failure) -> [EntitySnapshot] {
        var entities: [EntitySnapshot] = []
        try forEach(library: library, type: type, after: after, showsLayers: true) { entity in
            entities.append(entity)
            return entities.count < countMax
        }
        return entities
    }

    /// Returns the visible entities that match a rule, in its order, and how they were found.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/usage`` if the entity to continue after is not stored.
    func select(_ selection: EntitySelection) throws(Failure) -> ([EntitySnapshot], ReadPlan) {
        var entities: [EntitySnapshot] = []
        let outcome = try CacheReader.mapped { () throws(StorageError) in
            try reader.select(selection) { step in
                switch step {
                case .entity(let entity): entities.append(entity)
                case .damaged(let row): damage.rows.append(row)
                }
                return true
            }
        }
        switch outcome {
        case .done(let plan): return (entities, plan)
        case .unknownPlace:
            throw .usage(
                "\(selection.after?.text ?? "") is not stored and has no place in this order",
                advice: "start again without --after")
        }
    }

    /// Counts the entities for each value of a field.
    func facets(_ path: FieldPath, of selection: EntitySelection, countMax: Int) throws(Failure) -> ReadFacets {
        try CacheReader.mapped { () throws(StorageError) in
            try reader.facets(path, of: selection, countMax: countMax) { damage.rows.append($0) }
        }
    }

    /// Visits every entity in key order, on one committed state.
    ///
    /// - Parameters:
    ///   - showsLayers: True to visit entities with pending edits applied; false for the server's versions.
    ///   - visit: Returns false to stop.
    func forEach(
        library: ByteString?, type: ByteString?, after: EntityKey? = nil, showsLayers: Bool = false,
        _ visit: (EntitySnapshot) throws(Failure) -> Bool
    ) throws(Failure) {
        // The scan can only throw storage errors, so an error of `visit` is kept and thrown afterwards.
        var failure: Failure?
        try CacheReader.mapped { () throws(StorageError) in
            try reader.walk(library: library, type: type, after: after, showsLayers: showsLayers) { step in
                switch step {
                case .damaged(let row):
                    damage.rows.append(row)
                    return true
                case .entity(let entity):
                    do throws(Failure) {
                        return try visit(entity)
                    } catch {
                        failure = error
                        return false
                    }
                }
            }
        }
        if let failure { throw failure }
    }

    /// Visits every query in ascending order of numbers, on one committed state.
    func forEachQuery(
        library: ByteString?, method: ByteString?, _ visit: (ReadQuery) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        try CacheReader.mapped { () throws(StorageError) in
            try reader.queries(library: library, method: method) { step in
                switch step {
                case .damaged(let row):
                    damage.rows.append(row)
                case .query(let query):
                    do throws(Failure) {
                        try visit(query)
                    } catch {
                        failure = error
                        return false
                    }
                }
                return true
            }
        }
        if let failure { throw failure }
    }

    /// Returns quarantine records with numbers above `after`, oldest first.
    func quarantine(after: Int64, reason: QuarantineReason?, countMax: Int) throws(Failure) -> [QuarantineRecord] {
        var records: [QuarantineRecord] = []
        try CacheReader.mapped { () throws(StorageError) in
            try reader.quarantine(QuarantineFilter(reason: reason, after: after), limit: countMax) { record in
                records.append(record)
                return true
            }
        }
        return records
    }

    /// Returns the record with a number; nil if there is none.
    func quarantineRecord(_ number: Int64) throws(Failure) -> QuarantineRecord? {
        try CacheReader.mapped { () throws(StorageError) in try reader.quarantineRecord(number) }
    }

    /// Reads and checks everything.
    func verify() throws(Failure) -> VerifyReport {
        try CacheReader.mapped { () throws(StorageError) in try reader.verify() }
    }

    /// Throws if damaged rows were left out: what was printed is then sound but incomplete.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/badData``.
    func reportDamage() throws(Failure) {
        guard let first = damage.rows.first else { return }
        let name = first.key.map { "\($0.text)" } ?? "\(first.kind.rawValue) \(first.row)"
        throw Failure(
            .badData, "damaged", HumanText.count(damage.rows.count, "row") + " failed the check, the first is \(name)",
            place: path, outcome: "the damaged rows were left out", advice: "tidemark verify reports the damage")
    }

    static func mapped<Result>(_ body: () throws(StorageError) -> Result) throws(Failure) -> Result {
        do throws(StorageError) {
            return try body()
        } catch {
            throw Failure(error, isReader: true)
        }
    }
}

/// The damaged rows that a reader left out, one entry each.
private final class DamageList {
    var rows: [DamagedRow] = []
}
