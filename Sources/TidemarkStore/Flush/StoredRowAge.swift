/// The facts about a row that eviction needs: its key and its age.
public struct StoredRowAge: Hashable, Sendable {
    public var stored: StoredRow
    /// The time of the last write, in milliseconds since 1970.
    public var writtenAt: Int64
    /// Whether only fields that stay are left, as in ``FlushRow/isReduced``.
    public var isReduced: Bool

    public init(stored: StoredRow, writtenAt: Int64, isReduced: Bool = false) {
        self.stored = stored
        self.writtenAt = writtenAt
        self.isReduced = isReduced
    }
}

/// The disk space of a journal, in bytes.
public struct JournalSize: Hashable, Sendable {
    /// The size of the journal's files.
    public var fileByteCount: Int64
    /// The bytes of stored data in the files; the rest is free, or a log that can be checkpointed.
    public var usedByteCount: Int64

    public init(fileByteCount: Int64, usedByteCount: Int64) {
        self.fileByteCount = fileByteCount
        self.usedByteCount = usedByteCount
    }
}

/// The use that a journal makes of its disk.
public struct JournalUse: Hashable, Sendable {
    /// The bytes of the files that hold nothing and wait to be used again or given back.
    public var freeByteCount: Int64
    /// The bytes that were written to the log since the files were opened. What was copied from the log to the database
    /// is at most as much again.
    public var logByteCount: Int64
    /// The bytes of replaced and removed entities that the journal still has to merge away.
    public var mergeDebtByteCount: Int64

    public init(freeByteCount: Int64 = 0, logByteCount: Int64 = 0, mergeDebtByteCount: Int64 = 0) {
        self.freeByteCount = freeByteCount
        self.logByteCount = logByteCount
        self.mergeDebtByteCount = mergeDebtByteCount
    }
}
