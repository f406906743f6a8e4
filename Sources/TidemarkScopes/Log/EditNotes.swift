import TidemarkModel

/// The settled edits that their authors still have to be told of, the newest ones.
struct EditNotes: Sendable {
    struct Note: Sendable {
        let edit: ScopeEdit
        /// The position of the log behind the unit.
        let position: ScopePosition
        /// True if the unit did not move the log, because the scope shows nothing of it.
        let isAlone: Bool
        let second: Int64
    }

    private var notes: [Note] = []
    /// The number of notes that were forgotten: the serial number of the first one that is kept.
    private var firstSerial = 0

    /// The serial number of the next note.
    var end: Int { firstSerial + notes.count }

    mutating func append(_ note: Note) { notes.append(note) }

    /// Forgets notes past the bounds.
    mutating func forget(now: Int64, _ limits: ScopeLimits) {
        let excess = max(0, notes.count - limits.noteCountMax)
        let old = notes.firstIndex { now - $0.second <= limits.historySecondCount } ?? notes.count
        let count = max(excess, old)
        // In steps, so that a note is not moved for each one that is forgotten.
        guard count > 0, count >= notes.count / 4 || count == notes.count else { return }
        notes.removeFirst(count)
        firstSerial += count
    }

    /// The serial number of the first note that a client at a position may not have.
    func serial(after position: ScopePosition) -> Int {
        let index = notes.firstIndex { $0.position > position || $0.position == position && $0.isAlone }
        return firstSerial + (index ?? notes.count)
    }

    /// The edits of a subject from a serial number on.
    func edits(of subject: ByteString, from serial: Int) -> [ByteString] {
        guard serial < end else { return [] }
        return notes[max(0, serial - firstSerial)...].filter { $0.edit.subject == subject }.map(\.edit.mutationID)
    }
}
