import TidemarkModel
import TidemarkStore

/// Writes the records of a flush other than its entities.
extension JournalDatabase {
    func writeRecords(_ flush: FlushBatch, _ statements: JournalStatements, _ next: inout JournalMemory) throws {
        for (index, name) in flush.newTypes {
            try statements.types.write(index, name)
            next.typeNames.append(name)
        }
        for (index, name) in flush.newLibraries {
            let record = LibraryRecord(
                index: index, name: name, epoch: nil, generation: 0, cursor: nil, isStale: false, lost: [],
                entityCount: 0)
            try statements.libraries.write(record, lostBefore: next.lost[index] ?? [])
            next.libraryNames.append(name)
        }
        try restoreNames(flush, statements, &next)
        for var record in flush.libraries {
            record.entityCount -= next.entityCountCorrections[record.index] ?? 0
            try statements.libraries.write(record, lostBefore: next.lost[record.index] ?? [])
            next.lost[record.index] = record.lost.isEmpty ? nil : record.lost
            let places = LibraryPlaces(record)
            try places.write(over: next.places[record.index] ?? LibraryPlaces(), of: record.index, statements.counters)
            next.places[record.index] = places
            next.entityCounts[record.index] = record.entityCount
        }
        for change in flush.tombstones {
            if let tombstone = change.tombstone {
                next.lastTombstone += 1
                try statements.tombstones.write(change.key, tombstone, number: next.lastTombstone)
            } else {
                try statements.tombstones.remove(change.key)
            }
        }
        try next.writeEvicted(flush.evicted, statements.evicted)
        try writeQuarantine(flush, statements, &next)
        try writeQueries(flush, statements, &next)
        try writeLayers(flush, statements, &next)
        if let counts = flush.counts { try statements.counters.write(counts) }
        if let takenAt = flush.takenAt { try statements.counters.write(CounterTable.takenAt, takenAt) }
        if let kinds = flush.ignoredKinds { try statements.counters.write(kinds) }
    }

    private func writeQueries(_ flush: FlushBatch, _ statements: JournalStatements, _ next: inout JournalMemory) throws
    {
        for number in next.damagedQueries + flush.removedQueries { try statements.queries.remove(number: number) }
        next.damagedQueries = []
        var last = next.lastQuery
        for record in flush.queries {
            try statements.queries.write(record)
            last = max(last, record.number)
        }
        guard last > next.lastQuery else { return }
        next.lastQuery = last
        try statements.counters.write(CounterTable.queryNumber, last)
    }

    private func writeLayers(_ flush: FlushBatch, _ statements: JournalStatements, _ next: inout JournalMemory) throws {
        for number in next.damagedLayers + flush.removedLayers { try statements.layers.remove(number: number) }
        next.damagedLayers = []
        for record in flush.layers {
            try statements.layers.write(record, libraries: next.libraryNames, types: next.typeNames)
        }
        for record in flush.sentRequests {
            try statements.layers.write(sent: record, libraries: next.libraryNames, types: next.typeNames)
        }
        for record in flush.renamings {
            try statements.layers.write(record, libraries: next.libraryNames, types: next.typeNames)
        }
    }

    private func writeQuarantine(_ flush: FlushBatch, _ statements: JournalStatements, _ next: inout JournalMemory)
        throws
    {
        guard !flush.quarantine.isEmpty || !flush.quarantineRemoved.isEmpty else { return }
        for number in flush.quarantineRemoved where try statements.quarantine.remove(number: number) {
            next.quarantineCount -= 1
        }
        // Records that later ones of the same flush would displace get a number but no row.
        let skipped = max(0, flush.quarantine.count - configuration.quarantineRecordCountMax)
        next.lastQuarantine += Int64(skipped)
        for record in flush.quarantine.dropFirst(skipped) {
            next.lastQuarantine += 1
            next.quarantineCount += 1
            try statements.quarantine.write(record, number: next.lastQuarantine)
        }
        let excess = next.quarantineCount - configuration.quarantineRecordCountMax
        if excess > 0 {
            try statements.quarantine.removeOldest(count: excess)
            next.quarantineCount -= excess
        }
        try statements.counters.write(CounterTable.quarantineNumber, next.lastQuarantine)
        try statements.counters.write(CounterTable.quarantineCount, Int64(next.quarantineCount))
    }
}
