import TidemarkModel

extension CacheState {
    /// The number of items a flush would hold: entities, removals, tombstones, records, and keys evicted from both
    /// tiers.
    package var dirtyCount: Int {
        entities.dirtyCount + tombstones.changeCount + quarantine.count + queries.dirty.count
            + layers.changeCount + evicted.changeCount
    }

    /// The number of payload bytes that a flush would hold.
    package var dirtyByteCount: Int { entities.dirtyByteCount }

    /// The tombstones that a flush would write, as a share of `tombstoneCountMax`.
    ///
    /// A tombstone hides a deleted entity's row until that row is gone from the journal too; it must not be evicted
    /// before.
    package var unwrittenTombstoneShare: Double {
        Double(tombstones.changeCount) / Double(configuration.limits.tombstoneCountMax)
    }

    /// Returns everything that the journal does not have, with the cursors that cover it; the state then counts as
    /// written.
    package mutating func takeFlush() -> FlushBatch {
        var flush = FlushBatch()
        entities.takeDirty(into: &flush)
        forgotten.flush()
        flush.clearedLibraries = clearedLibraries
        clearedLibraries = []
        takeQueries(into: &flush)
        layers.take(into: &flush)
        flush.evicted = evicted.takeChanges()
        flush.tombstones = tombstones.takeChanges()
        flush.newLibraries = libraryNames.takeNew()
        flush.newTypes = typeNames.takeNew()
        for index in libraries.indices where libraries[index].isChanged {
            libraries[index].isChanged = false
            let record = record(of: LibraryIndex(index))
            libraries[index].written = record
            flush.libraries.append(record)
        }
        flush.quarantine = quarantine
        flush.quarantineRemoved = quarantineRemoved
        quarantine = []
        quarantineRemoved = []
        // A held line is in no bin: for the next process that opens the journal, it was never received.
        flush.counts = counts
        flush.counts?.lines -= Int64(heldCount)
        flush.ignoredKinds = ignoredKinds
        isUnwritten = false
        areCountsUnwritten = false
        return flush
    }

    /// Notes whether a flush would hold more than counts.
    ///
    /// Lines that change nothing are no reason to write: duplicates, blank lines, messages of a session.
    /// - Complexity: O(1) once something is unwritten, else O(libraries).
    mutating func noteUnwritten() {
        isUnwritten =
            isUnwritten || dirtyCount > 0 || evicted.isChanged || !queries.removedNumbers.isEmpty
            || !clearedLibraries.isEmpty || !quarantineRemoved.isEmpty || libraryNames.hasNew || typeNames.hasNew
            || areLibrariesUnwritten()
    }

    /// Tells whether a library differs from its written record. A duplicate or a heartbeat changes none.
    private mutating func areLibrariesUnwritten() -> Bool {
        for index in libraries.indices where libraries[index].isChanged {
            if record(of: LibraryIndex(index)) != libraries[index].written { return true }
            libraries[index].isChanged = false
        }
        return false
    }

    /// Notes that the journal committed the flush that was taken last.
    package mutating func flushCommitted() {
        forgotten.commit()
        entities.flushCommitted()
    }

    private func record(of library: LibraryIndex) -> LibraryRecord {
        let entry = libraries[Int(library)]
        let cursor = cursor(of: library)
        let isAhead = entry.answeredThrough.map { answered in cursor.map { $0 < answered } ?? true } ?? false
        return LibraryRecord(
            index: library, name: libraryNames.names[Int(library)], epoch: entry.gate.epoch,
            generation: entry.gate.generation,
            cursor: cursor, isStale: entry.gate.isStale, lost: entry.gate.lost.ranges,
            entityCount: entry.entityCount - entry.unstoredCount,
            answeredThrough: isAhead ? entry.answeredThrough : nil,
            forgottenThrough: entry.unstoredCount > 0 ? knownThrough(library) : entry.forgottenThrough,
            isStaleByLossAlone: entry.gate.staleCause == .loss)
    }

    /// Marks everything in memory as unwritten, because the journal lost its data: it is written again to a new
    /// database.
    ///
    /// Entities that memory did not hold are gone, so every library is stale, and everything up to its cursor counts as
    /// lost. *Forgotten through* stays as it is: every number that could be newer than a lost entity is lost with it and
    /// asked for again, in order, and memory still has all tombstones and evicted keys.
    ///
    /// - Parameter lost: The records that were on their way to the journal.
    package mutating func markAllUnwritten(quarantine lost: [QuarantineRecord]) {
        quarantine.insert(contentsOf: lost, at: 0)
        entities.markAllDirty()
        queries.markAllDirty()
        layers.markAllDirty()
        clearedLibraries = []
        forgotten.removeAll()
        tombstones.markAllChanged()
        evicted.markAllChanged()
        libraryNames.markAllNew()
        typeNames.markAllNew()
        isUnwritten = true
        for index in libraries.indices { libraries[index].written = nil }
        guard absentCount > 0 else {
            for index in libraries.indices { libraries[index].isChanged = true }
            return
        }
        absentCount = 0
        let resident = entities.countByLibrary(libraryCount: libraries.count)
        for index in libraries.indices {
            libraries[index].isChanged = true
            libraries[index].entityCount = resident[index]
            libraries[index].gate.markLostThroughCursor()
            lossCount += 1
        }
    }
}
