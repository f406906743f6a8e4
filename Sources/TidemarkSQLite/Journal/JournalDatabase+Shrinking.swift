import GRDB
import GRDBSQLite
import TidemarkStore

/// Returns free pages to the disk.
extension JournalDatabase {
    /// The most pages that one call removes from the file: 32 MiB.
    private static let pageCountMax: Int64 = 4_096
    /// How many pages one step between two commits removes: 2 MiB, about 5 ms.
    private static let stepPageCount: Int64 = 256
    /// The number of free pages below which a step is not worth its cost: 1 MiB.
    private static let sparePageCount: Int64 = 128

    /// The numbers of the file's pages and of the free ones among them.
    struct PageCounts {
        var all: Int64
        var free: Int64
        var pageByteCount: Int64

        /// True if more than half of the pages are free.
        var isLoose: Bool { free >= sparePageCount && free > all / 2 }
        /// True if at most an eighth of the pages, or less than 1 MiB, is free.
        var isTight: Bool { free < sparePageCount || free <= all / 8 }
    }

    /// Returns the bytes of the pages in use, without those that merging will soon free.
    func usedByteCount() throws -> Int64 {
        let pages = try queue.writeWithoutTransaction { try pageCounts($0) }
        let debt = Int64(try openStatements().entities.mergeDebtByteCount)
        return max(0, (pages.all - pages.free) * pages.pageByteCount - debt)
    }

    /// Merges entities once, so that dead ones leave free pages.
    ///
    /// - Returns: True if anything was merged; there may be more then.
    private func mergeOnce() throws -> Bool {
        let entities = try openStatements().entities
        guard !isOpening, entities.chooseMerges() else { return false }
        try queue.writeWithoutTransaction { db in try entities.inTransaction(db) { try entities.merge(memory) } }
        return true
    }

    /// Returns the bytes of free pages, of pages written to the log, and of pending merges; zeros when the file cannot
    /// be read.
    func diskUse() -> JournalUse {
        do {
            let debt = try openStatements().entities.mergeDebtByteCount
            return try queue.writeWithoutTransaction { db in
                let pages = try pageCounts(db)
                return JournalUse(
                    freeByteCount: pages.free * pages.pageByteCount,
                    logByteCount: writtenPageCount(db) * (pages.pageByteCount + JournalDatabase.frameHeaderByteCount),
                    mergeDebtByteCount: Int64(debt))
            }
        } catch {
            return JournalUse()
        }
    }

    /// The bytes before each page in the log.
    ///
    /// - Source: SQLite, "Database File Format", section 4.1.
    private static let frameHeaderByteCount: Int64 = 24

    /// Returns how many pages this connection has written to the log since it was opened.
    private func writtenPageCount(_ db: Database) -> Int64 {
        guard let connection = db.sqliteConnection else { return 0 }
        var current: Int32 = 0
        var highest: Int32 = 0
        let code = sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        // The counter has 32 bits and wraps after 16 TiB.
        return code == SQLITE_OK ? Int64(UInt32(bitPattern: current)) : 0
    }

    private func pageCounts(_ db: Database) throws -> PageCounts {
        PageCounts(
            all: try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0,
            free: try Int64.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0,
            pageByteCount: try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
    }

    /// Removes free pages from the file, if the file was created with this option, and copies the log back. The call
    /// does not wait for a reader that holds an old state; the next call removes more.
    ///
    /// The log is also copied back first, so that it never holds both the earlier commits and the moved pages.
    func shrink() throws {
        while try mergeOnce() {}
        try queue.writeWithoutTransaction { db in
            try copyLogBack(db)
            guard canShrink, try pageCounts(db).free > 0 else { return }
            try removePages(JournalDatabase.pageCountMax, db)
            try copyLogBack(db)
        }
    }

    /// Removes some free pages once more than half of the file is free, and continues in later calls until at most an
    /// eighth is. Then copies the log back. If no commit waits, first merges entities that are worth it.
    ///
    /// - Parameter isLast: True if no commit waits: as many pages are removed as by ``shrink()``. If false, only a few
    ///   are, so that a waiting commit does not wait long.
    /// - Returns: True if more pages should be removed.
    func releaseFreeSpace(isLast: Bool) throws -> Bool {
        let hasMore = isLast ? try mergeOnce() : false
        guard canShrink else { return hasMore }
        return try queue.writeWithoutTransaction { db in
            let pages = try pageCounts(db)
            isGivingBack = isGivingBack ? !pages.isTight : pages.isLoose
            guard isGivingBack else { return hasMore }
            try removePages(isLast ? JournalDatabase.pageCountMax : JournalDatabase.stepPageCount, db)
            let rest = try pageCounts(db)
            // If no page was removed, a reader may hold an old state. The next commit tries again.
            isGivingBack = !rest.isTight && rest.free < pages.free
            if !isGivingBack { try copyLogBack(db) }
            return isGivingBack || hasMore
        }
    }

    /// The most merges before the file is closed: some 0.4 s.
    private static let lastMergeCountMax = 8

    /// Before closing, merges what is worth it, and returns free pages that no flush will use.
    func tidyUp() throws {
        guard try openStatements().entities.leavesFreePages else { return }
        for _ in 0..<JournalDatabase.lastMergeCountMax { guard try mergeOnce() else { break } }
        guard canShrink else { return }
        try queue.writeWithoutTransaction { db in
            if try !pageCounts(db).isTight { try removePages(JournalDatabase.pageCountMax, db) }
        }
    }

    private func removePages(_ pageCount: Int64, _ db: Database) throws {
        guard let connection = db.sqliteConnection else { return }
        // Each step of the statement moves one page, so the statement must be stepped to its end.
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
            // The statement cannot fail, because it reads and writes nothing. If it did, a commit beside a reader's
            // checkpoint would be tried again later.
        }
    }
}
