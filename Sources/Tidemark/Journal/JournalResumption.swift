/// How a suspended journal opened its files again.
public enum JournalResumption: Hashable, Sendable {
    /// Everything is as it was when the journal was suspended.
    case asLeft
    /// Everything is as it was, as far as the journal has looked. It still reads what it stores; the cache calls
    /// ``Journal/finishOpening()`` before the next commit.
    case opening
    /// The database was removed or damaged, and an empty one is in its place. The next flush contains everything that
    /// is in memory.
    case replaced
}
