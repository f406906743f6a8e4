import Tidemark
import TidemarkModel
import TidemarkStore

/// Copies names, counters, quarantine, evicted keys and indexes.
extension Salvage {
    func copyRecords() throws {
        let kinds = try PreparedStatement(target, "INSERT OR IGNORE INTO ignored_kinds (name, count) VALUES (?, ?)")
        let areKindsWhole = try scan.run("SELECT name, count FROM ignored_kinds", nil) { row in
            kinds.bind(1, text: row.text(0))
            kinds.bind(2, row.integer(1))
            try kinds.run()
        }
        var recordCount: Int64 = 0
        let put = try PreparedStatement(
            target,
            "INSERT OR IGNORE INTO quarantine (\(QuarantineTable.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        let isQuarantineWhole = try scan.numbered("quarantine", key: "number", columns: tail(QuarantineTable.columns)) {
            row in
            guard QuarantineTable.record(row) != nil else {
                return report("the quarantined record \(row.integer(0)) was removed: it cannot be read")
            }
            for column in [0, 1, 3, 4, 7, 8] as [Int32] { put.bind(column + 1, row.integer(column)) }
            put.bind(3, text: row.text(2))
            put.bind(6, text: row.optionalText(5))
            put.bind(7, row.optionalInteger(6))
            put.bind(10, blob: Array(row.borrowedBytes(9)))
            try put.run()
            recordCount += 1
        }
        if !isQuarantineWhole { report("some quarantined records could not be read") }
        let counters = try CounterTable(target)
        let areCountersWhole = try scan.run("SELECT name, value FROM counters", nil) { row in
            let name = row.text(0).description
            let isOfFile = [LogIdentity.counter, CounterTable.quarantineCount, BlockMigration.counter].contains(name)
            guard !isOfFile, let own = counter(name) else { return }
            try counters.write(own.name, row.integer(1))
            if let library = own.library, row.integer(1) >= 0 {
                places[library] = max(places[library] ?? .beforeFirst, EventSequence(row.integer(1)))
            }
        }
        // A lost counter may have recorded how far something was forgotten.
        if !areCountersWhole { isForgettingEverywhere = true }
        if !areKindsWhole || !areCountersWhole { report("some counters could not be read: they count from here on") }
        try counters.write(CounterTable.quarantineCount, recordCount)
        try copyEvicted()
    }

    /// Returns a counter's name in the new file, with the new number of the library that the name contains; nil for a
    /// counter that is not copied.
    private func counter(_ name: String) -> (name: String, library: LibraryIndex?)? {
        // A repair marks libraries as stale for reasons of its own, so this counter no longer applies.
        if name.hasPrefix(CounterTable.staleByLossPrefix) { return nil }
        // Of a state under way something may be lost, so that its end would prove nothing.
        if name.hasPrefix(CounterTable.inStatePrefix) { return nil }
        let places = [CounterTable.answeredThroughPrefix, CounterTable.forgottenThroughPrefix]
        let prefixes =
            places + [CounterTable.unknowablePrefix, CounterTable.staleThroughPrefix, CounterTable.sourceStalePrefix]
        guard let prefix = prefixes.first(where: { name.hasPrefix($0) }) else { return (name, nil) }
        guard let old = LibraryIndex(name.dropFirst(prefix.count)), let new = names.libraryNumbers[old] else {
            return nil
        }
        return ("\(prefix)\(new)", places.contains(prefix) ? new : nil)
    }

