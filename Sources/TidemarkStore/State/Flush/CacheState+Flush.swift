import TidemarkModel

extension CacheState {
    /// How many items a flush would include: entities, removals, tombstones, records, and keys evicted from both tiers.
    package var dirtyCount: Int {
        entities.dirtyCount + tombstones.changeCount + quarantine.count + queries.dirty.count
            + layers.changeCount + residency.changeCount
    }

    /// How many payload bytes a flush would include.
    package var dirtyByteCount: Int { entities.dirtyByteCount }

    /// How many tombstones a flush would write, as a share of `tombstoneCountMax`.
    ///
    /// A tombstone hides a deleted entity's row until the journal has removed that row, and must not be evicted before.
    package var unwrittenTombstoneShare: Double {
        Double(tombstones.changeCount) / Double(configuration.limits.tombstoneCountMax)
    }

    /// Returns everything that the journal does not have, with the cursors that cover it. The state then counts as
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

    /// Updates ``isUnwritten``: true if a flush would include more than counts.
    ///
    /// Lines that change nothing are no reason to write: duplicates, blank lines, messages of a session.
    ///
    /// - Complexity: O(1) once something is unwritten, otherwise O(libraries).
    mutating func noteUnwritten() {
        isUnwritten =
            isUnwritten || dirtyCount > 0 || residency.isUnwritten || !queries.removedNumbers.isEmpty
            || quarantine.hasRemoved || libraries.hasNewNames || types.hasNewNames || areLibrariesUnwritten()
    }

    /// Returns true if a library differs from its written record. Duplicates and most heartbeats change none.
    private mutating func areLibrariesUnwritten() -> Bool {
        for library in libraries.indexes where libraries[library].isChanged {
            if record(of: library) != libraries[library].written { return true }
            libraries[library].isChanged = false
        }
        return false
    }

    /// Ends the last flush after the journal committed it.
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
            cursor: cursor, isStale: entry.gate.staleCause != nil || entry.gate.isInState, lost: entry.gate.lost.ranges,
            entityCount: entry.entityCount - entry.unstoredCount,
            answeredThrough: isAhead ? entry.answeredThrough : nil,
            forgottenThrough: entry.unstoredCount > 0 ? knownThrough(library) : entry.forgottenThrough,
            isStaleByLossAlone: entry.gate.staleCause == .loss, isUnknowable: isUnknowable(library),
            staleThrough: entry.staleThrough.highest, isInState: entry.gate.isInState,
            isSourceStale: entry.gate.isSourceStale)
    }

    /// Marks everything in memory as unwritten, because the journal lost its data: it is written again to a new
    /// database.
    ///
    /// Entities that memory did not have are gone. So every library is stale, and everything up to its cursor is
    /// declared lost. *Forgotten through* stays as it is: every sequence that could be newer than a lost entity is lost
    /// too and requested again, in order, and memory still has all tombstones and evicted keys.
    ///
    /// - Parameter lost: The quarantine records that were in the failed flush.
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
