import TidemarkModel

extension CacheState {
    /// Handles damage that the journal found after the cache was opened: entities of any stored library are lost, or
    /// have an older version again.
    ///
    /// Marks the libraries and their queries as stale. Late events up to the highest sequence known now are held off.
    package mutating func noteStoredLoss(_ loss: OpeningLoss, at now: Int64) {
        for library in libraries.indexes where libraries[library].isRecovered {
            libraries[library].entityCount += loss.entityCountChanges[library] ?? 0
            libraries[library].gate.markStale()
            libraries[library].isChanged = true
            noteForgotten(in: library)
            noteLost(allOf: library)
            markAllStale(in: library, nil, at: now)
            noteStatus(of: library, at: now)
        }
        isUnwritten = true
    }
}
