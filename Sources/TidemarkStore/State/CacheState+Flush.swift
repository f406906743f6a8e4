import TidemarkModel

extension CacheState {
    /// How much a flush would hold: entities, removals, tombstones, records, and keys that left both tiers.
    package var dirtyCount: Int {
        entities.dirtyCount + tombstones.changeCount + quarantine.count + queries.dirty.count
            + layers.changeCount + evicted.changeCount
    }

    /// Payload bytes that a flush would hold.
    package var dirtyByteCount: Int { entities.dirtyByteCount }

    /// Tombstones that a flush would write, as a share of those that are kept.
    ///
    /// A tombstone hides a deleted entity's row until that is gone from the journal too; it must not make room before.
    package var unwrittenTombstoneShare: Double {
        Double(tombstones.changeCount) / Double(configuration.limits.tombstoneCountMax)
    }

    /// Everything that the journal does not have, with the cursors that cover it; the state counts as written.
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
        // A line that waits is in no bin: whoever opens the journal next never had it.
        flush.counts = counts
        flush.counts?.lines -= Int64(heldCount)
        flush.ignoredKinds = ignoredKinds
        isUnwritten = false
        areCountsUnwritten = false
        return flush
    }

    /// Looks whether a flush would hold more than counts.
    ///
    /// Lines that change nothing are no reason to write: duplicates, blank ones, messages of a session.
    /// - Complexity: O(1) once something is unwritten, else O(libraries).
    mutating func noteUnwritten() {
        isUnwritten =
            isUnwritten || dirtyCount > 0 || evicted.isChanged || !queries.removedNumbers.isEmpty
            || !clearedLibraries.isEmpty || !quarantineRemoved.isEmpty || libraryNames.hasNew || typeNames.hasNew
            || areLibrariesUnwritten()
    }

    /// Whether a library is not as it was written. A duplicate, or a heartbeat, changes none.
    private mutating func areLibrariesUnwritten() -> Bool {
        for index in libraries.indices where libraries[index].isChanged {
            if record(of: LibraryIndex(index)) != libraries[index].written { return true }
            libraries[index].isChanged = false
        }
        return false
    }

    /// The last flush that was taken is with the journal.
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

    /// The journal lost what it had: all that memory holds is to be written again, under a database made anew.
    ///
    /// What memory did not hold is gone, so every library is stale, and everything up to its cursor counts as lost. *Forgotten through*
    /// stays as it is: every number that could be newer than what is gone is lost with it and asked for again, in order, and memory
    /// still has all tombstones and evicted keys.
    ///
    /// - Parameter lost: Records that were on their way to the journal.
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
