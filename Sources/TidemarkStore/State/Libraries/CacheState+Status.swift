import TidemarkModel

extension CacheState {
    /// Notes that a library's cursor, phase or lost ranges may have changed: settles layers that waited for its cursor,
    /// and logs changes that observers of libraries were not notified of yet.
    mutating func noteStatus(of library: LibraryIndex, at now: Int64) {
        if layers.isAwaiting { settleReached(in: library, at: now) }
        guard hasLibraryObservers else { return }
        let phase = libraries[library].phase
        let lost = libraries[library].gate.lost.ranges
        guard phase != libraries[library].shownPhase || lost != libraries[library].shownLost else { return }
        libraries[library].shownPhase = phase
        libraries[library].shownLost = lost
        queries.recorder.append(.library(status(of: library)))
    }

    /// Begins to log changes of the libraries' phases; the current phases count as notified.
    package mutating func observeLibraries() {
        hasLibraryObservers = true
        for library in libraries.indexes {
            libraries[library].shownPhase = libraries[library].phase
            libraries[library].shownLost = libraries[library].gate.lost.ranges
        }
    }

    /// Notes whether the source of events can be reached. While it cannot, a library with a cursor is in the phase
    /// `gap`: events may be missing without a trace.
    ///
    /// - Complexity: O(libraries).
    package mutating func noteSource(isReachable: Bool, at now: Int64) {
        for library in libraries.indexes where libraries[library].isCutOff == isReachable {
            libraries[library].isCutOff = !isReachable
            noteStatus(of: library, at: now)
        }
    }

    /// Notes that events can disappear without a trace from the log with this epoch, which is followed from now on;
    /// nil: a log that is followed shows what is missing.
    ///
    /// A library whose log was such a one before keeps that mark for as long as it has this epoch.
    ///
    /// - Complexity: O(libraries).
    package mutating func noteTraceless(_ epoch: ByteString?) {
        guard epoch != tracelessEpoch else { return }
        for library in libraries.indexes {
            if isUnknowable(library) { libraries[library].tracelessEpoch = libraries[library].gate.epoch }
            if let epoch, libraries[library].gate.epoch == epoch { libraries[library].isChanged = true }
        }
        tracelessEpoch = epoch
        noteUnwritten()
    }

    /// Whether events can disappear from a library's log without a trace.
    func isUnknowable(_ library: LibraryIndex) -> Bool {
        guard let epoch = libraries[library].gate.epoch else { return false }
        return epoch == tracelessEpoch || epoch == libraries[library].tracelessEpoch
    }
}
