/// The shown rows that read an entity or a bucket: what has to be rendered again when it changes.
struct RowDependents: Sendable {
    /// The rows of windows that read one thing: each the window's number in the upper half and the row's in the lower
    /// one. Most things are read by one row.
    private var rows: [UInt64: FewSet<UInt64>] = [:]

    /// How many reads of buckets there are.
    private var bucketReadCount = 0

    init() {}

    /// True if a row reads a bucket.
    var readsBuckets: Bool { bucketReadCount > 0 }

    mutating func add(_ window: ViewWindowID, _ row: RowNumber, _ reads: FewSet<UInt64>) {
        let target = UInt64(window.rawValue) << 32 | UInt64(row)
        for read in reads {
            guard rows[read, default: FewSet()].insert(target) else { continue }
            bucketReadCount += BucketID.isBucket(read) ? 1 : 0
        }
    }

    mutating func remove(_ window: ViewWindowID, _ row: RowNumber, _ reads: FewSet<UInt64>) {
        let target = UInt64(window.rawValue) << 32 | UInt64(row)
        for read in reads {
            guard let position = rows.index(forKey: read) else { continue }
            guard rows.values[position].remove(target) else { continue }
            bucketReadCount -= BucketID.isBucket(read) ? 1 : 0
            if rows.values[position].isEmpty { rows.remove(at: position) }
        }
    }

    /// The rows that read any of some entities or buckets, by window.
    func rows(_ reads: [UInt64]) -> [ViewWindowID: Set<RowNumber>] {
        var found: [ViewWindowID: Set<RowNumber>] = [:]
        guard !rows.isEmpty else { return found }
        for read in reads {
            for target in rows[read] ?? FewSet() {
                let window = ViewWindowID(rawValue: UInt32(target >> 32))
                found[window, default: []].insert(RowNumber(truncatingIfNeeded: target))
            }
        }
        return found
    }

    /// An estimate of the bytes that the rows take.
    var byteCount: Int { rows.reduce(0) { $0 + 80 + $1.value.count * 16 } }
}
