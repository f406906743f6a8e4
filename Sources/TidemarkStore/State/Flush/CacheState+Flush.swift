import TidemarkModel

extension CacheState {
    /// The number of items a flush would hold: entities, removals, tombstones, records, and keys evicted from both
    /// tiers.
    package var dirtyCount: Int {
        entities.dirtyCount + tombstones.changeCount + quarantine.count + queries.dirty.count
            + layers.changeCount + residency.changeCount
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
        residency.drain(into: &flush)
        takeQueries(into: &flush)
        layers.drain(into: &flush)
        flush.tombstones = tombstones.takeChanges()
        flush.newLibraries = libraries.drainNewNames()
        flush.newTypes = types.drainNewNames()
        for library in libraries.indexes where libraries[library].isChanged {
            libraries[library].isChanged = false
            let record = record(of: library)
            libraries[library].written = record
            flush.libraries.append(record)
        }
        quarantine.drain(into: &flush)
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
            isUnwritten || dirtyCount > 0 || residency.isUnwritten || !queries.removedNumbers.isEmpty
            || quarantine.hasRemoved || libraries.hasNewNames || types.hasNewNames || areLibrariesUnwritten()
    }

    /// Tells whether a library differs from its written record. A duplicate or a heartbeat changes none.
    private mutating func areLibrariesUnwritten() -> Bool {
        for library in libraries.indexes where libraries[library].isChanged {
            if record(of: library) != libraries[library].written { return true }
            libraries[library].isChanged = false
        }
        return false
    }

    /// Notes that the journal committed the flush that was taken last.
    package mutating func flushCommitted() {
        residency.flushCommitted()
        entities.flushCommitted()
    }

    private func record(of library: LibraryIndex) -> LibraryRecord {
        let entry = libraries[library]
        let cursor = cursor(of: library)
        let isAhead = entry.answeredThrough.map { answered in cursor.map { $0 < answered } ?? true } ?? false
        return LibraryRecord(
            index: library, name: libraries.name(of: library), epoch: entry.gate.epoch,
            generation: entry.gate.generation,
            cursor: cursor, isStale: entry.gate.isStale, lost: entry.gate.lost.ranges,
            entityCount: entry.entityCount - entry.unstoredCount,
            answeredThrough: isAhead ? entry.answeredThrough : nil,
            forgottenThrough: entry.unstoredCount > 0 ? knownThrough(library) : entry.forgottenThrough,
            isStaleByLossAlone: entry.gate.staleCause == .loss, isUnknowable: isUnknowable(library),
            staleThrough: entry.staleThrough.highest)
    }

    /// Marks everything in memory as unwritten, because the journal lost its data: it is written again to a new
    /// database.
    ///
    /// Entities that memory did not hold are gone, so every library is stale, and everything up to its cursor counts as
    /// lost. *Forgotten through* stays as it is: every number that could be newer than a lost entity is lost with it
    /// and asked for again, in order, and memory still has all tombstones and evicted keys.
    ///
    /// - Parameter lost: The records that were on their way to the journal.
    package mutating func markAllUnwritten(quarantine lost: [QuarantineRecord]) {
        quarantine.restore(lost)
        entities.markAllDirty()
        queries.markAllDirty()
        layers.markAllDirty()
        tombstones.markAllChanged()
        libraries.markAllUnwritten()
        types.markAllUnwritten()
        isUnwritten = true
        guard residency.journalLost() else { return }
        let resident = entities.countByLibrary(libraryCount: libraries.count)
        for library in libraries.indexes {
            libraries[library].entityCount = resident[Int(library)]
            libraries[library].gate.markLostThroughCursor()
            lossCount += 1
        }
    }
}
