import TidemarkModel

extension CacheState {
    /// Handles a possible change of a library's cursor, phase or lost ranges: settles layers that waited for the
    /// cursor, and logs changes for observers of libraries.
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

    /// Begins to log changes of the libraries' phases. Observers are taken to know the current phases.
    package mutating func observeLibraries() {
        hasLibraryObservers = true
        for library in libraries.indexes {
            libraries[library].shownPhase = libraries[library].phase
            libraries[library].shownLost = libraries[library].gate.lost.ranges
        }
    }

    /// Records whether the source of events can be reached. While it cannot, a library with a cursor is in the phase
    /// `gap`, because events may be missing without a trace.
    ///
    /// - Complexity: O(libraries).
    package mutating func noteSource(isReachable: Bool, at now: Int64) {
        for library in libraries.indexes where libraries[library].isCutOff == isReachable {
            libraries[library].isCutOff = !isReachable
            noteStatus(of: library, at: now)
        }
    }

    /// Records the epoch of the log that is followed from now on, if events can vanish from it without a trace.
    ///
    /// A library keeps that mark for as long as it has this epoch, also when another log is followed.
    ///
    /// - Parameter epoch: The epoch; nil if the followed log shows what is missing.
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

    /// Returns true if events can vanish from a library's log without a trace.
    func isUnknowable(_ library: LibraryIndex) -> Bool {
        guard let epoch = libraries[library].gate.epoch else { return false }
        return epoch == tracelessEpoch || epoch == libraries[library].tracelessEpoch
    }
}
