/// What making room needs to know of a row: whose it is, and how old.
package struct StoredRowAge: Hashable, Sendable {
    package var stored: StoredRow
    /// Milliseconds since 1970 of the last write.
    package var writtenAt: Int64
    /// As ``FlushRow/isReduced`` said.
    package var isReduced: Bool

    package init(stored: StoredRow, writtenAt: Int64, isReduced: Bool = false) {
        self.stored = stored
        self.writtenAt = writtenAt
        self.isReduced = isReduced
    }
}

/// What a journal takes on the disk, in bytes.
package struct JournalSize: Hashable, Sendable {
    /// Of its files.
    package var fileByteCount: Int64
    /// Of what is stored in them; the rest is free, or a log that can be copied back.
    package var usedByteCount: Int64

    package init(fileByteCount: Int64, usedByteCount: Int64) {
        self.fileByteCount = fileByteCount
        self.usedByteCount = usedByteCount
    }
}
