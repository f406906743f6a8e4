/// The facts about a row that eviction needs: its key and its age.
package struct StoredRowAge: Hashable, Sendable {
    package var stored: StoredRow
    /// The time of the last write, in milliseconds since 1970.
    package var writtenAt: Int64
    /// Whether only fields that stay are left, as in ``FlushRow/isReduced``.
    package var isReduced: Bool

    package init(stored: StoredRow, writtenAt: Int64, isReduced: Bool = false) {
        self.stored = stored
        self.writtenAt = writtenAt
        self.isReduced = isReduced
    }
}

/// The disk space of a journal, in bytes.
package struct JournalSize: Hashable, Sendable {
    /// The size of the journal's files.
    package var fileByteCount: Int64
    /// The bytes of stored data in the files; the rest is free, or a log that can be checkpointed.
    package var usedByteCount: Int64

    package init(fileByteCount: Int64, usedByteCount: Int64) {
        self.fileByteCount = fileByteCount
        self.usedByteCount = usedByteCount
    }
}

/// The use that a journal makes of its disk.
package struct JournalUse: Hashable, Sendable {
    /// The bytes of the files that hold nothing and wait to be used again or given back.
    package var freeByteCount: Int64
    /// The bytes that were written to the log since the files were opened. What was copied from the log to the database
    /// is at most as much again.
    package var logByteCount: Int64

    package init(freeByteCount: Int64 = 0, logByteCount: Int64 = 0) {
        self.freeByteCount = freeByteCount
        self.logByteCount = logByteCount
    }
}
