/// What eviction needs to know about a row: its key, its age, and whether it can be reduced.
public struct StoredRowAge: Hashable, Sendable {
    /// The row and its key.
    public var stored: StoredRow
    /// When the entity was last written, in milliseconds since 1970.
    public var writtenAt: Int64
    /// True if only the fields that stay are left, as in ``FlushRow/isReduced``.
    public var isReduced: Bool

    /// Creates the facts about one row.
    public init(stored: StoredRow, writtenAt: Int64, isReduced: Bool = false) {
        self.stored = stored
        self.writtenAt = writtenAt
        self.isReduced = isReduced
    }
}

/// How much disk space a journal takes.
public struct JournalSize: Hashable, Sendable {
    /// The size of the journal's files, in bytes.
    public var fileByteCount: Int64
    /// The bytes of stored data in the files. The rest is free, or a log that can be checkpointed.
    public var usedByteCount: Int64

    /// Creates a size.
    public init(fileByteCount: Int64, usedByteCount: Int64) {
        self.fileByteCount = fileByteCount
        self.usedByteCount = usedByteCount
    }
}

/// How a journal uses its disk: free space, log writes, and data still to be merged.
public struct JournalUse: Hashable, Sendable {
    /// The bytes in the files that hold nothing, and wait to be reused or returned to the disk.
    public var freeByteCount: Int64
    /// The bytes written to the log since the files were opened. Copying the log into the database writes at most as
    /// many again.
    public var logByteCount: Int64
    /// The bytes of replaced and removed entities that a merge has yet to free.
    public var mergeDebtByteCount: Int64

    /// Creates the figures; 0 for a journal that is not on a disk.
    public init(freeByteCount: Int64 = 0, logByteCount: Int64 = 0, mergeDebtByteCount: Int64 = 0) {
        self.freeByteCount = freeByteCount
        self.logByteCount = logByteCount
        self.mergeDebtByteCount = mergeDebtByteCount
    }
}
