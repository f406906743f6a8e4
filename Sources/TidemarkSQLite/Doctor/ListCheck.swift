import TidemarkModel
import TidemarkStore

/// Examines field indexes, queries, pending edits and stored HTTP responses.
struct ListCheck {
    private let connection: OpaquePointer
    private let names: ReadNames

    init(_ connection: OpaquePointer, _ names: ReadNames) {
        self.connection = connection
        self.names = names
    }

    func look(into examination: inout Examination) throws {
        try lookAtIndexes(&examination)
        try lookAtQueries(&examination)
        try lookAtLayers(&examination)
        try lookAtHTTP(&examination)
    }

    private func lookAtIndexes(_ examination: inout Examination) throws {
        guard try DataFileSchema.version(connection) >= 5 else { return }
        let (records, damaged) = try FieldIndexTable.read(connection)
        for record in records {
            switch record.state {
            case .whole: examination.add(.ok, .contents, .index, "the index is complete", at: record.name)
            case .building:
                examination.add(
                    .note, .contents, .indexBuilding, "the index is being built; until then readers do not use it",
                    at: record.name,
                    advice: "start a writer: it continues where building stopped")
            case .dropping:
                examination.add(
                    .note, .contents, .indexBuilding, "the index is being dropped", at: record.name,
                    advice: "start a writer: it continues")
            }
        }
        for number in damaged {
            examination.add(
                .problem, .contents, .indexDamaged,
                "index \(number) fails its check, and its field is not known",
                advice: "tidemark verify --repair removes it; declare it again with --index")
        }
    }

    private func lookAtQueries(_ examination: inout Examination) throws {
        guard try DataFileSchema.version(connection) >= 2 else { return }
        var damaged = 0
        try QueryTable.forEach(connection, libraryCount: names.libraries.count, typeCount: names.types.count) { row in
            if case .damaged = row { damaged += 1 }
            return true
        }
        guard damaged > 0 else { return }
        examination.add(
            .problem, .contents, .queryDamaged,
            damaged == 1 ? "a query fails its check" : "\(damaged) queries fail their check",
            advice: "nothing: the next writer removes them, and they are fetched again")
    }

    /// Examines the heads of stored HTTP responses, and their totals; `verify` reads the bodies, too.
    private func lookAtHTTP(_ examination: inout Examination) throws {
        guard try DataFileSchema.version(connection) >= 6 else { return }
        let table = try HTTPTable(connection)
        let totals = try table.totals()
        guard totals.count > 0 else { return }
        let damaged = try table.damagedHeadCount()
        examination.add(
            .ok, .contents, .http,
            "\(totals.count) HTTP \(totals.count == 1 ? "answer is" : "answers are") stored, \(totals.byteCount) bytes")
        guard damaged > 0 else { return }
        examination.add(
            .problem, .contents, .httpDamaged,
            damaged == 1 ? "an HTTP answer fails its check" : "\(damaged) HTTP answers fail their check",
            advice: "nothing: they count as not there, and are fetched again; tidemark verify --repair leaves them out")
    }

    private func lookAtLayers(_ examination: inout Examination) throws {
        let overlay = try LayerOverlay(connection, names)
        let entities = try SnapshotReads.entities(connection)
        let orphans = try overlay.orphans(
            isStored: { key in
                if case .found = try entities.read(key, names.dictionaries) { true } else { false }
            }, isDeleted: { try SQLiteReader.hasTombstone(connection, $0) })
        let count = overlay.records.count
        if count == 0, overlay.damaged.isEmpty { examination.add(.ok, .contents, .layers, "no edit is pending") }
        if count > 0 {
            let confirmed = overlay.records.count(where: \.isConfirmed)
            examination.add(
                .note, .contents, .layers,
                "\(count) \(count == 1 ? "edit is" : "edits are") pending, \(confirmed) of them confirmed",
                advice: "tidemark pending lists them; copy the database before you delete it: they exist nowhere else")
        }
        if !orphans.isEmpty {
            examination.add(
                .warning, .contents, .layerOrphaned,
                orphans.count == 1
                    ? "a pending edit changes an entity that was deleted meanwhile"
                    : "\(orphans.count) pending edits change entities that were deleted meanwhile",
                advice: "roll them back with optimistic.rollback, or let the host create the entities again")
        }
        for row in overlay.damaged {
            examination.add(
                .problem, .contents, .layerDamaged,
                "the pending edit in row \(row.row) fails its check: \(row.fault.rawValue)",
                advice: "make the edit again; the next writer removes the row")
        }
    }
}
