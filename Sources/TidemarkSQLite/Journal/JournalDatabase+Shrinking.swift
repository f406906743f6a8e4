import GRDB

/// Free pages go back to the disk.
extension JournalDatabase {
    /// Pages that one call takes out of the file at most: 32 MiB.
    private static let pageCountMax: Int64 = 4_096
    /// Pages that one step between two commits takes out: 2 MiB, some 5 ms.
    private static let stepPageCount: Int64 = 256
    /// Free pages that are not worth a step: 1 MiB.
    private static let sparePageCount: Int64 = 128

    /// Pages of the file, used or free.
    struct PageCounts {
        var all: Int64
        var free: Int64
        var pageByteCount: Int64

        /// More than half is free.
        var isLoose: Bool { free >= sparePageCount && free > all / 2 }
        /// An eighth is free, or next to nothing.
        var isTight: Bool { free < sparePageCount || free <= all / 8 }
    }

    /// Bytes of the pages that hold something.
    func usedByteCount() throws -> Int64 {
        let pages = try queue.writeWithoutTransaction { try pageCounts($0) }
        return (pages.all - pages.free) * pages.pageByteCount
    }

    private func pageCounts(_ db: Database) throws -> PageCounts {
        PageCounts(
            all: try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0,
            free: try Int64.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0,
            pageByteCount: try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
    }

    /// Takes free pages out of the file, where it was made so that this can be done, and copies the log back. A reader that holds an old
    /// state is not waited for: the next call does more.
    ///
    /// The log is copied back first, too, so that what the commits before and the moved pages take is never in it at once.
    func shrink() throws {
        try queue.writeWithoutTransaction { db in
            try copyLogBack(db)
            guard canShrink, try pageCounts(db).free > 0 else { return }
            try takeOut(JournalDatabase.pageCountMax, db)
            try copyLogBack(db)
        }
    }

    /// Takes some free pages out of the file once more than half of it is free, and from then on until an eighth is; the log is copied
    /// back then.
    ///
    /// - Parameter isLast: As many as ``shrink()`` takes; otherwise few, so that a commit that waits does not wait long.
    /// - Returns: Whether there is more to take out.
    func giveBackFree(isLast: Bool) throws -> Bool {
        guard canShrink else { return false }
        return try queue.writeWithoutTransaction { db in
            let pages = try pageCounts(db)
            isGivingBack = isGivingBack ? !pages.isTight : pages.isLoose
            guard isGivingBack else { return false }
            try takeOut(isLast ? JournalDatabase.pageCountMax : JournalDatabase.stepPageCount, db)
            let rest = try pageCounts(db)
            // Where nothing moves a reader may be in the way: the next commit tries again.
            isGivingBack = !rest.isTight && rest.free < pages.free
            if !isGivingBack { try copyLogBack(db) }
            return isGivingBack
        }
    }

    private func takeOut(_ pageCount: Int64, _ db: Database) throws {
        guard let connection = db.sqliteConnection else { return }
        // Each step moves one page: who takes the first for the end frees no more.
        let vacuum = try PreparedStatement(connection, "PRAGMA incremental_vacuum(\(pageCount))")
        while try vacuum.step() {}
        vacuum.reset()
    }

    private func copyLogBack(_ db: Database) throws {
        try db.execute(sql: "PRAGMA busy_timeout = 0")
        defer { restoreBusyTimeout(db) }
        _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func restoreBusyTimeout(_ db: Database) {
        do {
            try db.execute(sql: "PRAGMA busy_timeout = \(DataFileConnection.busyMillisecondCount)")
        } catch {
            // It cannot fail: nothing is read or written. Without it a commit beside a reader's checkpoint is tried again later.
        }
    }
}