    /// Copies the evicted keys, unless a library was lost, or a library or type got another number: the hashes of the
    /// keys include those numbers.
    private func copyEvicted() throws {
        guard version >= 4 else { return }
        guard !names.areRenumbered, names.lostLibraries.isEmpty else {
            isForgettingEverywhere = true
            return report("the evicted keys were lost: reads report them as absent")
        }
        let put = try PreparedStatement(
            target, "INSERT OR IGNORE INTO evicted (number, library, is_back, hashes, checksum) VALUES (?, ?, ?, ?, ?)")
        let isWhole = try scan.numbered("evicted", key: "number", columns: "library, is_back, hashes, checksum") {
            row in
            let hashes = Array(row.borrowedBytes(3))
            guard EvictedTable.checksum(row.integer(0), row.integer(1), row.integer(2), hashes) == row.integer(4) else {
                // The number of the library is not to be trusted either.
                isForgettingEverywhere = true
                return report("row \(row.integer(0)) of the evicted keys was removed: reads report them as absent")
            }
            for column in [0, 1, 2, 4] as [Int32] { put.bind(column + 1, row.integer(column)) }
            put.bind(4, blob: hashes)
            try put.run()
        }
        guard !isWhole else { return }
        isForgettingEverywhere = true
        report("some evicted keys could not be read: reads report them as absent")
    }

    /// Copies the records of parts of a cache, but for derived ones: entities may have been lost.
    func copyAttached() throws {
        guard DataFile.hasRecords(version) else { return }
        var records: [RecordChange] = []
        let isWhole = scan.run("SELECT kind, \"key\", body, checksum FROM records", nil) { row in
            let (kind, key, body) = (row.text(0), row.text(1), Array(row.borrowedBytes(2)))
            if RecordChange.isDerived(kind) { return }
            if RecordTable.checksum(kind, key, body) == row.integer(3) {
                records.append(RecordChange(kind: kind, key: key, body: body))
            } else {
                report("the record \(key) of \(kind) was removed: it fails its check")
            }
        }
        if !isWhole { report("some records of views could not be read", advice: "define the missing ones again") }
        try RecordTable.write(records, into: target)
    }

    /// Copies the declarations of indexes, to be built from the beginning: by this repair, or by the next writer.
    func copyIndexes() throws {
        guard version >= 5 else { return }
        let table = try FieldIndexTable(target)
        let columns = "type, path, state, built_library, built_id, checksum"
        let isWhole = try scan.numbered("indexes", key: "number", columns: columns) { row in
            guard var record = FieldIndexTable.checked(row) else {
                return report(
                    "index \(row.integer(0)), whose record fails its check, was removed",
                    advice: "declare it again with --index")
            }
            guard record.state != .dropping else { return }
            record.state = .building
            record.built = nil
            try table.write(record)
        }
        if !isWhole {
            report("some indexes could not be read", advice: "declare the missing ones again with --index")
        }
    }

    /// Raises *forgotten through* of each library that lost something about a key to its highest known sequence: a late
    /// event up to there may be older than what is lost.
    ///
    /// - Source: Protocol/sequencing.md, late events.
    func writeForgotten() throws {
        let counters = try CounterTable(target)
        for record in names.libraries
        where isForgettingEverywhere || forgetting.contains(record.index) || lostCounts[record.index] ?? 0 > 0 {
            guard let known = [record.cursor, places[record.index]].compactMap({ $0 }).max(), known >= .beforeFirst
            else { continue }
            try counters.write(CounterTable.forgottenThrough(record.index), known.rawValue)
            // The counter with the position before which answers are stale may be lost, too.
            if isForgettingEverywhere { try counters.write(CounterTable.staleThrough(record.index), known.rawValue) }
        }
    }

    func writeNames() throws {
        let types = try TypeTable(target)
        for (index, name) in names.types.enumerated() { try types.write(TypeIndex(index), name) }
        let libraries = try LibraryTable(target)
        let counts = kept.reduce(into: [:]) { $0[$1.library, default: Int64(0)] += 1 }
        for var record in names.libraries {
            let count = counts[record.index] ?? 0
            if lostCounts[record.index] ?? 0 > 0 {
                record.isStale = true
                report(
                    "library \"\(record.name)\" and its queries are stale now", advice: "refresh them, or feed its log")
            } else if record.entityCount != count {
                report(
                    "library \"\(record.name)\" counted \(counted(record.entityCount, "entity", "entities")); it has \(count)"
                )
            }
            record.entityCount = count
            try libraries.write(record, lostBefore: [])
        }
    }
}
