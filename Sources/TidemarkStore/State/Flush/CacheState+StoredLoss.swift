import TidemarkModel

extension CacheState {
    /// Notes that the journal found damage after the cache was opened: entities of any library that was stored are
    /// lost, or older ones are back.
    ///
    /// The libraries and their queries are stale. Late events up to the highest number that is known now are held off.
    package mutating func noteStoredLoss(_ loss: OpeningLoss, at now: Int64) {
        for library in libraries.indexes where libraries[library].isRecovered {
            libraries[library].entityCount += loss.entityCountChanges[library] ?? 0
            libraries[library].gate.markStale()
            libraries[library].isChanged = true
            noteForgotten(in: library)
            markAllStale(in: library, .after(cursor(of: library)), at: now)
            noteStatus(of: library, at: now)
        }
        isUnwritten = true
    }
}
