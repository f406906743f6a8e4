import TidemarkStore

/// The scan of the journal's rows for entities that only the journal has and that may be evicted.
///
/// It reads the rows in windows and remembers where the last window ended; after the last row it starts over. If it
/// read all rows and none could be evicted, the next eviction begins in memory; otherwise each commit would read all
/// rows again.
struct StoredRowScan {
    /// The number of rows in a window: four for each entity to evict, within these bounds. Up to 1,000 entities, a
    /// window has all of them, so the oldest of all are found.
    private static let windowRowCounts = 1_000...4_000

    /// The key after which the scan continues; nil to begin at the first row.
    private(set) var position: StoredKey?
    /// The number of entities evicted from memory since the last scan; only the journal may have them now.
    private(set) var movedCount = 0
    /// The number of rows that the last scan read without finding one to evict; nil when some row may be evictable.
    private var fruitlessRowCount: Int?

    /// One window of rows.
    struct Window {
        var rowCount: Int
        fileprivate var startsAtFirst: Bool
    }

    /// True if another scan is not worth its cost: the last one read many rows in vain, and few entities were evicted
    /// from memory since.
    var isFruitless: Bool {
        let seenCount = fruitlessRowCount ?? 0
        return seenCount > StoredRowScan.windowRowCounts.lowerBound && movedCount < seenCount / 8
    }

    /// Counts entities that were evicted from memory and that only the journal has now.
    mutating func moved(_ count: Int) { movedCount += count }

    /// Returns the next window for an eviction of `wantedCount` entities.
    func window(wantedCount: Int) -> Window {
        let bounds = StoredRowScan.windowRowCounts
        let fourfold = wantedCount.multipliedReportingOverflow(by: 4)
        let rowCount = fourfold.overflow ? bounds.upperBound : fourfold.partialValue
        return Window(
            rowCount: min(max(rowCount, bounds.lowerBound), bounds.upperBound), startsAtFirst: position == nil)
    }

    /// Moves past the rows of a window.
    ///
    /// - Returns: True if the window held all rows of the journal.
    mutating func advance(past rows: [StoredRowAge], of window: Window) -> Bool {
        position = rows.count < window.rowCount ? nil : rows.last?.stored.key
        return window.startsAtFirst && rows.count < window.rowCount
    }

    /// Lets a window that ended with the last row go on with the first ones. The last rows alone may be a few of the
    /// newest, of which none should be evicted.
    ///
    /// - Parameters:
    ///   - first: The first rows of all, as many as the window lacks, or all there are.
    ///   - rows: The rows of the window.
    /// - Returns: True if the window holds all rows of the journal now.
    mutating func wrap(into first: [StoredRowAge], _ rows: inout [StoredRowAge], of window: Window) -> Bool {
        let seen = Set(rows.map(\.stored.key))
        let more = first.prefix { !seen.contains($0.stored.key) }
        let isWhole = more.count < window.rowCount - rows.count
        rows += more
        position = isWhole ? nil : more.last?.stored.key
        return isWhole
    }

    /// Ends a scan.
    ///
    /// - Parameter seenCount: The number of rows that were read.
    mutating func ended(seenCount: Int64, isFruitful: Bool) {
        movedCount = 0
        fruitlessRowCount = isFruitful ? nil : Int(clamping: seenCount)
    }
}
